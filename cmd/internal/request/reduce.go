package request

import (
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// ReduceRequest reduces the input of two programs that differ.
type ReduceRequest struct {
	Spec []byte // specification of the dispatch
	Name string // file name of the specification, to which its files are relative
	A, B string // code objects, relative to the working directory
	// Uses are the files that the caller reads and writes. It is an error if the specification reads a file that the
	// caller writes. It may be nil.
	Uses *files.Uses
	verdict.DiffOptions
}

// ErrSame says that the programs do not differ.
var ErrSame = errors.New("both programs do the same on this input; give one on which they differ, or --seeds for more")

// Run returns the specification of the smallest input that [verdict.Reduce] finds. The error is [ErrSame], a
// *[spec.RequestError], a *[FlagError], a *[crash.Error] or an error of [verdict.Reduce].
func (r *ReduceRequest) Run(ctx context.Context) (text []byte, err error) {
	defer crash.Guard(&err)
	d := &DiffRequest{DiffOptions: r.DiffOptions}
	if d.A, err = parseProgram(r.Spec, r.Name, r.A); err != nil {
		return nil, err
	}
	if d.B, err = parseProgram(r.Spec, r.Name, r.B); err != nil {
		return nil, err
	}
	if err := claimReads(d.A.Request, r.Uses, files.Dir(filepath.Dir(r.Name))); err != nil {
		return nil, err
	}
	a, b, err := d.dispatches()
	if err != nil {
		return nil, err
	}
	small, err := verdict.Reduce(ctx, a, b, &r.DiffOptions)
	if errors.Is(err, verdict.ErrSame) {
		return nil, ErrSame
	}
	if err != nil {
		return nil, err
	}
	return withInput(r.Spec, small)
}

// withInput replaces the input of a specification by that of small: grid, numbers and buffers. The rest of the text
// is unchanged.
func withInput(text []byte, small *spec.Dispatch) ([]byte, error) {
	var keys map[string]json.RawMessage
	var written struct {
		Args []map[string]json.RawMessage `json:"args"`
	}
	if err := errors.Join(json.Unmarshal(text, &keys), json.Unmarshal(text, &written)); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for key, raw := range keys {
		out[key] = raw
	}
	for _, key := range []string{"dump", "expect", "check", "check_options", "suppressions"} {
		delete(out, key)
	}
	args := make([]any, len(small.Args))
	for i, arg := range small.Args {
		args[i] = written.Args[i]
		switch {
		case arg.U32 != nil:
			args[i] = map[string]uint32{"u32": *arg.U32}
		case arg.U64 != nil:
			args[i] = map[string]uint64{"u64": *arg.U64}
		case arg.Buffer != nil:
			b, err := reducedBuffer(written.Args[i]["buffer"], arg.Buffer)
			if err != nil {
				return nil, err
			}
			args[i] = map[string]any{"buffer": b}
		}
	}
	out["args"], out["grid"], out["workgroup"] = args, small.Grid, small.Group
	text, err := json.MarshalIndent(out, "", " ")
	return append(text, '\n'), err
}

// reducedBuffer returns the buffer in text with the content of small.
func reducedBuffer(text []byte, small *spec.Buffer) (map[string]any, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	b := map[string]any{}
	for _, key := range []string{"addr", "noinit", "parts"} {
		if raw, given := keys[key]; given {
			b[key] = raw
		}
	}
	if b["size"] = small.Size; len(small.Data) > 0 {
		b["hex"] = hex.EncodeToString(small.Data)
	}
	return b, nil
}

// WriteReduced writes a specification to a file, completely or not at all.
func WriteReduced(name string, text []byte) error {
	return files.Dir(filepath.Dir(name)).WriteFile(filepath.Base(name), text)
}
