package request

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// DiffProgram is one of two programs to compare: a dispatch, and the directory of its files.
type DiffProgram struct {
	Request *spec.Dispatch
	Files   spec.Files
}

// DiffRequest compares two programs.
type DiffRequest struct {
	A, B DiffProgram
	verdict.DiffOptions
}

// errSeeds says that seeds have no effect.
var errSeeds = &FlagError{"seeds", errors.New("more than one seed is asked for, but no buffer has random data; " +
	"give a buffer random, or leave --seeds out")}

// Run compares the programs. The error is a *[FlagError], a *[crash.Error] or an error of [verdict.Diff].
func (r *DiffRequest) Run(ctx context.Context) (res *verdict.Comparison, err error) {
	defer crash.Guard(&err)
	a, b, err := r.dispatches()
	if err != nil {
		return nil, err
	}
	return verdict.Diff(ctx, a, b, &r.DiffOptions)
}

// dispatches returns copies of both dispatches. It refuses seeds that have no effect.
func (r *DiffRequest) dispatches() (a, b *spec.Dispatch, err error) {
	if r.Seeds > 1 && !r.A.Request.IsRandom() && !r.B.Request.IsRandom() {
		return nil, nil, errSeeds
	}
	if r.Objects == nil {
		r.Objects = &sim.ObjectCache{}
	}
	if a, err = r.A.Request.Read(r.A.Files, r.Objects); err != nil {
		return nil, nil, err
	}
	b, err = r.B.Request.Read(r.B.Files, r.Objects)
	return a, b, err
}

// parseProgram parses the specification in file name; its files are relative to name. If object is not "", it
// replaces the specification's code object, and is relative to the working directory.
func parseProgram(text []byte, name, object string) (p DiffProgram, err error) {
	if codeobj.IsObject(text) {
		return p, fmt.Errorf("%s: it is an object; write a specification of the dispatch and give it with --spec: "+
			"gcnsim diff --spec=S.json A.o B.o, "+
			`where S.json is {"code_object":"A.o","kernel":"NAME","grid":[1024],"args":[{"buffer":{"size":4096,"random":1}},`+
			`{"u32":1000}]}`, name)
	}
	if keys := (map[string]json.RawMessage)(nil); json.Unmarshal(text, &keys) == nil {
		for _, key := range []string{"asm", "words"} {
			if _, bare := keys[key]; bare {
				return p, fmt.Errorf("%s: %s is of a request of exec; give a specification of a dispatch, with code_object "+
					"and kernel", name, key)
			}
		}
	}
	req, err := spec.ParseDispatch(text)
	if err != nil {
		return p, Located(name, err)
	}
	p = DiffProgram{Request: req, Files: files.Dir(filepath.Dir(name))}
	if object != "" {
		if req.Name, err = filepath.Abs(object); err != nil {
			return p, fmt.Errorf("%s: %w", object, err)
		}
	}
	return p, nil
}

// compileIt says how to compile a source file to an object. It returns "" if the name is not that of a source file.
func compileIt(name string) string {
	const clang = "clang -target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -O2 -c "
	object := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) + ".o"
	switch filepath.Ext(name) {
	case ".cl":
		return fmt.Sprintf("; compile it: %s-cl-std=CL2.0 -Xclang -finclude-default-header %s -o %s", clang, name, object)
	case ".ll", ".bc":
		return fmt.Sprintf("; compile it: %s%s -o %s", clang, name, object)
	case ".hip":
		return fmt.Sprintf("; compile it: hipcc --offload-arch=gfx900 --cuda-device-only -c %s -o %s", name, object)
	}
	return ""
}

// DiffFiles returns the comparison of two files. They are specifications, or, if dispatch is not "", code objects for
// the specification dispatch.
func DiffFiles(read func(name string) ([]byte, error), dispatch, a, b string) (r *DiffRequest, err error) {
	from, objects := [2]string{a, b}, [2]string{}
	if dispatch != "" {
		from, objects = [2]string{dispatch, dispatch}, from
	}
	var texts [2][]byte
	for i, name := range from { // report missing files first
		if texts[i], err = read(name); err != nil {
			return nil, err
		}
	}
	for i, name := range from {
		if text := bytes.TrimSpace(texts[i]); dispatch == "" && !codeobj.IsObject(text) && !bytes.HasPrefix(text, []byte("{")) {
			return nil, fmt.Errorf("%s: it is neither a code object, nor an assembly text with a kernel, nor a specification "+
				"in JSON%s", name, cmp.Or(map[bool]string{true: ": it is empty"}[len(text) == 0], compileIt(name)))
		}
	}
	r = &DiffRequest{}
	if r.A, err = parseProgram(texts[0], from[0], objects[0]); err != nil {
		return nil, err
	}
	r.B, err = parseProgram(texts[1], from[1], objects[1])
	return r, err
}
