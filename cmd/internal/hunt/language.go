package hunt

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/assembly"
	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/cmd/internal/hunt/ir"
	"github.com/gcnsim/gcnsim/cmd/internal/hunt/source"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// program is a random kernel.
type program struct {
	*language
	edge.Origin
	groups, group int // number of work-groups, and work-items of each
	input         []byte
	output        int    // bytes of output
	body          string // the part of the text that is reduced
	text          func(body string) string
	holds         func(body string) bool // whether a smaller body may be compiled
	// names the feature that a small body computes; nil if only objects show it
	signature func(body string) string
	// smaller bodies, each by one step; nil if only the text is known
	steps func(body string) iter.Seq[string]
	saved bool // its object is a dispatch in the format of `gcnsim gpu --save`
	// the text from which a variant was made, nil for other programs
	plain          func(body string) string
	hints          []verdict.Hint // launches of a user's kernels
	answer, strict func(ctx context.Context, dir, body string) ([]byte, error)
}

// language is a language in which kernels are written.
type language struct {
	suffix string // suffix of files, and the language's name in Markdown
	proof  string // how a program's right output is known
}

// anything accepts every body: the compiler decides whether it is a program.
func anything(string) bool { return true }

var (
	openCL = &language{suffix: "cl", proof: "what it must leave was computed by a compiler of the host from\n" +
		"the same text, compiled with `-fsanitize=undefined,address`, too"}
	glsl = &language{suffix: "comp", proof: "what it must leave was computed by a compiler of the host from\n" +
		"the same program in C, compiled with `-fsanitize=undefined,address`, too"}
	assembler = &language{suffix: "s", proof: "what it must leave is what it leaves as gcnsim assembles it for gfx900"}
	llvmIR    = &language{suffix: "ll", proof: "what it must leave was computed from the text, with poison and\n" +
		"undefined behaviour tracked"}
)

// kernelName is the name of every kernel, in all languages.
const kernelName = source.Name

// program returns the program for a seed, with its expected output.
func (h *Hunt) program(seed uint64) *program {
	if h.Kernels != "" {
		return h.variant(seed)
	}
	from := h.origin(seed)
	if h.IR {
		k, _ := ir.New(from)
		run := func(_ context.Context, _, body string) ([]byte, error) {
			out, err := k.Run(body)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errUndefined, err)
			}
			return out, nil
		}
		return &program{language: llvmIR, Origin: from, groups: k.Groups, group: ir.Lanes, input: k.Input,
			output: k.Output(), body: k.Body, text: k.Text, answer: run, strict: run, steps: ir.Simpler, signature: ir.Signature,
			holds: func(body string) bool { _, err := k.Run(body); return err == nil }}
	}
	if h.Assembly {
		k := assembly.New(from)
		p := &program{language: assembler, Origin: from, groups: k.Groups, group: assembly.Lanes, input: k.Input,
			output: k.Output(), body: k.Body, text: k.Text, holds: anything}
		p.answer = func(ctx context.Context, dir, body string) ([]byte, error) { return assembled(ctx, dir, p, body) }
		p.strict = p.answer
		return p
	}
	k := source.New(from, h.GLSL)
	p := &program{language: openCL, Origin: from, groups: k.Groups, group: k.Group, input: k.Input, output: k.Output(),
		body: k.Body, text: k.Text, holds: func(body string) bool { return strings.Contains(body, source.Name+"(") },
		answer: func(ctx context.Context, dir, body string) ([]byte, error) {
			return h.onHost(ctx, dir, k, body, hostFlags, "")
		},
		strict: func(ctx context.Context, dir, body string) ([]byte, error) {
			return h.onHost(ctx, dir, k, body, strictFlags, reverse)
		}}
	if h.GLSL {
		p.language, p.text, p.saved = glsl, k.GLSL, true
	}
	return p
}

// complete adds default options to a compiler command of one word, and default values for {O} and {cpu}.
func (h *Hunt) complete() {
	options := " -x cl --target=amdgcn-amd-amdhsa -nogpulib -w -mcpu={cpu} {O} -c"
	levels, chip := []string{"-O0", "-O2"}, "gfx900"
	switch {
	case h.GLSL:
		levels, chip = Compilers, "vega10"
		if len(h.CC) == 0 {
			h.CC = []string{Vulkan}
		}
	case h.Assembly:
		options, levels = " -x assembler --target=amdgcn-amd-amdhsa -mcpu={cpu} -c", nil
	case h.IR:
		options = " {O} -mcpu={cpu} -filetype=obj"
	}
	for i, command := range h.CC {
		if !strings.ContainsAny(command, " {") && !h.GLSL && h.Kernels == "" {
			h.CC[i] += options
		}
	}
	for _, all := range []struct {
		values *[]string
		here   string
		all    []string
	}{{&h.Levels, levelHere, levels}, {&h.Chips, cpuHere, []string{chip}}} {
		named := func(command string) bool { return strings.Contains(command, all.here) }
		if len(*all.values) == 0 && slices.ContainsFunc(h.CC, named) {
			*all.values = all.all
		}
	}
}

// file returns the name of the program's file.
func (l *language) file() string { return "program." + l.suffix }

// original returns the name of the file with the program before its reduction.
func (l *language) original() string { return "original." + l.suffix }

// plainFile returns the name of the file from which a variant was made.
func (l *language) plainFile() string { return "plain." + l.suffix }
