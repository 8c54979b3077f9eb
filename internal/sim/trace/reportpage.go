package trace

import (
	_ "embed" // embeds report.css

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/tool/markup"
	"github.com/gcnsim/gcnsim/sim/check"
)

//go:embed report.css
var style markup.Raw

// page is the page under construction.
type page struct {
	markup.Text
	*view
}

// html returns the page.
func (v *view) html() string {
	p := &page{view: v}
	p.Begin(v.Title+" on "+v.Target, v.Policy, style+markup.Raw(v.Style), markup.Raw(v.Head))
	p.Add("<main>\n<h1>%s</h1>\n", v.Title)
	p.summary()
	if v.Times != nil {
		p.tiles()
	}
	p.If(v.Viewer != "", "<h2>Step by step</h2>\n%s", markup.Raw(v.Viewer))
	if v.counted {
		p.classes()
		p.listing()
	}
	if v.Times != nil {
		p.metrics()
	}
	if len(v.Result.Fidelity) > 0 {
		p.Add("<h2>Not exact</h2>\n<table>\n<tr><th>instruction</th><th>level</th><th>why</th></tr>\n")
		for _, n := range v.Result.Fidelity {
			p.Add("<tr><td><code>%s</code></td><td>%s</td><td>%s</td></tr>\n", n.Mnemonic, n.Level, n.Why)
		}
		p.Add("</table>\n")
	}
	if v.Times != nil {
		p.parameters()
	}
	p.Add("</main>")
	p.End()
	return p.String()
}

// classes writes the number of executed instructions of each class.
func (p *page) classes() {
	p.Add("<h2>Instructions by class</h2>\n<table>\n" +
		`<tr><th>class</th><th class="n">executed</th><td></td></tr>` + "\n")
	for _, c := range p.Classes {
		p.Add(`<tr><td>%s</td><td class="n">%s</td><td class="count"><i style="width:%.1f%%"></i></td></tr>`+"\n",
			c.Name, c.Value, c.Percent)
	}
	p.Add("</table>\n")
}

// summary writes the number of instructions and of findings.
func (p *page) summary() {
	p.Add(`<p class="sum">%s: %d wave-instructions`, p.Target, p.Result.Instructions)
	p.If(p.counted, "; memory instructions moved %d bytes in %d lane accesses", p.Bytes, p.Lanes)
	p.If(p.Out > 0, `, <span class="out">%d of them out of range</span>`, p.Out)
	p.Add("</p>\n")
	p.If(p.Ended != "", `<div class="finding error" id="ended"><p><b class="kind">The run ended early</b></p>`+
		"<p>%s</p></div>\n", p.Ended)
	if !p.Checked {
		return
	}
	text := `<p class="sum">Checks: %s`
	if len(p.Findings) > 0 {
		text = `<p class="sum">Checks: <a href="#finding1">%s</a>`
	}
	p.Add(text, p.Summary())
	if n := len(p.Unexecuted); n > 0 {
		were := "instructions were"
		if n == 1 {
			were = "instruction was"
		}
		p.Add("; %d %s never executed, and so not judged", n, were)
		p.If(p.More > 0, ", and %d more that the listing leaves out", p.More)
	}
	p.Add("</p>\n")
	for i := range p.Settings {
		p.finding(&p.Settings[i])
	}
}

// finding writes a finding.
func (p *page) finding(f *finding) {
	p.Add(`<div class="finding %s" id="%s"><p><b class="kind">%[1]s %[3]s</b>`, f.Severity, f.ID, f.Kind)
	p.If(f.About() != "", " <b>%s</b>", f.About())
	by := f.Executor(&check.Site{})
	p.If(by != "", ", %s", by)
	p.If(f.Count > 1, ", %d times", f.Count)
	p.Add("</p>\n")
	if a := f.Producer; a != nil {
		p.Add(`<p>after <a href="#pc0x%04x">0x%04[1]x</a> <code>%s</code>`, a.PC, a.Text)
		p.If(a.Source != "", " %s", a.Source)
		by := a.Executor(&f.Site)
		p.If(a.Source != "" && by != "", ",")
		p.If(by != "", " %s", by)
		p.Add("</p>\n")
	}
	p.Add("<p>%s</p>\n", f.Message)
	p.If(f.Fix != "", "<p>fix: %s</p>\n", f.Fix)
	if rule, ok := handbook.Lookup(f.Rule); ok {
		p.Add(`<p class="rule">%s</p>`+"\n", rule.Cite())
	}
	p.Add("</div>\n")
}

// tiles writes the duration of the run, and what waves spent it on.
func (p *page) tiles() {
	p.Add(`<div class="tiles">
<div><b>%d</b><span>cycles</span></div>
<div><b>%s µs</b><span>on %s, %d MHz</span></div>
<div><b>%s</b><span>instructions a cycle</span></div>
<div><b>%s</b><span>waves at a time</span></div>
</div>
<h2>Where the time of waves went</h2>
<div class="share">`, p.Times.Cycles, p.Micros, p.Times.Params.Chip, p.Times.Params.ClockMHz, p.IPC, p.Occupancy)
	p.bars("%.3f", p.Share)
	p.Add("</div>\n" + `<ul class="key">`)
	for _, s := range p.Share {
		p.Add(`<li><i class="dot %s"></i>%s %.1f %%</li>`, s.Cause, s.Name, s.Percent)
	}
	p.Add("</ul>\n"+`<p class="note">The time model is approximate: rates reproduce published figures, latencies `+
		"are assumed; %s", p.Times.Band())
	if s := p.Times.Sampled; s != nil {
		p.Add("; %s", s)
	}
	p.Add(".</p>\n")
}

