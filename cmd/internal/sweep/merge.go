package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Merged is the sum of all results.
type Merged struct {
	Version      string         `json:"version"`
	Corpus       string         `json:"corpus"`
	Cases        int            `json:"cases"`
	Missing      int            `json:"missing"` // cases without a result
	Status       map[string]int `json:"status"`
	Instructions uint64         `json:"instructions"`
	Buckets      []*Bucket      `json:"buckets"`
	Coverage     []*Coverage    `json:"coverage"`
}

// Bucket has the failures with the same kind, instruction and rule.
type Bucket struct {
	Name     string  `json:"bucket"`
	Status   string  `json:"status"`
	Cases    int     `json:"cases"`
	Smallest *Result `json:"smallest"` // the one with the shortest specification
}

// Coverage lists the executed and the unexecuted instructions of a processor.
type Coverage struct {
	MCPU     string   `json:"mcpu"`
	Executed []string `json:"executed"`
	Never    []string `json:"never"`
}

// Merge merges the results in directories. They must have the same corpus, version and limits.
func Merge(dirs ...string) (*Merged, error) {
	m := &Merged{Status: map[string]int{}, Buckets: []*Bucket{}}
	var first manifest
	for i, dir := range dirs {
		of, err := readManifest(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%v: there are no results: no %s", dir, manifestName)
		case err != nil:
			return nil, err
		case i == 0:
			first = of
		case of != first:
			return nil, fmt.Errorf("%v: the results are of %s, others of %s; merge them apart", dir, marshal(of),
				marshal(first))
		}
	}
	m.Version, m.Corpus, m.Cases = first.Version, first.Corpus, first.Cases
	seen, buckets, ran := map[uint64]bool{}, map[string]*Bucket{}, map[string]bool{}
	for _, dir := range dirs {
		err := results(dir, seen, func(r *Result) {
			for _, name := range r.Ran {
				ran[name] = true
			}
			r.Ran = nil // it depends on the order in which cases were executed
			m.add(r, buckets)
		})
		if err != nil {
			return nil, err
		}
	}
	m.Missing = max(m.Cases-len(seen), 0)
	m.Buckets = slices.SortedFunc(maps.Values(buckets), func(a, b *Bucket) int {
		return cmp.Or(cmp.Compare(b.Cases, a.Cases), cmp.Compare(a.Name, b.Name))
	})
	m.cover(ran)
	return m, nil
}

// add counts a result.
func (m *Merged) add(r *Result, buckets map[string]*Bucket) {
	m.Status[r.Status]++
	m.Instructions += r.Instructions
	if r.Status == passed {
		return
	}
	b := buckets[r.Bucket]
	if b == nil {
		b = &Bucket{Name: r.Bucket, Status: r.Status, Smallest: r}
		buckets[r.Bucket] = b
	}
	b.Cases++
	if s := b.Smallest; cmp.Or(cmp.Compare(len(r.Spec), len(s.Spec)), cmp.Compare(r.Case, s.Case)) < 0 {
		b.Smallest = r
	}
}

// cover computes the coverage of the processors on which instructions were executed.
func (m *Merged) cover(ran map[string]bool) {
	for t := range gcn.Target(gcn.NumTargets) {
		exist := map[string]bool{}
		for op := range isa.NumOps() {
			if row := isa.RowOf(gcn.Op(op)); row.On(t) {
				exist[row.Name] = true
			}
		}
		c := &Coverage{MCPU: t.String(), Executed: []string{}, Never: []string{}}
		for _, name := range slices.Sorted(maps.Keys(exist)) {
			if ran[ranName(t, name)] {
				c.Executed = append(c.Executed, name)
			} else {
				c.Never = append(c.Never, name)
			}
		}
		if len(c.Executed) > 0 {
			m.Coverage = append(m.Coverage, c)
		}
	}
}

// String returns a summary of a few lines.
func (m *Merged) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases", m.Cases)
	for _, status := range slices.Sorted(maps.Keys(m.Status)) {
		fmt.Fprintf(&b, ", %d %s", m.Status[status], status)
	}
	if m.Missing > 0 {
		fmt.Fprintf(&b, ", %d without a result", m.Missing)
	}
	fmt.Fprintf(&b, "; %d instructions\n", m.Instructions)
	for _, bucket := range m.Buckets {
		fmt.Fprintf(&b, "%8d %s: %s\n         as in %s: %s\n", bucket.Cases, bucket.Status, bucket.Name,
			bucket.Smallest.Case, bucket.Smallest.Message)
	}
	for _, c := range m.Coverage {
		fmt.Fprintf(&b, "%s: %d of %d instructions executed\n", c.MCPU, len(c.Executed), len(c.Executed)+len(c.Never))
	}
	return b.String()
}

// OK reports whether all cases have a result without a failure.
func (m *Merged) OK() bool { return m.Missing == 0 && len(m.Buckets) == 0 }

// Text returns the merged results as JSON with line breaks.
func (m *Merged) Text() []byte {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		panic("sweep: " + err.Error()) // cannot happen: it is a struct of this package
	}
	return append(text, '\n')
}

// specs returns the smallest case of each bucket as a specification, by file name.
func (m *Merged) specs() map[string][]byte {
	specs := map[string][]byte{}
	for _, b := range m.Buckets {
		if b.Smallest.Spec == nil {
			continue
		}
		name := slug(b.Name) + "." + b.Smallest.Kind + ".json"
		specs[name] = append(slices.Clone(b.Smallest.Spec), '\n')
		if p := b.Smallest.Pair; len(p) == 2 {
			specs[slug(b.Name)+".diff.sh"] = fmt.Appendf(nil, "gcnsim diff --spec=%s %s %s\n", name, quoted(p[0]), quoted(p[1]))
		}
	}
	return specs
}

// quoted quotes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// slug converts a bucket's name to a file name.
func slug(name string) string {
	text := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, name)
	const most = 60
	return strings.Trim(text[:min(len(text), most)], "-") + "-" + fmt.Sprintf("%016x", sum64(name))[:6]
}

// Outputs are the destinations of merged results. "" means none.
type Outputs struct {
	JSON  string // file for all results, see [Merged.Text]
	Specs string // directory for the smallest case of each bucket
	// Uses are the files that the caller reads and writes. It may be nil.
	Uses *files.Uses
}

// Claim adds the results directories and the outputs to Uses. It creates the directory of specifications, because the
// JSON file may be in it. The error comes from [files.Uses.Writes].
func (o *Outputs) Claim(results ...string) error {
	for _, dir := range results {
		if err := o.Uses.ReadsIn(dir, files.TheInput); err != nil {
			return err
		}
	}
	if o.Specs != "" {
		if err := os.MkdirAll(o.Specs, 0o777); err != nil {
			return err
		}
	}
	if o.JSON == "" {
		return nil
	}
	return o.Uses.Writes(o.JSON, "--json")
}

// Write writes the files, each completely or not at all. Claim must be called before.
func (o *Outputs) Write(m *Merged) error {
	all := map[string][]byte{}
	if o.Specs != "" {
		for name, data := range m.specs() {
			all[filepath.Join(o.Specs, name)] = data
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := o.Uses.Writes(name, "--specs"); err != nil {
			return err
		}
	}
	if o.JSON != "" {
		all[o.JSON] = m.Text()
	}
	for name, data := range all {
		if err := files.Write(name, data); err != nil {
			return err
		}
	}
	return nil
}
