// Package engine implements the calls from the page to the library: each has a name, a JSON request and a JSON
// answer. The static page runs it as WebAssembly in a worker; package page serves the same calls over HTTP.
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

// Engine answers calls. It has no state and is safe for concurrent use.
type Engine struct {
	// Progress is called repeatedly, and at the end, with the number of instructions that were executed. It may be
	// nil.
	Progress func(executed uint64)
	// Course has the lessons; if it is nil, the built-in lessons are used.
	Course []Lesson
}

// lessons returns the lessons. Those with HideAnswers have no answers.
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

// CallError says that no call has that name.
type CallError struct{ Name string }

// Error returns a message with the name.
func (e *CallError) Error() string { return fmt.Sprintf("there is no call %q", e.Name) }

// MaxCall is the greatest size of a call's body in bytes.
const MaxCall = 32 << 20

// Call answers a call: info, handbook, lessons, check, describe, open, launches, dispatch, compile or run. The error
// says that the name or the body is wrong. An error in a user's program is part of the answer.
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

// with decodes the body and calls f.
func with[T any](body []byte, f func(*T) (any, error)) (any, error) {
	in := new(T)
	if err := json.Unmarshal(body, in); err != nil {
		return nil, fmt.Errorf("the call: %w", err)
	}
	return f(in)
}

// compileAnswer has the initial registers of a scenario.
type compileAnswer struct {
	Request struct {
		SGPR map[int][]Word `json:"sgpr"`
	} `json:"request"`
}

// compile returns the initial registers of a scenario, whose descriptors the page explains.
func compile(s *Scenario) (any, error) {
	a := &compileAnswer{}
	a.Request.SGPR = map[int][]Word{}
	if _, err := r600.ParseFamily(s.MCPU); err == nil { // chips older than GCN have no descriptors
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

// info returns the chips, formats and names that the page offers.
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

// checkCall asks whether a text can be assembled.
type checkCall struct {
	MCPU string `json:"mcpu"`
	Asm  string `json:"asm"`
	// Rules is the rule set, see [Scenario]. It may allow other mnemonics.
	Rules string `json:"rules"`
	// Names also asks for the list of mnemonics.
	Names bool `json:"names"`
}

// textError is an error in a text, with its location.
type textError struct {
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
}

// checkAnswer has the first error in a text, if any.
type checkAnswer struct {
	Errors []textError `json:"errors"`
	Names  []string    `json:"names,omitempty"`
}

// assembles checks whether a text can be assembled.
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
