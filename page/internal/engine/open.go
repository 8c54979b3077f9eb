package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/specjson"
	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// openCall is a file of which the page asks what it is.
type openCall struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// openAnswer is a code object, or what the playground takes of a program or a request.
type openAnswer struct {
	Target   string    `json:"target,omitempty"`
	Kernels  []kernel  `json:"kernels,omitempty"`
	Scenario *Scenario `json:"scenario,omitempty"`
	LeftOut  []string  `json:"left_out,omitempty"` // keys of the request that a scenario has no place for
}

// kernel is a kernel of a code object.
type kernel struct {
	Name    string     `json:"name"`
	Args    []argument `json:"args,omitempty"` // those that a caller gives
	VGPRs   int        `json:"vgprs"`
	SGPRs   int        `json:"sgprs"`
	LDS     uint32     `json:"lds"`     // bytes of a work-group
	Scratch uint32     `json:"scratch"` // bytes of a lane
	Code    []codeLine `json:"code"`
	More    int        `json:"more,omitempty"` // instructions that are not in Code
}

// argument is an argument of a kernel.
type argument struct {
	Name   string `json:"name,omitempty"`
	Type   string `json:"type,omitempty"`
	Kind   string `json:"kind"`
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
}

// codeLine is an instruction, at a byte of its kernel.
type codeLine struct {
	PC     int    `json:"pc"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"` // file and line, where they differ from those of the instruction before
}

// maxCode is how many instructions of a kernel the page lists.
const maxCode = 4000

// open answers what a file is.
func open(c *openCall) (any, error) {
	switch data := bytes.TrimSpace(c.Data); {
	case len(data) == 0:
		return nil, errors.New("the file is empty")
	case codeobj.IsObject(c.Data):
		members, err := codeobj.CodeObjects(c.Data, "")
		if err != nil {
			return nil, err
		}
		if len(members) == 0 {
			return nil, errors.New("it holds no code object for a GCN processor")
		}
		return openObject(members[0].Data)
	case codeobj.IsAssembly(c.Data):
		return openObject(c.Data)
	case data[0] == '{':
		return openRequest(data)
	case !utf8.Valid(data):
		return nil, errors.New("it is no code object, program, request or record")
	default:
		return &openAnswer{Scenario: &Scenario{MCPU: "fiji", Asm: string(c.Data)}}, nil
	}
}

// openObject lists the kernels of a code object.
func openObject(data []byte) (any, error) {
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

// list lists the instructions of k with the lines of their source.
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

// taken are the keys of a request that a scenario has a place for, or that only say what an answer shows.
var taken = []string{"asm", "check", "dump", "id", "max_instructions", "mcpu", "rules", "sgpr", "waves"}

// openRequest takes what a scenario has a place for from a request of exec.
func openRequest(text []byte) (any, error) {
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("it begins as JSON and is not: %w", err)
	}
	if specjson.IsSpec(keys) {
		return nil, errors.New("it is the specification of a dispatch, which names files that a page cannot read: drop " +
			"its code object here, or make a record with gcnsim run --report")
	}
	req, err := specjson.ParseExec(text)
	if err != nil {
		return nil, err
	}
	if req.Asm == nil {
		return nil, errors.New("the request has no asm: gcnsim run takes words")
	}
	s := &Scenario{MCPU: req.MCPU, Asm: *req.Asm, SGPRs: map[string][]Word{}}
	if err := json.Unmarshal(text, &struct {
		Rules *string `json:"rules"`
		Waves *int    `json:"waves"`
	}{&s.Rules, &s.Waves}); err != nil {
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
