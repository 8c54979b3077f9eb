package sweep

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// Statuses of a case.
const (
	passed   = "ok"
	failed   = "failed"  // an error, a fault, another value than expected
	differs  = "differs" // the two programs of a diff leave other values
	found    = "found"   // findings of the severity asked for
	hung     = "hung"    // too many instructions, or too long
	tooLarge = "memory"  // the process grew too large
	crashed  = "crashed" // the process ended
	broken   = "no case" // the line is malformed
)

// Result is the result of a case: a line of a chunk's file. It holds no time, so that it is
// the same whenever the case runs.
type Result struct {
	Case         string `json:"case"`
	Hash         string `json:"hash"` // of the case
	Status       string `json:"status"`
	Instructions uint64 `json:"instructions,omitempty"`
	Cover        string `json:"cover,omitempty"` // what executed: the hash of a [coverLine]

	// Of cases that are not ok:
	Bucket  string          `json:"bucket,omitempty"`
	Message string          `json:"message,omitempty"`
	Kind    string          `json:"kind,omitempty"` // exec, dispatch or diff
	Pair    []string        `json:"pair,omitempty"`
	Dir     string          `json:"dir,omitempty"`
	Spec    json.RawMessage `json:"spec,omitempty"`
}

// coverLine is the line of a chunk's file that says what a hash of [Result.Cover] means.
type coverLine struct {
	Cover string   `json:"cover"`
	Ran   []string `json:"ran"`
}

func chunkName(n int) string   { return fmt.Sprintf(chunkFolder+"/%03x.jsonl", n) }
func journalName(n int) string { return fmt.Sprintf(journalFolder+"/%03x.jsonl", n) }

// The folders of a store.
const chunkFolder, journalFolder = "chunks", "journals"

// chunkResults is the contents of a chunk's file or journal.
type chunkResults struct {
	results map[string]*Result  // by id
	covers  map[string][]string // by hash
}

// readChunk adds the lines of an object, which may be absent. A line that is cut off, as a
// killed process leaves one, is as if it were not there.
func (c *chunkResults) read(s Store, name string) error {
	if c.results == nil {
		c.results, c.covers = map[string]*Result{}, map[string][]string{}
	}
	data, err := s.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		var both struct {
			Result
			Ran []string `json:"ran"`
		}
		if json.Unmarshal(line, &both) != nil {
			continue
		}
		if both.Ran != nil {
			c.covers[both.Cover] = both.Ran
		} else if both.Case != "" {
			c.results[both.Case] = &both.Result
		}
	}
	return nil
}

// text is the whole file: what executed, then the results, both sorted.
func (c *chunkResults) text() []byte {
	var b bytes.Buffer
	used := map[string]bool{}
	all := make([]*Result, 0, len(c.results))
	for _, r := range c.results {
		all = append(all, r)
		used[r.Cover] = true
	}
	slices.SortFunc(all, func(a, b *Result) int { return cmp.Compare(a.Case, b.Case) })
	var hashes []string
	for h := range c.covers {
		if used[h] {
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	for _, h := range hashes {
		b.Write(lineOf(coverLine{h, c.covers[h]}))
	}
	for _, r := range all {
		b.Write(lineOf(r))
	}
	return b.Bytes()
}

// lineOf returns v as a line of JSON.
func lineOf(v any) []byte {
	b, err := jsonout.Marshal(v)
	if err != nil {
		panic("sweep: " + err.Error()) // v is a struct of ours
	}
	return append(b, '\n')
}

// Outputs is where merged results go, "" where they do not.
type Outputs struct {
	Report string // a page, see [Merged.Report]
	JSON   string // everything, see [Merged.Text]
	Specs  string // a directory of specifications, see [Merged.Specs]
	// Uses, if not nil, are the files that the caller reads and writes.
	Uses *files.Uses
}

// Claim adds the files of results and the outputs to the uses, and makes the directory of
// specifications, in which the other ones may be. The error comes from [files.Uses.Writes].
func (o *Outputs) Claim(results ...Store) error {
	for _, s := range results {
		dir, ok := s.(Dir)
		if !ok {
			continue
		}
		for _, folder := range []string{chunkFolder, journalFolder} {
			if err := o.Uses.ReadsIn(dir.path(folder), files.TheInput); err != nil {
				return err
			}
		}
		if err := o.Uses.Reads(dir.path(manifestName), files.TheInput); err != nil {
			return err
		}
	}
	if o.Specs != "" {
		if err := os.MkdirAll(o.Specs, 0o777); err != nil {
			return err
		}
	}
	for _, out := range []struct{ path, flag string }{{o.JSON, "--json"}, {o.Report, "--report"}} {
		if out.path == "" {
			continue
		}
		if err := o.Uses.Writes(out.path, out.flag); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the files, each whole or not at all, after Claim.
func (o *Outputs) Write(m *Merged) error {
	all := map[string][]byte{}
	if o.Specs != "" {
		for name, data := range m.Specs(o.Specs) {
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
	if o.Report != "" {
		all[o.Report] = []byte(m.Report())
	}
	for name, data := range all {
		if err := files.Write(name, data); err != nil {
			return err
		}
	}
	return nil
}
