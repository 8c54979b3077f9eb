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
	failed   = "failed"  // an error, a fault, or an unexpected value
	differs  = "differs" // the outputs of the two programs of a diff differ
	found    = "found"   // findings of at least the requested severity
	hung     = "hung"    // it exceeded the limit of instructions or time
	tooLarge = "memory"  // the process exceeded its memory limit
	crashed  = "crashed" // the process ended
	broken   = "no case" // the line is malformed
)

// Result is the result of a case, a line in a results file. It contains no times, so it is the same in every
// execution.
type Result struct {
	Case         string   `json:"case"`
	Status       string   `json:"status"`
	Instructions uint64   `json:"instructions,omitempty"`
	Ran          []string `json:"ran,omitempty"` // executed instructions that earlier lines of the file do not list

	// The following fields are set for cases that are not ok.
	Bucket  string          `json:"bucket,omitempty"`
	Message string          `json:"message,omitempty"`
	Kind    string          `json:"kind,omitempty"` // exec, dispatch or diff
	Pair    []string        `json:"pair,omitempty"`
	Spec    json.RawMessage `json:"spec,omitempty"` // with absolute paths
}

// fail sets the failure of a case, with all that is needed to execute it again.
func (r *Result) fail(c *Case, status, bucket, message string) {
	r.Status, r.Bucket, r.Message, r.Kind, r.Pair = status, bucket, message, c.Kind, c.Pair
	if c.Spec != nil {
		r.Spec = withPaths(c.Spec, files.Dir(c.Dir))
	}
}

// withPaths makes the file paths in a specification absolute. They are relative to dir.
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

// results calls f for the results in a directory, in the order of its files. seen makes f receive only the first
// result of each case. A truncated last line, which a killed process may leave, is ignored.
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

// lineOf formats v as a line of JSON.
func lineOf(v any) []byte { return append(marshal(v), '\n') }
