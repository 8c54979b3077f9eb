package sweep

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

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