// bars writes the parts of a bar. verb is the format of their widths.
func (p *page) bars(verb string, parts []named) {
	for _, s := range parts {
		p.Add(`<i class="%s" style="width:`+verb+`%%" title="%s: %s cycles"></i>`, s.Cause, s.Percent, s.Name, s.Value)
	}
}

// listing writes the lines of the program.
func (p *page) listing() {
	p.Add("<h2>Listing</h2>\n")
	p.If(p.Times != nil, `<p class="note">Count: executions by waves. Cycle: of the first issue. Stall, busy and done `+
		`are averages over executions: cycles that a wave waited before the instruction, that it then kept the wave, `+
		`and from issue to completion. Time: the share of the cycles of all waves, by cause.</p>`+"\n")
	p.If(len(p.Unexecuted) > 0, `<p class="note">Lines in italics: no wave executed them, and checks say nothing `+
		`about them.</p>`+"\n")
	p.Add(`<div class="scroll"><table class="listing">` + "\n" + `<thead><tr><th>pc</th><th>instruction</th>`)
	p.If(p.Sources, "<th>source</th>")
	p.Add(`<th class="n">count</th>`)
	if p.Times != nil {
		p.Add(`<th class="n">cycle</th><th class="n">stall</th><th>for</th><th class="n">busy</th>` +
			`<th class="n">done</th><th class="n">time</th>`)
	}
	p.Add(`<td></td><th class="n">lanes</th><th class="n">bytes</th><th>space</th>`)
	p.If(p.Out > 0, `<th class="n">out of range</th>`)
	p.Add("</tr></thead>\n<tbody>\n")
	for i := range p.Lines {
		p.line(&p.Lines[i])
	}
	p.Add("</tbody></table></div>\n")
}

// line writes a line of the listing and its findings.
func (p *page) line(l *line) {
	p.Add(`<tr id="pc%s"`, l.PC)
	p.If(l.Memory, ` class="mem"`)
	p.If(l.Missed, ` class="missed"`)
	p.Add("><td><code>%s</code></td><td><code>%s</code></td>", l.PC, l.Text)
	p.If(p.Sources, "<td>%s</td>", l.Source)
	if l.Missed {
		p.Add(`<td class="n">never</td>`)
	} else {
		p.Add(`<td class="n">%d</td>`, l.Waves)
	}
	switch {
	case p.Times == nil:
		p.Add(`<td class="count">`)
		p.If(!l.Missed, `<i style="width:%.1f%%"></i>`, l.Percent)
		p.Add("</td>")
	case l.Time == nil:
		p.Add("<td></td><td></td><td></td><td></td><td></td><td></td><td></td>")
	default:
		p.times(l.Time)
	}
	switch {
	case l.Memory:
		p.Add(`<td class="n">%d</td><td class="n">%d</td><td>%s</td>`, l.Lanes, l.Bytes, l.Space)
		p.If(p.Out > 0 && l.Out > 0, `<td class="n"><span class="out">%d</span></td>`, l.Out)
		p.If(p.Out > 0 && l.Out == 0, `<td class="n"></td>`)
	default:
		p.Add("<td></td><td></td><td></td>")
		p.If(p.Out > 0, "<td></td>")
	}
	p.Add("</tr>\n")
	for i := range l.Findings {
		p.Add(`<tr class="found %s"><td colspan="%d">`, l.Findings[i].Severity, p.Columns())
		p.finding(&l.Findings[i])
		p.Add("</td></tr>\n")
	}
}

// times writes the times of a line.
func (p *page) times(t *lineTimes) {
	p.Add(`<td class="n">%d</td><td class="n">%s</td><td class="for">`, t.First, t.Stall)
	p.If(t.For != "", `<i class="dot %s"></i>%s`, t.Cause, t.For)
	p.Add(`</td><td class="n">%s</td><td class="n">%s</td><td class="n">%.1f%%</td><td class="bar"><div>`, t.Busy, t.Done,
		t.Share)
	p.bars("%.2f", t.Bar)
	p.Add("</div></td>")
}

// metrics writes the counters and metrics of the run.
func (p *page) metrics() {
	p.Add(`<h2>Metrics</h2>
<p class="note">As rocprofiler derives them from the counters, then of DRAM: efficiency is of its peak, waits are in ` +
		`clocks. Busy, stalled and hit are percentages, sizes are in KiB, instructions per wave.</p>
<div class="columns">`)
	p.values(p.Metrics)
	p.Add(`</div>
<h2>Counters</h2>
<p class="note">Under AMD's names, summed over all instances; those that are 0 are left out.</p>
<div class="columns">`)
	p.values(p.Counters)
	p.Add("</div>\n")
}

// values writes numbers with their names.
func (p *page) values(list []named) {
	for _, n := range list {
		p.Add("<div><span>%s</span><b>%s</b></div>", n.Name, n.Value)
	}
}

// parameters writes the effects that the time model omits, and its assumptions.
func (p *page) parameters() {
	p.Add("<h2>Left out of the time model</h2>\n<ul>")
	for _, what := range p.Times.NotModelled {
		p.Add("<li>%s</li>", what)
	}
	p.Add("</ul>\n<h2>Parameters that are assumed</h2>\n" + `<div class="columns">`)
	for _, f := range p.Assumed {
		p.Add("<div><span>%s, %s</span><b>%v</b></div>", f.Name, f.Unit, f.Value)
	}
	p.Add(`</div>
<details><summary>Other parameters of %s</summary>
<div class="columns">`, p.Times.Params.Chip)
	for _, f := range p.Given {
		p.Add(`<div title="%s"><span>%s, %s</span><b>%v</b></div>`, f.Source, f.Name, f.Unit, f.Value)
	}
	p.Add("</div></details>\n")
}
