package job

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/gcnsim/gcnsim/internal/files"
	"github.com/gcnsim/gcnsim/internal/listing"
)

// parseProgram reads the specification text of the file name, whose files are relative to it.
// object, if not "", is the code object in place of its own, relative to the working directory.
func parseProgram(text []byte, name, object string) (p DiffProgram, err error) {
	if listing.IsObject(text) {
		return p, fmt.Errorf("%s: it is an object; write a specification of the dispatch and give it with --spec: gcnsim diff --spec=S.json A.o B.o, "+
			`where S.json is {"code_object":"A.o","kernel":"NAME","grid":[1024],"args":[{"buffer":{"size":4096,"random":1}},{"u32":1000}]}`, name)
	}
	if keys := (map[string]json.RawMessage)(nil); json.Unmarshal(text, &keys) == nil {
		for _, key := range []string{"asm", "words"} {
			if _, bare := keys[key]; bare {
				return p, fmt.Errorf("%s: %s is of a request of exec; give a specification of a dispatch, with code_object and kernel", name, key)
			}
		}
	}
	req, err := ParseDispatch(text)
	if err != nil {
		return p, Located(name, err)
	}
	p = DiffProgram{Request: req, Files: files.Dir(filepath.Dir(name))}
	if object != "" {
		if req.CodeObject, err = filepath.Abs(object); err != nil {
			return p, fmt.Errorf("%s: %w", object, err)
		}
	}
	return p, nil
}

// DiffFiles is the comparison of the programs that two files name: specifications, or with
// spec, a specification, code objects that take the place of its own.
func DiffFiles(read func(name string) ([]byte, error), spec, a, b string) (r *DiffRequest, err error) {
	r = &DiffRequest{}
	for i, name := range []string{a, b} {
		from, object := name, ""
		if spec != "" {
			from, object = spec, name
		}
		text, err := read(from)
		if err != nil {
			return nil, err
		}
		if *[2]*DiffProgram{&r.A, &r.B}[i], err = parseProgram(text, from, object); err != nil {
			return nil, err
		}
	}
	return r, nil
}
