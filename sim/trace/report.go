package trace

import (
	"fmt"
	"html/template"
	"io"

	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
)

// Report is what [Report.Write] shows of a run on one page.
type Report struct {
	Title   string
	Target  string
	Result  *sim.Result
	Profile *Profile
	Base    uint64 // what PCs count from
}

// count is one row of the class table.
type count struct {
	Name string
	N    uint64
}

// line is one row of the listing.
type line struct {
	PC, Text, Space   string
	Waves             uint64
	Percent           float64 // of the most executed instruction
	Lanes, Bytes, Out uint64
	Memory            bool
}

// Write writes a page of HTML that needs nothing else.
func (r *Report) Write(w io.Writer) error {
	view := struct {
		*Report
		Classes []count
		Lines   []line
		Lanes   uint64
		Bytes   uint64
		Out     uint64
	}{Report: r}
	for class, n := range r.Result.ByClass {
		if n > 0 {
			view.Classes = append(view.Classes, count{sim.Class(class).String(), n})
		}
	}
	rows := r.Profile.Rows()
	most := uint64(1)
	for _, row := range rows {
		most = max(most, row.Waves)
	}
	for _, row := range rows {
		l := line{
			PC: fmt.Sprintf("0x%04x", row.PC-r.Base), Text: asm.Format(row.Inst, asm.LLVM),
			Waves: row.Waves, Percent: 100 * float64(row.Waves) / float64(most),
			Lanes: row.Lanes, Bytes: row.Bytes, Out: row.Out, Memory: row.Memory,
		}
		if row.Memory {
			l.Space = row.Space.String()
			view.Lanes += row.Lanes
			view.Bytes += row.Bytes
			view.Out += row.Out
		}
		view.Lines = append(view.Lines, l)
	}
	return page.Execute(w, view)
}

var page = template.Must(template.New("report").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{.Title}} on {{.Target}}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #1c2330; background: #fff }
h1 { font-size: 1.5em; margin-bottom: 0 } h2 { font-size: 1.1em; margin: 1.8em 0 .5em }
.sum { color: #5a6576; margin-top: .2em }
table { border-collapse: collapse } th { text-align: left; font-weight: 600; color: #5a6576 }
th, td { padding: .16em 1.1em .16em 0; vertical-align: baseline } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
code { font: 13px/1.4 ui-monospace, monospace; white-space: pre }
.listing tr.mem { background: #f2f6fc } .listing td:first-child, .listing th:first-child { padding-left: .6em }
.bar { width: 9em } .bar i { display: block; height: .6em; background: #7fa7dc; border-radius: 2px; min-width: 1px }
.out { color: #b3261e; font-weight: 600 }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p class="sum">{{.Target}}: {{.Result.Instructions}} wave-instructions; memory instructions moved {{.Bytes}} bytes in {{.Lanes}} lane accesses{{if .Out}}, <span class="out">{{.Out}} of them out of range</span>{{end}}</p>
<h2>Instructions by class</h2>
<table>
<tr><th>class</th><th class="n">executed</th></tr>
{{range .Classes}}<tr><td>{{.Name}}</td><td class="n">{{.N}}</td></tr>
{{end}}</table>
<h2>Listing</h2>
<table class="listing">
<tr><th>pc</th><th>instruction</th><th class="n">waves</th><th></th><th class="n">lanes</th><th class="n">bytes</th><th>space</th><th class="n">out of range</th></tr>
{{range .Lines}}<tr{{if .Memory}} class="mem"{{end}}><td><code>{{.PC}}</code></td><td><code>{{.Text}}</code></td><td class="n">{{.Waves}}</td><td class="bar"><i style="width:{{printf "%.1f" .Percent}}%"></i></td>{{if .Memory}}<td class="n">{{.Lanes}}</td><td class="n">{{.Bytes}}</td><td>{{.Space}}</td><td class="n">{{if .Out}}<span class="out">{{.Out}}</span>{{end}}</td>{{else}}<td></td><td></td><td></td><td></td>{{end}}</tr>
{{end}}</table>
{{if .Result.Fidelity}}<h2>Not exact</h2>
<table>
<tr><th>instruction</th><th>level</th><th>why</th></tr>
{{range .Result.Fidelity}}<tr><td><code>{{.Mnemonic}}</code></td><td>{{.Level}}</td><td>{{.Why}}</td></tr>
{{end}}</table>
{{end}}</body>
</html>
`))
