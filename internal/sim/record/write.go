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

// Flags of a step. Each set flag announces data; the data follow in this order.
const (
	flagJump    = 1 << iota // the distance from the expected instruction of Record.Insts to this one
	flagScalars             // scalar registers changed
	flagSpecial             // SCC, MODE, TRAPSTS or a counter changed
	flagVectors             // vector registers changed
	flagAccess              // memory was accessed
	flagTaps                // texels of an image were read
	flagFault               // the instruction faulted and did not execute
)

// Bits that tell which of the special registers changed.
const (
	specialSCC = 1 << iota
	specialMode
	specialTrapSts
	specialVM
	specialEXP
	specialLGKM
)

// Codes for the set of lanes of a vector register that changed.
const (
	maskAll  = iota << 4
	maskExec // the lanes of EXEC before the instruction
	maskSome // the lanes of a mask that follows
)

// maskBits are the bits of such a code in the byte that also tells how lanes are written.
const maskBits = 3 << 4

// begin writes the initial state of a wave, as a step without an instruction that changes an all-zero state.
func (t *track) begin(w *state.Wave) {
	t.w.steps = t.appendStep(nil, 0, 0, func(b []byte) (byte, []byte) { return t.changes(b, w, nil) })
}

// appendStep appends a step: its flags, the distance from the expected instruction, and the data that body appends,
// whose flags body returns.
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

// changes appends the changes since the previous step, made by an instruction with the given sources.
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

// appendScalars appends the changed scalar registers: their number and, for each, its code and its difference.
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

// special appends the changed special registers: a bit for each, then their values.
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

// appendVector appends a vector register: its number, a byte with the codes of its mask and its lanes, and the lanes.
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

// shortLanes is a size in bytes. Encodings of lanes up to this size are not replaced by a derivation.
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
	accessSplit      // the elements of a lane are not adjacent
	accessExec       // lanes other than those of EXEC before the instruction took part: their mask
	accessOut        // lanes were out of range: the rule, and the lanes of each element
	accessMisaligned // lanes raised MEMVIOL
	accessSpaces     // FLAT: the lanes that accessed LDS, and those that accessed private memory
)

// maxElements is the number of elements per lane that an access distinguishes.
const maxElements = 4

// appendAccess appends an access made with EXEC exec. groups and rule are 1 + indexes in Record.LaneGroups and
// Record.Rules.
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

// appendAddrs appends addresses as differences to last, and sets last to them.
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

// maxLaneGroups bounds the number of different lane groupings in a record.
const maxLaneGroups = 1 << 12

// laneGroupsOf returns 1 + the index in Record.LaneGroups of the grouping of lanes in e; 0 if it has none.
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

// ruleOf returns 1 + the index in Record.Rules of the rule by which lanes were out of range; 0 if it is unknown.
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
