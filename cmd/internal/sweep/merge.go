package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Merged is the sum of many results.
type Merged struct {
	Version      string         `json:"version"`
	Corpus       string         `json:"corpus"`
	Cases        int            `json:"cases"`
	Missing      int            `json:"missing"` // cases without a result
	Status       map[string]int `json:"status"`
	Instructions uint64         `json:"instructions"`
	Buckets      []*Bucket      `json:"buckets"`
	Coverage     []Covered      `json:"coverage"`
	Formats      []*Converted   `json:"formats"`
}

// Bucket is failures that have the same kind, instruction and rule.
type Bucket struct {
	Name     string  `json:"bucket"`
	Status   string  `json:"status"`
	Cases    int     `json:"cases"`
	Smallest *Result `json:"smallest"` // the one with the shortest specification
}

// Covered is in how many cases an instruction ran, by generation; -1 where there is no such
// instruction.
type Covered struct {
	Mnemonic string           `json:"mnemonic"`
	Cases    [gcn.NumGens]int `json:"cases"`
}

// Converted is in how many cases an instruction converted a format, by generation.
type Converted struct {
	Mnemonic string           `json:"mnemonic"`
	Format   string           `json:"format"`
	Cases    [gcn.NumGens]int `json:"cases"`
}

// Merge merges results, which must be of one corpus and one version.
func Merge(stores ...Store) (*Merged, error) {
	m := &Merged{Status: map[string]int{}, Buckets: []*Bucket{}, Formats: []*Converted{}}
	for i, s := range stores {
		of, err := readManifest(s)
		switch {
		case err != nil:
			return nil, err
		case of == nil:
			return nil, fmt.Errorf("%v: there are no results: no %s", s, manifestName)
		case i == 0:
			m.Version, m.Corpus, m.Cases = of.Version, of.Corpus, of.Cases
		case *of != manifest{m.Version, m.Corpus, m.Cases}:
			return nil, fmt.Errorf("%v: the results are of corpus %s by gcnsim %s, others of %s by %s; merge them apart", s,
				of.Corpus, of.Version, m.Corpus, m.Version)
		}
	}
	buckets, covers, lists := map[string]*Bucket{}, map[string]int{}, map[string][]string{}
	done := 0
	for n := range chunks {
		var all chunkResults
		for _, s := range stores {
			err := all.read(s, chunkName(n))
			if err := errors.Join(err, all.read(s, journalName(n))); err != nil {
				return nil, err
			}
		}
		done += len(all.results)
		for _, r := range all.results {
			m.add(r, buckets)
			covers[r.Cover]++
		}
		maps.Copy(lists, all.covers)
	}
	m.Missing = max(m.Cases-done, 0)
	for _, b := range buckets {
		m.Buckets = append(m.Buckets, b)
	}
	slices.SortFunc(m.Buckets, func(a, b *Bucket) int {
		return cmp.Or(cmp.Compare(b.Cases, a.Cases),
			cmp.Compare(a.Name, b.Name))
	})
	m.cover(covers, lists)
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

// cover fills the tables of coverage.
func (m *Merged) cover(covers map[string]int, lists map[string][]string) {
	type conversion struct{ mnemonic, format string }
	ran, formats := map[string]*Covered{}, map[conversion]*Converted{}
	for op := range isa.NumOps() {
		row := isa.RowOf(gcn.Op(op))
		for t := range gcn.Target(gcn.NumTargets) {
			if !row.On(t) {
				continue
			}
			c := ran[row.Name]
			if c == nil {
				c = &Covered{Mnemonic: row.Name}
				for g := range c.Cases {
					c.Cases[g] = -1
				}
				ran[row.Name] = c
			}
			c.Cases[t.Gen()] = max(c.Cases[t.Gen()], 0)
		}
	}
	for hash, cases := range covers {
		for _, text := range lists[hash] {
			words := strings.SplitN(text, " ", 3)
			t, err := gcn.ParseTarget(words[0])
			if err != nil || len(words) < 2 {
				continue // of another version
			}
			switch c := ran[words[1]]; {
			case len(words) == 3:
				k := conversion{words[1], words[2]}
				if formats[k] == nil {
					formats[k] = &Converted{Mnemonic: k.mnemonic, Format: k.format}
				}
				formats[k].Cases[t.Gen()] += cases
			case c != nil:
				c.Cases[t.Gen()] = max(c.Cases[t.Gen()], 0) + cases
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ran)) {
		m.Coverage = append(m.Coverage, *ran[name])
	}
	for _, c := range formats {
		m.Formats = append(m.Formats, c)
	}
	slices.SortFunc(m.Formats, func(a, b *Converted) int {
		return cmp.Or(cmp.Compare(a.Mnemonic, b.Mnemonic), cmp.Compare(a.Format, b.Format))
	})
}

// OK reports whether all cases have results that are ok.
func (m *Merged) OK() bool { return m.Missing == 0 && len(m.Buckets) == 0 }

// Text is the merged results as JSON, with line breaks.
func (m *Merged) Text() []byte {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		panic("sweep: " + err.Error()) // it is a struct of ours
	}
	return append(text, '\n')
}

// Specs returns the smallest case of each bucket as a specification to run, by file name. The
// files that one names are relative to dir, where it is to be written.
func (m *Merged) Specs(dir string) map[string][]byte {
	specs := map[string][]byte{}
	for _, b := range m.Buckets {
		if b.Smallest.Spec == nil {
			continue
		}
		name := slug(b.Name) + "." + b.Smallest.Kind + ".json"
		specs[name] = append(moved(b.Smallest.Spec, b.Smallest.Dir, dir), '\n')
		if p := b.Smallest.Pair; len(p) == 2 {
			specs[slug(b.Name)+".diff.sh"] = fmt.Appendf(nil, "gcnsim diff --spec=%s %s %s\n", name, quoted(p[0]), quoted(p[1]))
		}
	}
	return specs
}

// quoted is a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// slug makes a file name of a bucket's name.
func slug(name string) string {
	text := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, name)
	const most = 60
	return strings.Trim(text[:min(len(text), most)], "-") + "-" + hashText(sum64(name))[:6]
}

// moved returns a specification whose files are relative to another directory.
func moved(spec json.RawMessage, from, to string) []byte {
	relative := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		at, err1 := filepath.Abs(filepath.Join(from, name))
		base, err2 := filepath.Abs(to)
		rel, err3 := filepath.Rel(base, at)
		if errors.Join(err1, err2, err3) != nil {
			return at
		}
		return rel
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				if name, is := value.(string); is && name != "" && (key == "code_object" || key == "file") {
					v[key] = relative(name)
				} else {
					v[key] = walk(value)
				}
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		}
		return v
	}
	var all any
	d := json.NewDecoder(strings.NewReader(string(spec)))
	d.UseNumber()
	if d.Decode(&all) != nil {
		return spec
	}
	text, err := json.Marshal(walk(all))
	if err != nil {
		return spec
	}
	return text
}
