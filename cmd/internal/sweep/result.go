package sweep

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/files"
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

// Result is the result of a case: a line of a file of results. It holds no time, so that it is the same whenever the
// case runs.
type Result struct {
	Case         string   `json:"case"`
	Status       string   `json:"status"`
	Instructions uint64   `json:"instructions,omitempty"`
	Ran          []string `json:"ran,omitempty"` // instructions that no case before it in the file executed

	// The cases that are not ok:
	Bucket  string          `json:"bucket,omitempty"`
	Message string          `json:"message,omitempty"`
	Kind    string          `json:"kind,omitempty"` // exec, dispatch or diff
	Pair    []string        `json:"pair,omitempty"`
	Spec    json.RawMessage `json:"spec,omitempty"` // with whole paths
}

// fail says why a case is not ok, and keeps what runs it again.
func (r *Result) fail(c *Case, status, bucket, message string) {
	r.Status, r.Bucket, r.Message, r.Kind, r.Pair = status, bucket, message, c.Kind, c.Pair
	if c.Spec != nil {
		r.Spec = withPaths(c.Spec, files.Dir(c.Dir))
	}
}

// withPaths returns a specification with whole paths of files, which are relative to dir.
func withPaths(spec json.RawMessage, dir files.Dir) json.RawMessage {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				if name, is := value.(string); is && name != "" && (key == "code_object" || key == "file") {
					v[key] = dir.Path(name)
				}
				walk(value)
			}
		case []any:
			for _, value := range v {
				walk(value)
			}
		}
	}
	var all any
	d := json.NewDecoder(bytes.NewReader(spec))
	d.UseNumber()
	if d.Decode(&all) != nil {
		return spec
	}
	walk(all)
	return marshal(all)
}

// results calls f with the results in a directory, in the order of its files. If a case has several, f gets the first
// one, as long as the caller passes the same seen. A line that is cut off, as a killed process leaves one, is as if it
// were not there.
func results(dir string, seen map[uint64]bool, f func(*Result)) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return err
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		err = files.Lines(file, maxMessage, "{", func(line []byte, err error) error {
			var r Result
			if err == nil && json.Unmarshal(line, &r) == nil && r.Case != "" {
				if id := sum64(r.Case); !seen[id] {
					seen[id] = true
					f(&r)
				}
			}
			return nil
		})
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// lineOf returns v as a line of JSON.
func lineOf(v any) []byte { return append(marshal(v), '\n') }
