package record

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/mimg"
	"github.com/gcnsim/gcnsim/state"
)

// Step is an executed instruction.
type Step struct {
	*Inst
	Number  int   // index in [Record].Insts
	Scalars []int // operand codes of scalar registers that it changed
	VGPRs   []int // vector registers that it changed
	// State is the wave after the step: registers, MODE, TRAPSTS, counters and its position in the run. State that a
	// record does not contain is zero.
	State *state.Wave
	// Access is the access that the step made, nil if it accessed no memory. The fields of checks and doubts are zero.
	Access     *state.Access
	Rule       string             // id of the rule by which lanes were out of range; "" if none were or it is unknown
	LaneGroups []timing.LaneGroup // the groups of lanes of Access that a unit takes together
	// Taps are the texels that each lane of an image instruction accessed. Weights are rounded to multiples of 1/65536.
	Taps  [state.NumLanes][]mimg.Tap
	Times *timing.Span // nil if the run had no time model
	Fault bool         // the instruction faulted and did not execute
}

// FormatError is returned for data that is not a record, or a damaged one.
type FormatError struct{ What string }

// Error returns What with a prefix.
func (e *FormatError) Error() string { return "record: " + e.What }

// reader decodes the bytes of a window. It keeps the first error.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &FormatError{fmt.Sprintf(format, args...)}
		r.b = nil
	}
}

// take returns the next n bytes, or zeros at the end.
func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.fail("a step ends early")
		return make([]byte, n)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte     { return r.take(1)[0] }
func (r *reader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) mask() uint64   { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) uint() uint64   { return varint(r, binary.Uvarint) }
func (r *reader) int() int64     { return varint(r, binary.Varint) }

// varint decodes a number of variable length.
func varint[T uint64 | int64](r *reader, decode func([]byte) (T, int)) T {
	v, n := decode(r.b)
	if n <= 0 {
		r.fail("a number ends early")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Steps returns the steps of a window in order. The first step has no Inst; it is the state before the first
// instruction. Step and State are reused for the next step.
func (w *Window) Steps() iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		d := decoder{w: w, r: reader{b: w.steps}, t: reader{b: w.times}, addrs: map[int]*[2]state.Lanes{}}
		d.s.State = &state.Wave{Group: w.Group, ID: w.Wave, LDSBytes: w.LDS, NumVGPRs: w.VGPRs,
			V: make([]state.Lanes, max(0, min(w.VGPRs, state.MaxVGPRs)))}
		d.s.State.Target, _ = gcn.ParseTarget(w.record.Target) // a file may name an unknown target
		d.next = -1
		for range w.Count + 1 {
			d.step()
			if d.r.err != nil || d.t.err != nil {
				err := d.r.err
				if err == nil {
					err = d.t.err
				}
				yield(nil, err)
				return
			}
			if !yield(&d.s, nil) {
				return
			}
		}
	}
}

// decoder decodes a window.
type decoder struct {
	w      *Window
	r, t   reader
	s      Step
	next   int // index of the expected instruction; -1 before the first step
	n      int // number of steps decoded, without the first
	access state.Access
	times  timing.Span
	addrs  map[int]*[2]state.Lanes
}

// step decodes a step.
func (d *decoder) step() {
	s, r := &d.s, &d.r
	flags := r.byte()
	exec := s.State.Exec()
	s.Inst, s.Number = nil, -1
	if d.next >= 0 {
		s.Number = d.next
		if flags&flagJump != 0 {
			s.Number += int(r.int())
		}
		if s.Number < 0 || s.Number >= len(d.w.record.Insts) {
			r.fail("there is no instruction %d", s.Number)
			return
		}
		s.Inst = &d.w.record.Insts[s.Number]
	}
	d.next = s.Number + 1
	s.Scalars, s.VGPRs, s.Access, s.Rule, s.LaneGroups, s.Times, s.Fault = s.Scalars[:0], s.VGPRs[:0], nil, "", nil, nil,
		flags&flagFault != 0
	for lane := range s.Taps {
		s.Taps[lane] = s.Taps[lane][:0]
	}
	if flags&flagScalars != 0 {
		for range min(r.uint(), isa.NumScalarCodes) {
			code := int(r.byte()) % isa.NumScalarCodes
			s.State.S[code] += uint32(r.int())
			s.Scalars = append(s.Scalars, code)
		}
	}
	if flags&flagSpecial != 0 {
		r.special(s.State)
	}
	if flags&flagVectors != 0 {
		d.vectors(exec)
	}
	if flags&flagAccess != 0 {
		d.readAccess(exec)
	}
	if flags&flagTaps != 0 {
		d.readTaps()
	}
	if s.Inst != nil {
		if len(d.t.b) > 0 {
			d.readTimes()
		}
		d.n++
	}
	s.State.Executed = d.w.From + uint64(d.n)
}

// special decodes special registers.
func (r *reader) special(s *state.Wave) {
	mask := r.byte()
	get := func(bit byte, set func(uint64)) {
		if mask&bit != 0 {
			set(r.uint())
		}
	}
	get(specialSCC, func(v uint64) { s.SCC = uint32(v) })
	get(specialMode, func(v uint64) { s.Mode = state.Mode(v) })
	get(specialTrapSts, func(v uint64) { s.TrapSts = state.TrapSts(v) })
	get(specialVM, func(v uint64) { s.VMCnt = uint8(v) })
	get(specialEXP, func(v uint64) { s.EXPCnt = uint8(v) })
	get(specialLGKM, func(v uint64) { s.LGKMCnt = uint8(v) })
}

