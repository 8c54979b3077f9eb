package gpu

import (
	_ "embed" // report.css
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/markup"
	"github.com/gcnsim/gcnsim/sim/check"
)

//go:embed report.css
var reportStyle markup.Raw

// report writes the HTML page: a list of kernels, each with a page of its own.
func (w *watcher) report(title string) error {
	chip := w.device.Chip()
	var p, list markup.Text
	dispatches, instructions := 0, uint64(0)
	for _, k := range w.kernels {
		page, err := w.kernelPage(k)
		if err != nil {
			return err
		}
		list.Add("<details><summary>%s: %d dispatches, %d wave-instructions", k.heading(), k.Dispatches, k.Total.Instructions)
		list.If(k.Cycles > 0, ", %d cycles", k.Cycles)
		list.If(len(k.findings) > 0, `, <span class="found">%s</span>`, check.Summary(k.findings))
		list.Add("</summary>\n"+`<iframe title="%s" srcdoc="%s"></iframe>`+"\n</details>\n", k.heading(), page)
		dispatches += k.Dispatches
		instructions += k.Total.Instructions
	}
	p.Begin(title+" on "+chip.Name, markup.ClosedPolicy+"; frame-src 'self'", reportStyle, "")
	p.Add("<h1>%s</h1>\n"+`<p class="sum">%s: %d dispatches of %d kernels, %d wave-instructions`, title, chip.Name,
		dispatches, len(w.kernels), instructions)
	p.If(w.faults > 0, `, <span class="found">%d contexts were lost</span>`, w.faults)
	p.Add("</p>\n")
	for _, x := range w.times {
		p.Add(`<p class="sum">file %d: %s</p>`+"\n", x.file, report.Took(x.result))
	}
	p.Add("%s", markup.Raw(list.String()))
	p.End()
	if err := files.Write(w.want.Report, []byte(p.String())); err != nil {
		return err
	}
	fmt.Fprintf(w.tell, "report written to %s\n", w.want.Report)
	return nil
}

// heading returns the heading of a kernel in the report.
func (k *kernel) heading() string { return k.name() + ", at " + k.Code }

// kernelPage returns the page of one kernel.
func (w *watcher) kernelPage(k *kernel) (string, error) {
	if k.profile == nil { // the kernel could not start
		k.profile = new(trace.Profile)
	}
	r := trace.Report{
		Title: k.heading(), Target: w.device.Chip().Target.String(), Result: &k.Total, Profile: k.profile, Base: k.base(),
		Checked: len(w.want.Check) > 0, Findings: k.findings, Unexecuted: k.missed, More: k.more,
	}
	var page strings.Builder
	err := r.Write(&page)
	return page.String(), err
}
