package sweep

import (
	"os"
	"path/filepath"

	"github.com/gcnsim/gcnsim/internal/files"
)

// Outputs is where merged results go, "" where they do not.
type Outputs struct {
	Report string // a page, see [Merged.Report]
	JSON   string // everything, see [Merged.Text]
	Specs  string // a directory of specifications, see [Merged.Specs]
}

// Write writes the files, each whole or not at all.
func (o *Outputs) Write(m *Merged) error {
	all := map[string][]byte{}
	if o.JSON != "" {
		all[o.JSON] = m.Text()
	}
	if o.Report != "" {
		page, err := m.Report()
		if err != nil {
			return err
		}
		all[o.Report] = page
	}
	if o.Specs != "" {
		if err := os.MkdirAll(o.Specs, 0o777); err != nil {
			return err
		}
		for name, data := range m.Specs(o.Specs) {
			all[filepath.Join(o.Specs, name)] = data
		}
	}
	for name, data := range all {
		if err := files.Write(name, data); err != nil {
			return err
		}
	}
	return nil
}
