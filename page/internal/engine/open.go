package engine

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// openCall is a file that the page wants to identify.
type openCall struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// openAnswer is a code object, a specification of a dispatch, or what the playground takes of a program or a request.
type openAnswer struct {
	Target   string    `json:"target,omitempty"`
	Kernels  []kernel  `json:"kernels,omitempty"`
	Scenario *Scenario `json:"scenario,omitempty"`
	LeftOut  []string  `json:"left_out,omitempty"` // keys of the request that a scenario has no place for
	Object   string    `json:"object,omitempty"`   // the file that a specification of a dispatch names
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

// launchesCall asks for launches of a kernel of a code object, the file of a name.
type launchesCall struct {
	Name   string `json:"name"`
	Data   []byte `json:"data"`
	Kernel string `json:"kernel"`
}

// launchesAnswer are launches as specifications of dispatches.
type launchesAnswer struct {
	Specs []string `json:"specs"`
	Left  []string `json:"left,omitempty"` // why launches could not be made
}

// dispatchCall asks to run a specification. Files are the files that it may name, by their base names.
type dispatchCall struct {
	Spec  string            `json:"spec"`
	Files map[string][]byte `json:"files"`
}

// open answers what a file is.
func open(c *openCall) (any, error) {
	switch data := bytes.TrimSpace(c.Data); {
	case len(data) == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(c.Data, []byte("\x7fELF")), bytes.HasPrefix(c.Data, []byte("__CLANG_OFFLOAD_BUNDLE__")),
		bytes.HasPrefix(c.Data, []byte("!<arch>")), bytes.Contains(c.Data, []byte(".amdhsa_kernel")):
		return openObject(c.Data)
	case data[0] == '{':
		return openRequest(data)
	case !utf8.Valid(data):
		return nil, errors.New("it is no code object, program, request or record")
	default:
		return &openAnswer{Scenario: &Scenario{MCPU: "fiji", Asm: string(c.Data)}}, nil
	}
}
