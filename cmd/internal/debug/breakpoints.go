package debug

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/gcnsim/gcnsim/state"
)

// answerBreakpoints answers requests that set or describe breakpoints.
func (s *server) answerBreakpoints(r dap.RequestMessage) (any, error) {
	switch r := r.(type) {
	case *dap.SetBreakpointsRequest:
		return dap.SetBreakpointsResponseBody{Breakpoints: s.setLines(&r.Arguments)}, nil
	case *dap.SetInstructionBreakpointsRequest:
		body := dap.SetInstructionBreakpointsResponseBody{Breakpoints: []dap.Breakpoint{}}
		s.sources[""] = map[uint64][]*breakpoint{}
		for _, b := range r.Arguments.Breakpoints {
			var pcs []uint64
			if pc, err := pcOf(b.InstructionReference, b.Offset); err == nil && s.code.at(pc) != nil {
				pcs = append(pcs, pc)
			}
			body.Breakpoints = append(body.Breakpoints, s.set("", pcs, b.Condition))
		}
		return body, nil
	case *dap.DataBreakpointInfoRequest:
		v, w, err := s.watched(&r.Arguments)
		switch {
		case err != nil:
			// A response without DataId says that no breakpoint is possible. Its description is the reason.
			return dap.DataBreakpointInfoResponseBody{Description: err.Error()}, nil //nolint:nilerr // it is the answer
		case v.get == nil:
			return dap.DataBreakpointInfoResponseBody{DataId: fmt.Sprint("0 ", v.name),
				Description: fmt.Sprintf("%d bytes of %s", v.size, v.name),
				AccessTypes: []dap.DataBreakpointAccessType{"read", "write", "readWrite"}}, nil
		}
		return dap.DataBreakpointInfoResponseBody{DataId: fmt.Sprint(w.ID, " ", v.name),
			Description: fmt.Sprintf("%s of wave %d", v.name, w.ID), AccessTypes: []dap.DataBreakpointAccessType{"write"}}, nil
	case *dap.SetDataBreakpointsRequest:
		return s.setWatches(r.Arguments.Breakpoints), nil
	case *dap.SetExceptionBreakpointsRequest:
		s.traps = slices.Contains(r.Arguments.Filters, "trap")
		s.findingsStop = slices.Contains(r.Arguments.Filters, "finding")
		return nil, nil
	}
	return s.answerState(r)
}

// set sets a breakpoint at one or more instructions of a source file.
func (s *server) set(source string, pcs []uint64, condition string) dap.Breakpoint {
	s.ids++
	if len(pcs) == 0 {
		return dap.Breakpoint{Id: s.ids, Message: "the kernel has no code there"}
	}
	for _, pc := range pcs {
		s.sources[source][pc] = append(s.sources[source][pc], &breakpoint{s.ids, condition})
	}
	return dap.Breakpoint{Id: s.ids, Verified: true, InstructionReference: fmt.Sprintf("0x%x", pcs[0])}
}

// setLines replaces the breakpoints of a source file.
func (s *server) setLines(a *dap.SetBreakpointsArguments) []dap.Breakpoint {
	file := a.Source.Path
	if a.Source.SourceReference != 0 {
		file = textName
	}
	s.sources[file] = map[uint64][]*breakpoint{}
	all := []dap.Breakpoint{}
	for _, b := range a.Breakpoints {
		line, pcs := s.code.starting(file, b.Line)
		answer := s.set(file, pcs, b.Condition)
		if answer.Line = line; line == 0 {
			answer.Line = b.Line
		}
		answer.Source = s.source(file)
		all = append(all, answer)
	}
	return all
}

// watched returns the register or memory that a client names, and the wave for which it is evaluated.
func (s *server) watched(a *dap.DataBreakpointInfoArguments) (*value, *state.Wave, error) {
	expression, w, err := s.nameOf(a.VariablesReference, a.Name, a.FrameId)
	if err != nil {
		return nil, nil, err
	}
	v, err := s.Evaluate(expression, w)
	if err == nil && v.name == "" {
		err = fmt.Errorf("%s is neither a register nor memory, as in *(u32*)0x1000 or lds(16)", expression)
	}
	return v, w, err
}

// setWatches replaces the data breakpoints. The id of a data breakpoint has the number of a wave and an expression.
func (s *server) setWatches(wanted []dap.DataBreakpoint) any {
	body := dap.SetDataBreakpointsResponseBody{Breakpoints: []dap.Breakpoint{}}
	s.watches = nil
	for _, b := range wanted {
		s.ids++
		answer := dap.Breakpoint{Id: s.ids}
		wave, expression, _ := strings.Cut(b.DataId, " ")
		id, err := strconv.Atoi(wave)
		if err != nil || id < 0 || id >= len(s.group.Waves()) {
			err = errors.New("this is not the id of data of this program")
		}
		v := &value{}
		if err == nil {
			v, err = s.Evaluate(expression, s.group.Waves()[id])
		}
		switch {
		case err != nil:
			answer.Message = err.Error()
		case b.Condition != "" || b.HitCondition != "":
			answer.Message = "data breakpoints have no conditions"
		default:
			s.watches = append(s.watches, &watchpoint{value: v, id: s.ids, wave: id, read: b.AccessType != "write",
				write: b.AccessType != "read"})
			answer.Verified = true
		}
		body.Breakpoints = append(body.Breakpoints, answer)
	}
	return body
}

// memoryAt returns the memory from an address to the end of the contiguous range.
func (d *Debugger) memoryAt(space state.Space, addr uint64) []byte {
	lds, gds, private, base := d.group.Storage()
	switch {
	case space == state.LDS:
		return lds[min(addr, uint64(len(lds))):]
	case space == state.GDS:
		return gds[min(addr, uint64(len(gds))):]
	case addr-base < uint64(len(private)):
		return private[addr-base:]
	}
	return d.memory.Machine.View(addr)
}

// read copies memory, including private memory of the work-group, to a slice. n is the number of bytes that exist.
func (d *Debugger) read(space state.Space, addr uint64, to []byte) (n int) {
	for n < len(to) {
		b := d.memoryAt(space, addr+uint64(n))
		if len(b) == 0 {
			break
		}
		n += copy(to[n:], b)
	}
	return n
}

// Write changes memory by [Session.Change].
func (d *Debugger) Write(addr uint64, data []byte) error {
	return d.Change(func(s *Session) error {
		_, _, private, base := s.group.Storage()
		if at := addr - base; at < uint64(len(private)) && uint64(len(data)) <= uint64(len(private))-at {
			copy(private[at:], data)
			return nil
		}
		return s.memory.Machine.Write(addr, data)
	})
}
