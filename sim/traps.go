package sim

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// TrapHandler is code that waves enter on traps: on an exception that MODE enables, s_trap, a memory violation, an
// illegal instruction, or after each instruction with MODE.DEBUG (rules ST21 and ST22).
type TrapHandler struct {
	// Words are the machine code. It is executed at [TrapBase] and returns with s_rfe_b64.
	Words []uint32
	// TMA is the value of the register TMA, usually an address.
	TMA uint64
	// Trapped, if not nil, is called when a wave enters the handler, with the fault that would have ended the run
	// without a handler. The fault has the instruction, the reason and the first lane. Work-groups that execute at the
	// same time may call it at the same time.
	Trapped func(reason *state.Fault)
}

// TrapBase is the address at which the code of a [TrapHandler] begins.
const TrapBase = 1<<40 - 4*maxHandlerWords

// maxHandlerWords is the largest number of words in a trap handler.
const maxHandlerWords = 1 << 18

// check returns an error for an invalid handler.
func (h *TrapHandler) check() error {
	switch {
	case h == nil:
		return nil
	case len(h.Words) == 0:
		return refuse(BadConfig, "TrapHandler has no words; it returns with s_rfe_b64 at least")
	case len(h.Words) > maxHandlerWords:
		return refuse(BadConfig, "TrapHandler has %d words; it may have %d", len(h.Words), maxHandlerWords)
	case h.TMA%256 != 0 || h.TMA>>48 != 0:
		return refuse(BadConfig, "TrapHandler.TMA is 0x%x; it is a multiple of 256 below 2^48", h.TMA)
	}
	return nil
}

// program decodes the handler for waves with vgprs vector registers. It returns nil if h is nil.
func (h *TrapHandler) program(t gcn.Target, vgprs int) *Program {
	if h == nil {
		return nil
	}
	return NewProgram(t, TrapBase, h.Words, vgprs)
}

// raisers holds the exceptions that the instructions of a program can raise.
type raisers struct {
	of  []executor.Raises // by step; nil for instructions that raise none
	why map[int]string    // by step: why exceptions are not known
}

// raisersOf returns the exceptions that the instructions of p can raise, computed at the first use.
func (r *runner) raisersOf(p *Program) *raisers {
	known := r.raisers[p]
	if known != nil {
		return known
	}
	known = &raisers{make([]executor.Raises, len(p.steps)), map[int]string{}}
	for i := range p.steps {
		if s := &p.steps[i]; s.exec != nil && s.class == ClassVALU {
			var why string
			if known.of[i], why = executor.RaisedBy(&s.in); why != "" {
				known.why[i] = why
			}
		}
	}
	if r.raisers == nil {
		r.raisers = map[*Program]*raisers{}
	}
	r.raisers[p] = known
	return known
}

// seesExceptions reports whether in reads TRAPSTS.EXCP, or enables traps on exceptions.
func seesExceptions(in *isa.Inst) bool {
	if in.Row().Imm != isa.HwregImm {
		return false
	}
	const mode, trapsts = 1, 3
	id, shift, mask := executor.Hwreg(in)
	if mask <<= shift; in.Row().Sig.Dst != isa.None {
		return id == trapsts && mask&uint32(state.TrapExcp) != 0
	}
	if in.Row().Has(isa.LiteralK) {
		mask &= in.Get(isa.LITERAL) << shift
	}
	return id == mode && mask&uint32(state.ModeExcpEn|state.ModeDebug) != 0
}

// trapRegisters returns the range of scalar registers that only a trap handler can access (rule ST21).
func trapRegisters(t *isa.Traits) (first, end uint32) {
	first, end = uint32(t.TTMP), uint32(t.TTMP)+uint32(t.NumTTMP)
	if t.TBA >= 0 {
		first = uint32(t.TBA)
	}
	return first, end
}

// guardTrapRegisters wraps exec for an instruction that names registers of a trap handler. While the wave is not
// privileged, they read as zero and are not written.
func guardTrapRegisters(in *isa.Inst, operands []isa.Operand, exec executor.Exec) executor.Exec {
	first, end := trapRegisters(isa.TraitsOf(in.Target))
	named := false
	for _, o := range operands {
		code := uint32(o.Code)
		named = named || o.File == isa.SReg && code < end && code+uint32(o.Dwords) > first
	}
	if !named {
		return exec
	}
	return func(w *state.Wave, p *executor.Ports, in *isa.Inst, a *state.Access) *state.Fault {
		if w.Privileged() {
			return exec(w, p, in, a)
		}
		kept := w.S
		clear(w.S[first:end])
		f := exec(w, p, in, a)
		copy(w.S[first:end], kept[first:end])
		return f
	}
}

// arm makes r collect exceptions and enter trap handlers, if w executes code that can see the difference.
func (r *runner) arm(w *state.Wave) {
	r.flags &^= mayTrap
	if r.handler != nil || r.collect || w.Mode&(state.ModeExcpEn|state.ModeDebug) != 0 {
		r.flags |= mayTrap
		return
	}
	for _, p := range r.code {
		if p.sees {
			r.flags |= mayTrap
			return
		}
	}
}

