package debug

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/state"
)

// answerBreakpoints answers requests about breakpoints. It returns nil if r is another one.
func (s *server) answerBreakpoints(r dap.RequestMessage) dap.ResponseMessage {
	switch r := r.(type) {
	case *dap.SetBreakpointsRequest:
		m := &dap.SetBreakpointsResponse{}
		m.Body.Breakpoints = s.setLines(&r.Arguments)
		return m
	case *dap.SetFunctionBreakpointsRequest:
		m := &dap.SetFunctionBreakpointsResponse{}
		s.sources["function"] = map[uint64][]*breakpoint{}
		for _, b := range r.Arguments.Breakpoints {
			m.Body.Breakpoints = append(m.Body.Breakpoints, s.set("function", s.entries(b.Name),
				&breakpoint{condition: b.Condition, function: true}, b.HitCondition))
		}
		return m
	case *dap.SetInstructionBreakpointsRequest:
		m := &dap.SetInstructionBreakpointsResponse{}
		s.sources["instruction"] = map[uint64][]*breakpoint{}
		for _, b := range r.Arguments.Breakpoints {
			var pcs []uint64
			if pc, err := pcOf(b.InstructionReference, b.Offset); err == nil && s.code.at(pc) != nil {
				pcs = append(pcs, pc)
			}
			m.Body.Breakpoints = append(m.Body.Breakpoints, s.set("instruction", pcs, &breakpoint{condition: b.Condition},
				b.HitCondition))
		}
		return m
	case *dap.DataBreakpointInfoRequest:
		m := &dap.DataBreakpointInfoResponse{}
		x, err := s.watchpoint(&r.Arguments)
		if err != nil {
			m.Body.Description = err.Error()
			return m
		}
		m.Body.DataId, m.Body.Description = x.String(), x.describe()
		if m.Body.AccessTypes = []dap.DataBreakpointAccessType{"read", "write", "readWrite"}; x.reg >= 0 {
			m.Body.AccessTypes = m.Body.AccessTypes[1:2]
		}
		return m
	case *dap.SetDataBreakpointsRequest:
		return s.setWatches(r)
	case *dap.SetExceptionBreakpointsRequest:
		s.traps, s.findings = false, nil
		for _, f := range r.Arguments.Filters {
			switch f {
			case "trap":
				s.traps = true
			case "finding":
				s.findings = s.found
			}
		}
		return &dap.SetExceptionBreakpointsResponse{}
	}
	return nil
}

// set sets a breakpoint at instructions of a source.
func (s *server) set(source string, pcs []uint64, b *breakpoint, hits string) dap.Breakpoint {
	s.ids++
	b.id = s.ids
	answer := dap.Breakpoint{Id: b.id, Verified: len(pcs) > 0}
	if hits != "" {
		n, err := strconv.ParseInt(strings.TrimSpace(hits), 0, 64)
		if err != nil || n < 1 {
			answer.Verified, answer.Message = false, fmt.Sprintf("%s: give the number of the time to stop at", hits)
			return answer
		}
		b.hits = n
	}
	if len(pcs) == 0 {
		answer.Message = "the kernel has no code there"
		return answer
	}
	answer.InstructionReference = fmt.Sprintf("0x%x", pcs[0])
	for _, pc := range pcs {
		s.sources[source][pc] = append(s.sources[source][pc], b)
	}
	return answer
}

// setLines sets the breakpoints of a source file.
func (s *server) setLines(a *dap.SetBreakpointsArguments) []dap.Breakpoint {
	file := a.Source.Path
	if a.Source.SourceReference != 0 {
		file = textName
	}
	s.sources[file] = map[uint64][]*breakpoint{}
	all := []dap.Breakpoint{}
	for _, b := range a.Breakpoints {
		line, pcs := s.code.starting(file, b.Line)
		answer := s.set(file, pcs, &breakpoint{condition: b.Condition, log: b.LogMessage}, b.HitCondition)
		if answer.Line = line; line == 0 {
			answer.Line = b.Line
		}
		answer.Source = s.source(file)
		all = append(all, answer)
	}
	return all
}

// entries are the first instructions of the functions of a name.
func (s *server) entries(name string) (pcs []uint64) {
	for _, p := range s.code.places {
		if p.symbol == name+"+0x0" {
			pcs = append(pcs, p.pc)
		}
	}
	return pcs
}

// data names memory, or if reg is not negative a register, for a data breakpoint.
type data struct {
	space      state.Space
	addr, size uint64
	wave, reg  int
	lane       int // -1 of a scalar register
}