// vectors decodes the vector registers of a wave whose EXEC was exec.
func (d *decoder) vectors(exec uint64) {
	r, v := &d.r, d.s.State.V
	for range min(r.uint(), state.MaxVGPRs) {
		reg, way := int(r.byte()), r.byte()
		if reg >= len(v) {
			r.fail("there is no v%d", reg)
			return
		}
		mask := state.FullExec
		switch way & maskBits {
		case maskExec:
			mask = exec
		case maskSome:
			mask = r.mask()
		}
		if way &^= maskBits; way == lanesDerived {
			r.derived(&v[reg], mask, d.s.State)
		} else {
			r.lanesBy(way, &v[reg], mask)
		}
		d.s.VGPRs = append(d.s.VGPRs, reg)
	}
}

// readAccess decodes an access made with EXEC exec.
func (d *decoder) readAccess(exec uint64) {
	r, a := &d.r, &d.access
	flags := r.byte()
	*a = state.Access{Op: gcn.MemOp(r.byte()), Space: state.Space(r.byte()), Elem: r.byte(), Count: r.byte(),
		Regs: r.byte(), Reg: uint16(r.uint()), Exec: exec}
	a.Scalar, a.Split = flags&accessScalar != 0, flags&accessSplit != 0
	switch {
	case a.Op > gcn.Special:
		r.fail("there is no memory operation %d", a.Op)
	case a.Space > state.Scratch:
		r.fail("there is no memory space %d", uint8(a.Space))
	case a.Split && int(a.Count) > maxElements:
		r.fail("an access has %d elements that do not follow one another, at most %d do", a.Count, maxElements)
	}
	if n := r.uint(); n > uint64(len(d.w.record.LaneGroups)) {
		r.fail("there is no list %d of lane groups", n)
	} else if n > 0 {
		d.s.LaneGroups = d.w.record.LaneGroups[n-1]
	}
	if flags&accessExec != 0 {
		a.Exec = r.mask()
	}
	if flags&accessOut != 0 {
		if n := r.uint(); n > uint64(len(d.w.record.Rules)) {
			r.fail("there is no rule %d", n)
		} else if n > 0 {
			d.s.Rule = d.w.record.Rules[n-1]
		}
		for i := range a.Out {
			a.Out[i] = r.mask()
		}
	}
	if flags&accessMisaligned != 0 {
		a.Misaligned = r.mask()
	}
	if flags&accessSpaces != 0 {
		a.LDSLanes, a.ScratchLanes = r.mask(), r.mask()
	}
	mask := a.Exec
	if a.Scalar {
		mask = 1
	}
	last := d.addrs[d.s.Number]
	if last == nil {
		last = new([2]state.Lanes)
		d.addrs[d.s.Number] = last
	}
	r.addrs(&a.Addr, last, mask)
	if a.Split {
		before := *last
		for i := range min(int(a.Count), maxElements) - 1 {
			r.addrs(&a.More[i], &before, mask)
		}
	}
	d.s.Access = a
}

// addrs decodes addresses, which are coded as differences to last, and sets last to them.
func (r *reader) addrs(addr *[state.NumLanes]uint64, last *[2]state.Lanes, mask uint64) {
	for half := range last {
		r.lanes(&last[half], mask)
	}
	for i := range addr {
		if mask>>i&1 != 0 {
			addr[i] = uint64(last[0][i]) | uint64(last[1][i])<<32
		}
	}
}

// readTimes decodes the times of a step.
func (d *decoder) readTimes() {
	r, w := &d.t, d.w
	flags, free := r.byte(), d.times.Free
	t := timing.Span{CU: w.CU, SIMD: w.SIMD, Slot: w.Slot, Group: w.Group, Wave: w.Wave, Seq: int(w.From) + d.n,
		PC: d.s.PC, Ready: free}
	if flags&timeReady != 0 {
		t.Ready += uint64(r.int())
	}
	t.Issue = t.Ready
	if flags&timeStall != 0 {
		t.Issue += r.uint()
		if why := r.uint(); why < timing.NumStalls {
			t.Why = timing.Stall(why)
		}
	}
	t.Free = t.Issue + usualBusy
	if flags&timeBusy != 0 {
		t.Free = t.Issue + r.uint()
	}
	t.Done = t.Free
	if flags&timeDone != 0 {
		t.Done += r.uint()
	}
	for _, unit := range []struct {
		flag byte
		to   *timing.Work
	}{{timeTA, &t.TA}, {timeLDS, &t.LDS}} {
		if flags&unit.flag != 0 {
			unit.to.Begin, unit.to.Clocks = t.Issue+r.uint(), r.uint()
		}
	}
	if flags&timeLines != 0 {
		t.Lines, t.L1Hits, t.L1Misses = r.uint(), r.uint(), r.uint()
	}
	d.times = t
	d.s.Times = &d.times
}
