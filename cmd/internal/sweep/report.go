package sweep

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
)

//go:embed report.html
var reportText string

// reportPage returns the template, which is parsed when a report is written.
var reportPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("sweep").Funcs(reportFuncs).Parse(reportText))
})

var reportFuncs = template.FuncMap{
	"generations": func() (names []string) {
		for g := range gcn.Gen(gcn.NumGens) {
			names = append(names, strings.ToUpper(g.String()[:3])+" "+g.String()[3:])
		}
		return names
	},
	"spec": func(r *Result) string { return string(moved(r.Spec, r.Dir, r.Dir)) },
}

// summary is what the report shows besides [Merged].
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
func (m *Merged) Report() ([]byte, error) {
	var b bytes.Buffer
	err := reportPage().Execute(&b, m.summary())
	return b.Bytes(), err
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
