package record

import (
	"encoding/binary"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Flags of a step: what follows, in this order.
const (
	flagJump    = 1 << iota // it is not the next instruction of Record.Insts: by how far not
	flagScalars             // scalar registers changed
	flagSpecial             // SCC, MODE, TRAPSTS or a counter changed
	flagVectors             // vector registers changed
	flagAccess              // memory was accessed
	flagTaps                // texels of an image were taken
	flagFault               // the instruction has not executed: it faulted
)

// Which of the special registers changed.
const (
	specialSCC = 1 << iota
	specialMode
	specialTrapSts
	specialVM
	specialEXP
	specialLGKM
)

// Which lanes of a vector register changed.
const (
	maskAll  = iota << 4
	maskExec // the lanes of EXEC before the instruction
	maskSome // a mask follows
)

// maskBits are the bits of the register's byte after the way its lanes are written.
const maskBits = 3 << 4

// begin writes the state of a wave before its first instruction, as a step of no
// instruction that changes one of zeros.
func (t *track) begin(w *state.Wave) {
	t.w.steps = t.appendStep(nil, 0, 0, func(b []byte) (byte, []byte) { return t.changes(b, w, nil) })
}

// appendStep appends a step: its flags, by how far it is not the next instruction, and what
// body appends and flags.
func (t *track) appendStep(b []byte, flags byte, jump int, body func([]byte) (byte, []byte)) []byte {
	at := len(b)
	b = append(b, 0)
	if jump != 0 {
		flags |= flagJump
		b = appendSigned(b, int32(jump))
	}
	more, b := body(b)
	b[at] = flags | more
	return b
}

// changes appends what changed since the last step, by an instruction with such sources.
func (t *track) changes(b []byte, w *state.Wave, sources []source) (flags byte, _ []byte) {
	exec := t.last.Exec()
	if t.last.S != w.S {
		flags |= flagScalars
		b = appendScalars(b, &w.S, &t.last.S)
		t.last.S = w.S
	}
	special, b := t.special(b, w)
	for len(t.last.V) < len(w.V) {
		t.last.V = append(t.last.V, state.Lanes{})
	}
	n := 0
	for i := range w.V {
		if w.V[i] != t.last.V[i] {
			n++
		}
	}
	if n == 0 {
		return flags | special, b
	}
	b = binary.AppendUvarint(b, uint64(n))
	for i := range w.V {
		if w.V[i] != t.last.V[i] {
			b = t.appendVector(b, i, &w.V[i], sources, exec)
			t.last.V[i] = w.V[i]
		}
	}
	return flags | special | flagVectors, b
}

// appendScalars appends the scalar registers that changed: how many, then of each its code
// and by how much.
func appendScalars(b []byte, v, old *[isa.NumScalarCodes]uint32) []byte {
	n := 0
	for i := range v {
		if v[i] != old[i] {
			n++
		}
	}
	b = binary.AppendUvarint(b, uint64(n))
	for i := range v {
		if v[i] != old[i] {
			b = appendSigned(append(b, byte(i)), int32(v[i]-old[i]))
		}
	}
	return b
}

// special appends the special registers that changed: which, then their values.
func (t *track) special(b []byte, w *state.Wave) (flags byte, _ []byte) {
	s, at := &t.last, len(b)
	b = append(b, 0)
	add := func(bit byte, v, old uint32) {
		if v != old {
			b[at] |= bit
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	add(specialSCC, w.SCC, s.SCC)
	add(specialMode, uint32(w.Mode), uint32(s.Mode))
	add(specialTrapSts, uint32(w.TrapSts), uint32(s.TrapSts))
	add(specialVM, uint32(w.VMCnt), uint32(s.VMCnt))
	add(specialEXP, uint32(w.EXPCnt), uint32(s.EXPCnt))
	add(specialLGKM, uint32(w.LGKMCnt), uint32(s.LGKMCnt))
	s.SCC, s.Mode, s.TrapSts = w.SCC, w.Mode, w.TrapSts
	s.VMCnt, s.EXPCnt, s.LGKMCnt = w.VMCnt, w.EXPCnt, w.LGKMCnt
	if b[at] == 0 {
		return 0, b[:at]
	}
	return flagSpecial, b
}

// appendVector appends a vector register: its number, then its lanes with the choice of
// mask in the byte that says how they are written.
func (t *track) appendVector(b []byte, reg int, v *state.Lanes, sources []source, exec uint64) []byte {
	old := &t.last.V[reg]
	changed := uint64(0)
	for i := range v {
		if v[i] != old[i] {
			changed |= 1 << i
		}
	}
	b = append(b, byte(reg))
	at := len(b)
	mask, which := state.FullExec, byte(maskAll)
	if changed&^exec == 0 && exec != state.FullExec {
		mask, which = exec, maskExec
	}
	b = appendLanes(b, v, old, mask)
	if len(b)-at > shortLanes {
		if derived := appendDerived(v, mask, sources, &t.last); derived != nil {
			b = append(b[:at], derived...)
		}
	}
	b[at] |= which
	if len(b)-at <= shortLanes {
		return b
	}
	if some := appendLanes(make([]byte, 0, 32), v, old, changed); len(some)+8 < len(b)-at {
		b = append(b[:at], some[0]|maskSome)
		b = binary.LittleEndian.AppendUint64(b, changed)
		b = append(b, some[1:]...)
	}
	return b
}

// shortLanes is up to how many bytes lanes are not tried to be written shorter.
const shortLanes = 10

// step appends an executed instruction.
func (r *Recorder) step(t *track, e *sim.Event) {
	exec := t.last.Exec()
	t.w.steps = t.appendStep(t.w.steps, 0, t.issued-t.next, func(b []byte) (byte, []byte) {
		var list [maxSources]source
		flags, b := t.changes(b, e.Wave, sourcesOf(list[:0], (*isa.Inst)(e.Inst)))
		if e.Access.Op != gcn.NoMem {
			flags |= flagAccess
			rule := 0
			if e.Access.Out != [maxElements]uint64{} {
				rule = r.ruleOf(e)
			}
			b = t.appendAccess(b, e.Access, exec, r.laneGroupsOf(e), rule)
		}
		if len(t.taps) > 0 {
			flags |= flagTaps
			b = appendTaps(b, t.taps)
		}
		return flags, b
	})
	t.next = t.issued + 1
}

// Flags of an access.
const (
	accessScalar     = 1 << iota
	accessSplit      // elements of a lane do not follow one another
	accessExec       // other lanes than those of EXEC before the instruction took part: which
	accessOut        // lanes were out of range: by which rule, and of each element which
	accessMisaligned // lanes raised MEMVIOL
	accessSpaces     // of a FLAT access: lanes that went to LDS, and to private memory
)

// maxElements is how many elements of a lane an access tells apart.
const maxElements = 4

// appendAccess appends an access by lanes that had the mask exec before the instruction. Groups and rule are elements
// of Record.LaneGroups and Record.Rules, plus 1.
func (t *track) appendAccess(b []byte, a *state.Access, exec uint64, groups, rule int) []byte {
	at := len(b)
	b = append(b, 0, byte(a.Op), byte(a.Space), a.Elem, a.Count, a.Regs)
	b = binary.AppendUvarint(b, uint64(a.Reg))
	b = binary.AppendUvarint(b, uint64(groups))
	mask := a.Exec
	flag := func(f byte, is bool, masks ...uint64) {
		if is {
			b[at] |= f
			for _, m := range masks {
				b = binary.LittleEndian.AppendUint64(b, m)
			}
		}
	}
	flag(accessScalar, a.Scalar)
	flag(accessSplit, a.Split)
	flag(accessExec, mask != exec, mask)
	if a.Out != [maxElements]uint64{} {
		b = binary.AppendUvarint(b, uint64(rule))
		flag(accessOut, true, a.Out[:]...)
	}
	flag(accessMisaligned, a.Misaligned != 0, a.Misaligned)
	flag(accessSpaces, a.LDSLanes|a.ScratchLanes != 0, a.LDSLanes, a.ScratchLanes)
	if a.Scalar {
		mask = 1
	}
	last := t.addrs[t.issued]
	if last == nil {
		last = new([2]state.Lanes)
		t.addrs[t.issued] = last
	}
	b = appendAddrs(b, &a.Addr, last, mask)
	if a.Split {
		before := *last
		for i := range min(int(a.Count), maxElements) - 1 {
			b = appendAddrs(b, &a.More[i], &before, mask)
		}
	}
	return b
}

// appendAddrs appends addresses as changes of last, and sets last to them.
func appendAddrs(b []byte, addr *[state.NumLanes]uint64, last *[2]state.Lanes, mask uint64) []byte {
	for half := range last {
		v := last[half]
		for i, x := range addr {
			if mask>>i&1 != 0 {
				v[i] = uint32(x >> (32 * half))
			}
		}
		b = appendLanes(b, &v, &last[half], mask)
		last[half] = v
	}
	return b
}

// maxLaneGroups bounds how many different ways of taking lanes together a record tells apart.
const maxLaneGroups = 1 << 12

// laneGroupsOf returns which element of Record.LaneGroups says how lanes were taken together, plus 1; 0 if
// none does.
func (r *Recorder) laneGroupsOf(e *sim.Event) int {
	groups := timing.LaneGroups(r.o.Times, e)
	if len(groups) == 0 {
		return 0
	}
	key := fmt.Sprint(groups)
	n, ok := r.groups[key]
	switch {
	case ok:
		return n
	case len(r.r.LaneGroups) == maxLaneGroups:
		r.r.LeftOut.LaneGroups++
		return 0
	}
	r.r.LaneGroups = append(r.r.LaneGroups, groups)
	r.groups[key] = len(r.r.LaneGroups)
	return len(r.r.LaneGroups)
}

// ruleOf returns which element of Record.Rules says why lanes were out of range, plus 1; 0 if none
// does.
func (r *Recorder) ruleOf(e *sim.Event) int {
	rule := rangeRule(e)
	if rule == "" {
		return 0
	}
	n, ok := r.rules[rule]
	if !ok {
		r.r.Rules = append(r.r.Rules, rule)
		n = len(r.r.Rules)
		r.rules[rule] = n
	}
	return n
}
