// Package engine holds the calls of the page to the library: by name, JSON in and JSON out.
// The page runs it as WebAssembly in a worker, package page serves the same calls to a page
// that it has served.
package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// Engine answers calls. It keeps nothing between them and may be used by several at a time.
type Engine struct {
	// Progress, if not nil, is told now and then, and at the end, how many instructions a run has
	// executed.
	Progress func(executed uint64)
	// Course has the lessons; if it is nil, the built-in lessons are used.
	Course []Lesson
}

// lessons returns the lessons, without the answers of those that keep them back.
func (e *Engine) lessons() (list []Lesson, err error) {
	if list = slices.Clone(e.Course); e.Course == nil {
		list, err = Lessons()
	}
	for i := range list {
		l := &list[i]
		if !l.HideAnswers {
			continue
		}
		l.Answer, l.Exercises = "", slices.Clone(l.Exercises)
		for k := range l.Exercises {
			l.Exercises[k].Solution, l.Exercises[k].Hint = WhatIf{}, ""
		}
	}
	return list, err
}

// CallError says that there is no call of a name.
type CallError struct{ Name string }

// Error names it.
func (e *CallError) Error() string { return fmt.Sprintf("there is no call %q", e.Name) }

// MaxCall is how many bytes the body of a call may have.
const MaxCall = 32 << 20

// Call answers a call: info, handbook, lessons, check, describe, open, launches, dispatch, compile or run. The error
// says what is wrong with the name or the body; what is wrong with a program is in the answer.
func (e *Engine) Call(ctx context.Context, name string, body []byte) (answer []byte, err error) {
	ctx = contexts.Given(ctx)
	defer crash.Guard(&err)
	if len(body) > MaxCall {
		return nil, &SizeError{fmt.Sprintf("the call has %d bytes, more than %d MiB", len(body), MaxCall>>20)}
	}
	var out any
	switch name {
	case "info":
		out = info()
	case "handbook":
		out = handbook.Chapters()
	case "lessons":
		out, err = e.lessons()
	case "check":
		out, err = with(body, assembles)
	case "describe":
		out, err = with(body, describe)
	case "open":
		out, err = with(body, open)
	case "launches":
		out, err = with(body, func(c *launchesCall) (any, error) { return launches(ctx, c) })
	case "dispatch":
		out, err = with(body, func(c *dispatchCall) (any, error) { return e.dispatch(ctx, c) })
	case "compile":
		out, err = with(body, compile)
	case "run":
		out, err = with(body, func(s *Scenario) (any, error) { return e.run(ctx, s) })
	default:
		err = &CallError{name}
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// with calls f with the body.
func with[T any](body []byte, f func(*T) (any, error)) (any, error) {
	in := new(T)
	if err := json.Unmarshal(body, in); err != nil {
		return nil, fmt.Errorf("the call: %w", err)
	}
	return f(in)
}

// compileAnswer holds the values that a scenario gives registers.
type compileAnswer struct {
	Request struct {
		SGPR map[int][]Word `json:"sgpr"`
	} `json:"request"`
}

// compile answers what a scenario gives registers: the descriptors that the page explains.
func compile(s *Scenario) (any, error) {
	a := &compileAnswer{}
	a.Request.SGPR = map[int][]Word{}
	if _, err := r600.ParseFamily(s.MCPU); err == nil { // there are no descriptors before GCN
		return a, nil
	}
	program, err := s.exec()
	if err != nil {
		return nil, err
	}
	for first, values := range program.SGPRs {
		for _, v := range values {
			a.Request.SGPR[first] = append(a.Request.SGPR[first], Word(v))
		}
	}
	return a, nil
}

// chipInfo is a chip that the page offers.
type chipInfo struct {
	Name   string `json:"name"`
	Target string `json:"target"`
	Gen    string `json:"gen"`
}

// info returns what the page offers.
func info() any {
	var chips []chipInfo
	for _, name := range timing.Presets() {
		if c := chip.Lookup(name); c != nil {
			chips = append(chips, chipInfo{name, c.Target.String(), c.Target.Gen().String()})
		}
	}
	for _, name := range beforeChips {
		if family, err := r600.ParseFamily(name); err == nil {
			chips = append(chips, chipInfo{name, family.String(), "before GCN"})
		}
	}
	rules := []string{state.SeedRules.String(), state.DriverRules.String(), state.RDNARules.String()}
	return map[string]any{"chips": chips, "rules": rules}
}

// checkCall asks whether a text assembles.
type checkCall struct {
	MCPU string `json:"mcpu"`
	Asm  string `json:"asm"`
	// Rules are the rules of a [Scenario]: with some of them texts may have other mnemonics.
	Rules string `json:"rules"`
	// Names asks for the mnemonics, too.
	Names bool `json:"names"`
}

// textError says what is wrong with a text, and where.
type textError struct {
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
}

// checkAnswer says what is wrong with a text: at most the first error.
type checkAnswer struct {
	Errors []textError `json:"errors"`
	Names  []string    `json:"names,omitempty"`
}

// assembles answers whether a text assembles.
func assembles(c *checkCall) (any, error) {
	if family, err := r600.ParseFamily(c.MCPU); err == nil {
		return checkBefore(family, c.Asm)
	}
	target, err := chip.ParseTarget(c.MCPU)
	if err != nil {
		return nil, err
	}
	if err := fits(c.Asm); err != nil {
		return nil, err
	}
	a := checkAnswer{Errors: []textError{}}
	rules, err := spec.ParseRules(c.Rules)
	if err != nil {
		return nil, err
	}
	assemble := func() (*asm.Program, error) { return asm.Assemble(target, c.Asm, asm.LLVM) }
	if rules == state.RDNARules {
		assemble = func() (*asm.Program, error) { return asm.AssembleWith(target, c.Asm, &asm.Options{RDNA: true}) }
	}
	if _, err := assemble(); err != nil {
		a.Errors = append(a.Errors, textErrorOf(err))
	}
	if c.Names {
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			name := isa.RowOf(op).Name
			if _, err := isa.Lookup(name, target); err == nil {
				a.Names = append(a.Names, name)
			}
		}
	}
	return &a, nil
}

func textErrorOf(err error) textError {
	if e := (*asm.Error)(nil); errors.As(err, &e) {
		return textError{e.Line, e.Col, e.What}
	}
	return textError{1, 1, err.Error()}
}
