package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// maxCode is the greatest number of instructions of a kernel that the page lists.
const maxCode = 4000

// member returns the code object in a file: the first one if the file is a bundle, an archive or a program with
// several.
func member(data []byte) ([]byte, error) {
	if !codeobj.IsObject(data) {
		return data, nil // the text of a code object
	}
	members, err := codeobj.CodeObjects(data, "")
	switch {
	case err != nil:
		return nil, err
	case len(members) == 0:
		return nil, errors.New("it holds no code object for a GCN processor")
	}
	return members[0].Data, nil
}

// openObject lists the kernels of a code object.
func openObject(data []byte) (any, error) {
	data, err := member(data)
	if err != nil {
		return nil, err
	}
	o, err := codeobj.Parse(data)
	if err != nil {
		return nil, err
	}
	a := &openAnswer{Target: o.Target.String(), Kernels: []kernel{}}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		x := kernel{Name: k.Name, VGPRs: k.VGPRs, SGPRs: k.SGPRs, LDS: k.GroupBytes, Scratch: k.PrivateBytes}
		for _, arg := range k.Args {
			if !arg.Hidden {
				x.Args = append(x.Args, argument{arg.Name, arg.TypeName, arg.ValueKind, arg.Offset, arg.Size})
			}
		}
		x.list(o, k)
		a.Kernels = append(a.Kernels, x)
	}
	return a, nil
}

// list sets the listing of k, with source lines.
func (x *kernel) list(o *codeobj.Object, k *codeobj.Kernel) {
	x.Code = []codeLine{}
	at := slices.IndexFunc(o.Functions, func(s codeobj.Symbol) bool { return s.VAddr == k.Entry })
	if at < 0 {
		return
	}
	data, ok := o.Bytes(k.Entry, o.Functions[at].Size)
	if !ok {
		return
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	last := ""
	for d := range asm.Disassemble(o.Target, words) {
		if len(x.Code) == maxCode {
			x.More++
			continue
		}
		line := codeLine{PC: d.Offset}
		if d.Err != nil {
			line.Text = fmt.Sprintf(".long 0x%08x", words[d.Offset/4])
		} else {
			line.Text = asm.Format(d.Inst, asm.LLVM)
		}
		if file, n := o.Line(k.Entry + uint64(d.Offset)); file != "" {
			if source := path.Base(file) + ":" + strconv.Itoa(n); source != last {
				line.Source, last = source, source
			}
		}
		x.Code = append(x.Code, line)
	}
}

// taken are the request keys that a scenario supports, or that only affect the answer.
var taken = []string{"asm", "check", "dump", "id", "max_instructions", "mcpu", "rules", "sgpr", "waves"}

// openRequest converts a request of exec to a scenario, as far as scenarios support it.
func openRequest(text []byte) (any, error) {
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("it begins as JSON and is not: %w", err)
	}
	if spec.IsSpec(keys) {
		dispatch, err := spec.ParseDispatch(text)
		if err != nil {
			return nil, err
		}
		return &openAnswer{Object: path.Base(dispatch.Name)}, nil
	}
	req, err := spec.ParseExec(text)
	if err != nil {
		return nil, err
	}
	if req.Asm == "" && (req.Words == nil || len(req.Words) > 0) {
		return nil, errors.New("the request has no asm: gcnsim run takes words")
	}
	s := &Scenario{Asm: req.Asm, SGPRs: map[string][]Word{}}
	if err := json.Unmarshal(text, &struct {
		MCPU  *string `json:"mcpu"`
		Rules *string `json:"rules"`
		Waves *int    `json:"waves"`
	}{&s.MCPU, &s.Rules, &s.Waves}); err != nil {
		return nil, err
	}
	for first, values := range req.SGPRs {
		for _, v := range values {
			s.SGPRs[strconv.Itoa(first)] = append(s.SGPRs[strconv.Itoa(first)], Word(v))
		}
	}
	a := &openAnswer{Scenario: s}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(taken, key) {
			a.LeftOut = append(a.LeftOut, key)
		}
	}
	return a, nil
}
