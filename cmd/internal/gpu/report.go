package gpu

import (
	"bytes"
	_ "embed" // report.html
	"fmt"
	"html/template"
	"sync"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/trace"
)

//go:embed report.html
var reportText string

// reportPage returns the template, which is parsed when a report is written.
var reportPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Parse(reportText))
})

// reportView is what the report shows: a list of kernels, each with a page of its own.
type reportView struct {
	Title, Chip  string
	Dispatches   int
	Instructions uint64
	Faults       int
	Times        []string
	Kernels      []kernelView
}

type kernelView struct {
	Name         string
	Dispatches   int
	Instructions uint64
	Cycles       uint64
	Findings     string
	Page         string
}

// report writes the page.
func (w *watcher) report(title string) error {
	chip := w.device.Chip()
	v := reportView{Title: title, Chip: chip.Name, Faults: w.faults}
	for _, x := range w.times {
		v.Times = append(v.Times, fmt.Sprintf("file %d: %s", x.file, report.Took(x.result)))
	}
	for _, k := range w.kernels {
		var page bytes.Buffer
		name := k.name() + ", at " + k.Code
		if k.profile == nil { // it could not start
			k.profile = new(trace.Profile)
		}
		r := trace.Report{
			Title: name, Target: chip.Target.String(), Result: &k.Total, Profile: k.profile, Base: k.base(),
			Checked: len(w.want.Check) > 0, Findings: k.findings, Unexecuted: k.missed, More: k.more,
		}
		if err := r.Write(&page); err != nil {
			return err
		}
		kv := kernelView{Name: name, Dispatches: k.Dispatches, Instructions: k.Total.Instructions, Cycles: k.Cycles,
			Page: page.String()}
		if len(k.findings) > 0 {
			kv.Findings = check.Summary(k.findings)
		}
		v.Kernels = append(v.Kernels, kv)
		v.Dispatches += k.Dispatches
		v.Instructions += k.Total.Instructions
	}
	var page bytes.Buffer
	if err := reportPage().Execute(&page, &v); err != nil {
		return err
	}
	if err := files.Write(w.want.Report, page.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(w.tell, "report written to %s\n", w.want.Report)
	return nil
}
