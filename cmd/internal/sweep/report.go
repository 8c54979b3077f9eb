package sweep

import (
	_ "embed" // report.css
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/markup"
)

//go:embed report.css
var style markup.Raw

// summary holds what the report shows besides [Merged].
type summary struct {
	*Merged
	Statuses []statusCount
	Never    [gcn.NumGens]int // instructions that no case executed
	Exist    [gcn.NumGens]int
}

type statusCount struct {
	Status string
	Cases  int
}

func (m *Merged) summary() *summary {
	s := &summary{Merged: m}
	for _, status := range slices.Sorted(maps.Keys(m.Status)) {
		s.Statuses = append(s.Statuses, statusCount{status, m.Status[status]})
	}
	for _, c := range m.Coverage {
		for g, n := range c.Cases {
			if n >= 0 {
				s.Exist[g]++
			}
			if n == 0 {
				s.Never[g]++
			}
		}
	}
	return s
}

// Report is a page that shows the merged results: one file, without scripts.
func (m *Merged) Report() string {
	s := m.summary()
	p := &reportPage{}
	title := fmt.Sprintf("Sweep: %d cases", m.Cases)
	p.Begin(title, markup.ClosedPolicy, style, "")
	p.Add("<h1>%s</h1>\n<p>gcnsim %s, corpus %s; %d wave instructions.\n", title, m.Version, m.Corpus, m.Instructions)
	p.If(m.Missing > 0, `<strong class="bad">%d cases have no result yet.</strong>`, m.Missing)
	p.Add(`</p>
<table>
<caption hidden>Cases by what came of them</caption>
<tr><th>What came of it</th><th class="n">Cases</th></tr>
`)
	for _, c := range s.Statuses {
		class := "bad"
		if c.Status == passed {
			class = "good"
		}
		p.Add(`<tr><td class="%s">%s</td><td class="n">%d</td></tr>`+"\n", class, c.Status, c.Cases)
	}
	p.Add("</table>\n")
	p.failures(m)
	p.instructions(s)
	p.formats(m)
	p.End()
	return p.String()
}

// reportPage is the report as it is being written.
type reportPage struct{ markup.Text }

// failures writes the cases that failed.
func (p *reportPage) failures(m *Merged) {
	p.Add("\n<h2>Failures</h2>\n")
	if len(m.Buckets) == 0 {
		p.Add(`<p class="good">None.</p>` + "\n")
		return
	}
	p.Add("<p>Cases that fail in the same way: the same kind, instruction and rule. The smallest of each is the " +
		"specification to run again.</p>\n")
	for _, b := range m.Buckets {
		p.Add(`<details>
<summary><strong>%d</strong> <span class="bad">%s</span> %s</summary>
<p>%s: %s</p>
`, b.Cases, b.Status, b.Name, b.Smallest.Case, b.Smallest.Message)
		if r := b.Smallest; len(r.Spec) > 0 {
			p.Add("<pre>%s</pre>", string(moved(r.Spec, r.Dir, r.Dir)))
		}
		p.Add("\n</details>\n")
	}
}

// instructions writes in how many cases each instruction ran.
func (p *reportPage) instructions(s *summary) {
	p.Add(`
<h2>Instructions</h2>
<p>In how many cases each ran; <span class="never">0</span> is one that no case executed, a blank one that the
generation lacks.</p>
<div class="wide"><table>
<tr><th>Executed of those that exist</th>`)
	for g, n := range s.Exist {
		p.Add(`<td class="n">%d never, of %d</td>`, s.Never[g], n)
	}
	p.Add("</tr>\n<tr><th>Instruction</th>")
	p.generations()
	for _, c := range s.Coverage {
		p.Add("<tr><td><code>%s</code></td>", c.Mnemonic)
		for _, n := range c.Cases {
			switch {
			case n < 0:
				p.Add(`<td class="n"></td>`)
			case n == 0:
				p.Add(`<td class="n never">0</td>`)
			default:
				p.Add(`<td class="n">%d</td>`, n)
			}
		}
		p.Add("</tr>\n")
	}
	p.Add("</table></div>\n")
}

// generations writes the heads of the columns of generations.
func (p *reportPage) generations() {
	for g := range gcn.Gen(gcn.NumGens) {
		p.Add(`<th class="n">%s %s</th>`, strings.ToUpper(g.String()[:3]), g.String()[3:])
	}
	p.Add("</tr>\n")
}

// formats writes in how many cases each instruction converted data of a format.
func (p *reportPage) formats(m *Merged) {
	p.Add("\n<h2>Formats</h2>\n")
	if len(m.Formats) == 0 {
		p.Add("<p>No case converted data of a format.</p>\n")
		return
	}
	p.Add(`<div class="wide"><table>
<tr><th>Instruction</th><th>Format</th>`)
	p.generations()
	for _, f := range m.Formats {
		p.Add("<tr><td><code>%s</code></td><td>%s</td>", f.Mnemonic, f.Format)
		for _, n := range f.Cases {
			p.Add(`<td class="n">%d</td>`, n)
		}
		p.Add("</tr>\n")
	}
	p.Add("</table></div>\n")
}

// String is a summary of some lines.
func (m *Merged) String() string {
	var b strings.Builder
	s := m.summary()
	fmt.Fprintf(&b, "%d cases", m.Cases)
	for _, c := range s.Statuses {
		fmt.Fprintf(&b, ", %d %s", c.Cases, c.Status)
	}
	if m.Missing > 0 {
		fmt.Fprintf(&b, ", %d without a result", m.Missing)
	}
	fmt.Fprintf(&b, "; %d instructions\n", m.Instructions)
	for _, bucket := range m.Buckets {
		fmt.Fprintf(&b, "%8d %s: %s\n         as in %s: %s\n", bucket.Cases, bucket.Status, bucket.Name,
			bucket.Smallest.Case, bucket.Smallest.Message)
	}
	for g := range gcn.Gen(gcn.NumGens) {
		if ran := s.Exist[g] - s.Never[g]; ran > 0 {
			fmt.Fprintf(&b, "%v: %d of %d instructions executed\n", g, ran, s.Exist[g])
		}
	}
	return b.String()
}