// executeTrapping executes s, step i of p, collects its exceptions and lets w trap.
func (r *runner) executeTrapping(w *state.Wave, p *Program, s *step, i uint64) *state.Fault {
	raised := &r.raised
	*raised = executor.Raised{}
	known, mode, free := r.raisersOf(p), w.Mode, !w.Privileged()
	if raises := known.of[i]; raises != nil {
		raises(w, raised)
	} else if why := known.why[int(i)]; why != "" {
		r.res.mark(Note{s.in.Row().Name, gcn.Approximate, why})
	}
	before := w.TrapSts
	if f := s.exec(w, &r.ports, &s.in, &r.access); f != nil {
		return r.violation(w, p, s, f, free)
	}
	now := raised.Exceptions()
	w.TrapSts |= now
	if !free {
		return nil
	}
	enabled := now & state.TrapSts(mode&state.ModeExcpEn>>excpEnShift)
	violated := r.handler != nil && w.TrapSts&^before&state.TrapMemViol != 0
	switch {
	case w.Ended:
	case enabled != 0:
		f := executor.NewFault(state.FaultTrap, "%s, which MODE.EXCP_EN makes a trap", exceptionNames(enabled))
		f.Lane = simd.FirstLane(raised.Lanes(enabled))
		return r.trap(w, p, s, f, w.PC, 0)
	case violated:
		f := executor.NewFault(state.FaultTrap, "a memory violation: TRAPSTS.MEM_VIOL is set")
		if r.access.Op != gcn.NoMem && r.access.Misaligned != 0 {
			f.Lane = simd.FirstLane(r.access.Misaligned)
		}
		return r.trap(w, p, s, f, w.PC, 0)
	case mode&state.ModeDebug != 0:
		return r.trap(w, p, s, executor.NewFault(state.FaultTrap, "MODE.DEBUG makes each instruction a trap"), w.PC, 0)
	}
	return nil
}

// violation lets w trap for the fault f of an instruction, if hardware reports such a fault to a trap handler.
func (r *runner) violation(w *state.Wave, p *Program, s *step, f *state.Fault, free bool) *state.Fault {
	if !free || r.handler == nil || f == executor.Blocked {
		return f
	}
	switch {
	case f.Kind == state.FaultTrap && s.in.Row().Has(isa.EntersTrap):
		return r.trap(w, p, s, f, w.PC-uint64(s.in.Size), s.in.Get(isa.SIMM16)&0xff)
	case f.Kind == state.FaultMemory:
		if w.Target.Gen() >= gcn.GCN14 {
			w.TrapSts |= state.TrapXnackError
		} else {
			w.TrapSts |= state.TrapMemViol
		}
		return r.trap(w, p, s, f, w.PC, 0)
	}
	return f
}

// Bits of TTMP1 above the PC (rule ST21).
const (
	trapIDShift   = 16
	pcRewindShift = 25
)

// trap makes w enter the trap handler: the return address back and the trap number id go to TTMP0 and TTMP1. Without
// a handler it returns f.
func (r *runner) trap(w *state.Wave, p *Program, s *step, f *state.Fault, back uint64, id uint32) *state.Fault {
	h := r.handler
	if h == nil {
		f.What += "; there is no trap handler, so the wave halts"
		return f
	}
	ttmp := uint32(isa.TraitsOf(w.Target).TTMP)
	w.S[ttmp] = uint32(back)
	w.S[ttmp+1] = uint32(back>>32)&0xffff | id<<trapIDShift
	if id == 0 {
		w.S[ttmp+1] |= uint32(s.in.Size/4) << pcRewindShift
	}
	if h.Trapped != nil {
		h.Trapped(r.fault(w, p, p.Base+4*r.at, f))
	}
	w.SetStatus(w.Status() | state.StatusPriv)
	w.PC = w.TBA
	return nil
}

// trapIllegal lets w trap if the words at w.PC are an illegal instruction, and reports whether it did.
func (r *runner) trapIllegal(w *state.Wave, p *Program, s *step, f *state.Fault) bool {
	if r.handler == nil || w.Privileged() || f.Kind != state.FaultDecode && f.Kind != state.FaultIllegal {
		return false
	}
	w.TrapSts |= state.TrapIllegalInst
	return r.trap(w, p, s, f, w.PC, 0) == nil
}

// excpEnShift is the position in MODE of the enable bits for TRAPSTS.EXCP (rule ST5).
const excpEnShift = 12

var exceptionName = [executor.NumExceptions]string{"an invalid operation", "a denormal operand", "a division by zero",
	"an overflow", "an underflow", "an inexact result", "a division of integers by zero"}

// exceptionNames returns the names of exceptions as text.
func exceptionNames(x state.TrapSts) string {
	var all []string
	for ; x != 0; x &= x - 1 {
		all = append(all, exceptionName[bits.TrailingZeros32(uint32(x))])
	}
	return strings.Join(all, ", ")
}

// giveHandler sets TBA and TMA of w to the trap handler of r, if there is one.
func (r *runner) giveHandler(w *state.Wave) {
	if r.handler != nil {
		w.SetTrapHandler(TrapBase, r.handler.TMA)
	}
}

// lateNote adds a note that a program which reads TRAPSTS was found after instructions had executed without
// collecting.
func (r *runner) lateNote(p *Program) {
	if p.sees && r.flags&mayTrap == 0 {
		r.flags |= mayTrap
		r.res.mark(Note{"s_getreg_b32", gcn.Approximate, fmt.Sprintf("TRAPSTS.EXCP lacks what instructions raised "+
			"before the wave came to 0x%x: nobody knew that it is read", p.Base)})
	}
}
