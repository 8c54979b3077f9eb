package engine

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// openCall has a file of unknown kind.
type openCall struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// openAnswer is a code object, a dispatch specification, or the scenario for a program or a request.
type openAnswer struct {
	Target   string    `json:"target,omitempty"`
	Kernels  []kernel  `json:"kernels,omitempty"`
	Scenario *Scenario `json:"scenario,omitempty"`
	LeftOut  []string  `json:"left_out,omitempty"` // request keys that a scenario does not support
	Object   string    `json:"object,omitempty"`   // code object that a dispatch specification names
}

// kernel is a kernel of a code object.
type kernel struct {
	Name    string     `json:"name"`
	Args    []argument `json:"args,omitempty"` // arguments that a caller passes
	VGPRs   int        `json:"vgprs"`
	SGPRs   int        `json:"sgprs"`
	LDS     uint32     `json:"lds"`     // LDS bytes of a work-group
	Scratch uint32     `json:"scratch"` // scratch bytes of a lane
	Code    []codeLine `json:"code"`
	More    int        `json:"more,omitempty"` // number of instructions that are not in Code
}

// argument is an argument of a kernel.
type argument struct {
	Name   string `json:"name,omitempty"`
	Type   string `json:"type,omitempty"`
	Kind   string `json:"kind"`
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
}

// codeLine is an instruction, with its byte offset in the kernel.
type codeLine struct {
	PC     int    `json:"pc"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"` // file and line, if different from the previous instruction's
}

// launchesCall asks for launches of a kernel in a code object. It has the name and the content of its file.
type launchesCall struct {
	Name   string `json:"name"`
	Data   []byte `json:"data"`
	Kernel string `json:"kernel"`
}

// launchesAnswer has launches as dispatch specifications.
type launchesAnswer struct {
	Specs []string `json:"specs"`
	Left  []string `json:"left,omitempty"` // reasons why launches could not be derived
}

// dispatchCall asks to execute a specification. Files are the files that it may name, by base name.
type dispatchCall struct {
	Spec  string            `json:"spec"`
	Files map[string][]byte `json:"files"`
}

// open detects the kind of a file.
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