// dataForm is the text of a data, which a client keeps.
const dataForm = "%d:0x%x:%d:%d:%d:%d"

func (x *data) String() string {
	return fmt.Sprintf(dataForm, x.space, x.addr, x.size, x.wave, x.reg, x.lane)
}

func (x *data) describe() string {
	switch {
	case x.reg < 0:
		return fmt.Sprintf("%d bytes at 0x%x of %v", x.size, x.addr, x.space)
	case x.lane < 0:
		return fmt.Sprintf("s%d of wave %d", x.reg, x.wave)
	}
	return fmt.Sprintf("v%d[%d] of wave %d", x.reg, x.lane, x.wave)
}

var registerForm = regexp.MustCompile(`^([vs])(\d+)(?:\[(\d+)\])?$`)

// watchpoint returns what a client means.
func (s *server) watchpoint(a *dap.DataBreakpointInfoArguments) (*data, error) {
	text := a.Name
	if a.VariablesReference != 0 {
		all, err := s.childrenOf(a.VariablesReference)
		if err != nil {
			return nil, err
		}
		for _, v := range all {
			if v.name == a.Name && v.expression != "" {
				text = v.expression
			}
		}
	}
	w := s.wave
	if a.FrameId != 0 {
		var err error
		if w, err = s.waveOf(a.FrameId / maxFrames); err != nil {
			return nil, err
		}
	}
	v, err := s.Evaluate(text, w)
	if err != nil {
		return nil, err
	}
	if m := registerForm.FindStringSubmatch(text); m != nil {
		x := &data{wave: w.ID, lane: -1}
		x.reg, err = strconv.Atoi(m[2])
		if m[1] == "v" && err == nil {
			if x.lane = s.lane; m[3] != "" {
				x.lane, err = strconv.Atoi(m[3])
			}
		}
		return x, err
	}
	if v.size == 0 {
		return nil, fmt.Errorf("%s is neither a register nor memory, as in *(u32*)0x1000 or lds(16)", text)
	}
	return &data{space: v.space, addr: v.addr, size: v.size, reg: -1}, nil
}

// setWatches sets the data breakpoints.
func (s *server) setWatches(r *dap.SetDataBreakpointsRequest) dap.ResponseMessage {
	m := &dap.SetDataBreakpointsResponse{}
	s.watches = nil
	for _, b := range r.Arguments.Breakpoints {
		var x data
		s.ids++
		answer := dap.Breakpoint{Id: s.ids}
		_, err := fmt.Sscanf(b.DataId, dataForm, &x.space, &x.addr, &x.size, &x.wave, &x.reg, &x.lane)
		switch {
		case err != nil || x.lane >= state.NumLanes || x.reg >= state.MaxVGPRs:
			answer.Message = "this is not the id of data of this program"
		case b.Condition != "" || b.HitCondition != "":
			answer.Message = "data breakpoints have no conditions"
		default:
			p := &watchpoint{id: s.ids, addr: x.addr, size: x.size, space: x.space, read: b.AccessType != "write",
				write: b.AccessType != "read"}
			if x.reg >= 0 {
				p.value = x.register
			}
			s.watches = append(s.watches, p)
			answer.Verified = true
		}
		m.Body.Breakpoints = append(m.Body.Breakpoints, answer)
	}
	return m
}

// register returns the value of the register of x.
func (x *data) register(d *Debugger) uint64 {
	all := d.group.Waves()
	switch {
	case x.wave >= len(all):
		return 0
	case x.lane < 0:
		return uint64(all[x.wave].S[x.reg&(len(all[x.wave].S)-1)])
	case x.reg >= len(all[x.wave].V):
		return 0
	}
	return uint64(all[x.wave].V[x.reg][x.lane])
}

// Write changes memory, as [Session.Change] does.
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

// shared is lds(16) and gds(16): a dword there.
func (d *Debugger) shared(name string, at uint64) (*value, error) {
	lds, gds, _, _ := d.group.Storage()
	b, space := lds, state.LDS
	if name == "gds" {
		b, space = gds, state.GDS
	}
	size := element.Of(element.U32).Bytes
	if at > math.MaxInt32 || int(at)+size > len(b) {
		return nil, fmt.Errorf("%s has %d bytes", strings.ToUpper(name), len(b))
	}
	v := dwordValue(binary.LittleEndian.Uint32(b[at:]))
	v.addr, v.size, v.space = at, uint64(size), space
	return v, nil
}
