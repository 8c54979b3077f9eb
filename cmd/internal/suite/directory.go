package suite

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/v1"
)

// Contents lists the files in a directory and below, relative to it.
type Contents struct {
	Specs   []string // specifications of dispatches
	Objects []string // code objects
	Other   []string // other JSON files
}

// ContentsOf lists the files in a directory.
func ContentsOf(dir string) (c Contents, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(name)) {
		case ".json":
			if isSpec(path) {
				c.Specs = append(c.Specs, name)
			} else {
				c.Other = append(c.Other, name)
			}
		case ".co", ".o", ".so", ".hsaco":
			c.Objects = append(c.Objects, name)
		}
		return nil
	})
	return c, err
}

// isSpec reports whether a file is a dispatch specification.
func isSpec(path string) bool {
	text, err := os.ReadFile(path)
	var spec struct {
		CodeObject string `json:"code_object"`
		Kernel     string `json:"kernel"`
	}
	return err == nil && json.Unmarshal(text, &spec) == nil && spec.CodeObject != "" && spec.Kernel != ""
}
