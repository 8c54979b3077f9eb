package debug

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// variable is a line of the view of an editor.
type variable struct {
	name, value string
	expression  string            // that [Debugger.Evaluate] takes, "" if there is none
	children    func() []variable // nil if it does not open
	addr        uint64            // of memory, for the editor to show
	set         func(text string) error
}

// seen is a wave as it was at the stop before.
type seen struct {
	wave state.Wave
	v    []state.Lanes
}

// wasDifferent returns the mark of a register that the stop before showed otherwise.
func wasDifferent[T uint32 | uint64](now, was T, some bool) string {
	if !some || now == was {
		return ""
	}
	return fmt.Sprintf("  (was 0x%x)", was)
}

// scopes returns the groups of variables of a wave.
func (d *Debugger) scopes(id int) []variable {
	lds, gds, private, base := d.group.Storage()
	all := []variable{
		{name: "Wave", children: func() []variable { return d.waveView(id) }},
		{name: "SGPRs", children: func() []variable { return d.scalars(id) }},
		{name: "VGPRs", children: func() []variable { return d.vectors(id) }},
	}
	for _, m := range []struct {
		name  string
		bytes []byte
		base  uint64
		where string
	}{{"LDS", lds, 0, "lds"}, {"GDS", gds, 0, "gds"}, {"Private memory", private, base, ""}} {
		if len(m.bytes) > 0 {
			all = append(all, d.bytesView(m.name, m.where, m.bytes, m.base))
		}
	}
	if args := d.arguments(); len(args) > 0 {
		all = append(all, variable{name: "Arguments", children: d.arguments})
	}
	return append(all, variable{name: "Access at hand", children: func() []variable { return d.access(id) }})
}

// waveView shows what a wave has besides general registers.
func (d *Debugger) waveView(id int) []variable {
	w, was, some := d.group.Waves()[id], &state.Wave{}, false
	if s := d.before[id]; s != nil {
		was, some = &s.wave, true
	}
	text := func(name, value string) variable { return variable{name: name, value: value} }
	reg64 := func(name string, now, was uint64, set func(*state.Wave, uint64)) variable {
		return variable{name: name, value: fmt.Sprintf("0x%016x", now) + wasDifferent(now, was, some), expression: name,
			set: d.setter(id, set)}
	}
	all := []variable{
		text("instruction", d.instruction(w)), text("executed", fmt.Sprint(w.Executed)), text("state", waits(w)),
		reg64("pc", w.PC, was.PC, func(w *state.Wave, v uint64) { w.PC = v }),
		reg64("exec", w.Exec(), was.Exec(), (*state.Wave).SetExec),
		reg64("vcc", w.Scalar64(gcn.VCC), was.Scalar64(gcn.VCC), func(w *state.Wave, v uint64) { w.SetScalar64(gcn.VCC, v) }),
		reg64("m0", uint64(w.S[gcn.M0]), uint64(was.S[gcn.M0]), func(w *state.Wave, v uint64) { w.S[gcn.M0] = uint32(v) }),
		reg64("scc", uint64(w.SCC), uint64(was.SCC), func(w *state.Wave, v uint64) { w.SCC = uint32(v & 1) }),
		reg64("mode", uint64(w.Mode), uint64(was.Mode), func(w *state.Wave, v uint64) { w.Mode = state.Mode(v) }),
		reg64("status", uint64(w.Status()), uint64(was.Status()), nil),
		reg64("trapsts", uint64(w.TrapSts), uint64(was.TrapSts), nil),
		text("counters", fmt.Sprintf("vmcnt %d, expcnt %d, lgkmcnt %d", w.VMCnt, w.EXPCnt, w.LGKMCnt)),
		text("lane", fmt.Sprint(d.lane)),
	}
	if code := isa.TraitsOf(w.Target).FlatScratch; code >= 0 {
		all = append(all, reg64("flat_scratch", w.Scalar64(uint32(code)), was.Scalar64(uint32(code)),
			(*state.Wave).SetFlatScratch))
	}
	return all
}

// waits says what a wave does next.
func waits(w *state.Wave) string {
	switch {
	case w.Ended:
		return "has ended"
	case w.AtBarrier:
		return "waits at s_barrier"
	case w.Wait != state.NoWait:
		return fmt.Sprintf("waits for number %d of GDS", w.WaitIndex)
	}
	return "runs"
}

// instruction is the text of what w executes next.
func (d *Debugger) instruction(w *state.Wave) string {
	if in, ok := d.group.Inst(w.PC); ok {
		return d.code.text(w.PC, &in)
	}
	return "none"
}

// setter returns a function that sets a register of wave id to the value of an expression, nil if set is.
func (d *Debugger) setter(id int, set func(*state.Wave, uint64)) func(string) error {
	if set == nil {
		return nil
	}
	return func(text string) error {
		v, err := d.Evaluate(text, d.group.Waves()[id])
		if err != nil {
			return err
		}
		n := v.bits
		if v.isFloat { // a number with a point is a float of 32 bits
			n = uint64(math.Float32bits(float32(v.n)))
		}
		return d.Change(func(s *Session) error {
			set(s.group.Waves()[id], n)
			return nil
		})
	}
}

// scalars shows the SGPRs, and descriptors that instructions near the PC read.
func (d *Debugger) scalars(id int) (all []variable) {
	w, was := d.group.Waves()[id], d.before[id]
	all = d.descriptors(w)
	for i := range isa.TraitsOf(w.Target).SGPRs {
		mark := ""
		if was != nil {
			mark = wasDifferent(w.S[i], was.wave.S[i], true)
		}
		all = append(all, variable{name: fmt.Sprint("s", i), value: dword(w.S[i]) + mark, expression: fmt.Sprint("s", i),
			set: d.setter(id, func(w *state.Wave, v uint64) { w.S[i] = uint32(v) })})
	}
	return all
}

// descriptors shows those that the instruction which w executes next reads.
func (d *Debugger) descriptors(w *state.Wave) (all []variable) {
	in, ok := d.group.Inst(w.PC)
	if !ok {
		return nil
	}
	for _, f := range in.Effects(nil) {
		kind := ""
		switch {
		case f.Write || f.File != isa.SReg || f.Code+uint16(f.Dwords) > uint16(isa.TraitsOf(w.Target).SGPRs):
		case f.Role == isa.RoleSampler:
			kind = "S"
		case f.Role == isa.RoleResource && in.Enc == isa.MIMG:
			kind = "T"
		case f.Role == isa.RoleResource:
			kind = "V"
		}
		words := w.S[f.Code:][:f.Dwords]
		if kind == "" {
			continue
		}
		x, err := explain.Words(kinds[kind], w.Target, words)
		if err != nil {
			continue
		}
		title, _, _ := strings.Cut(x.String(), "\n")
		name := fmt.Sprintf("s[%d:%d] as %s#", f.Code, int(f.Code)+len(words)-1, kind)
		all = append(all, variable{name: name, value: title, expression: name,
			children: func() []variable { return fieldsOf(x) }})
	}
	return all
}

// fieldsOf shows the fields and notes of a descriptor.
func fieldsOf(x fmt.Stringer) (all []variable) {
	var fields []explain.Field
	var notes []string
	switch x := x.(type) {
	case *explain.Buffer:
		fields, notes = x.Fields, x.Notes
	case *explain.Image:
		fields, notes = x.Fields, x.Notes
	case *explain.Sampler:
		fields, notes = x.Fields, x.Notes
	}
	for _, f := range fields {
		all = append(all, variable{name: f.Name, value: strings.TrimSpace(fmt.Sprintf("0x%x  %s", f.Value, f.Meaning))})
	}
	for _, n := range notes {
		all = append(all, variable{name: "note", value: n})
	}
	return all
}

// vectors shows the VGPRs.
func (d *Debugger) vectors(id int) (all []variable) {
	w, was := d.group.Waves()[id], d.before[id]
	for i := range w.NumVGPRs {
		v := w.VGPR(i)
		mark := ""
		if was != nil && i < len(was.v) && was.v[i] != v {
			mark = "  (changed)"
		}
		all = append(all, variable{name: fmt.Sprint("v", i),
			value:      fmt.Sprintf("lane %d: %s", d.lane, dword(v[d.lane])) + mark,
			expression: fmt.Sprint("v", i), children: func() []variable { return d.lanes(id, i) },
			set: d.setter(id, func(w *state.Wave, v uint64) {
				all := w.VGPR(i)
				for m := w.Exec(); m != 0; m &= m - 1 {
					all[bits.TrailingZeros64(m)&63] = uint32(v)
				}
				w.SetVGPR(i, all)
			})})
	}
	return all
}

// lanes shows the lanes of a VGPR.
func (d *Debugger) lanes(id, reg int) (all []variable) {
	w, was := d.group.Waves()[id], d.before[id]
	v := w.VGPR(reg)
	for lane := range v {
		mark := ""
		if w.Exec()>>lane&1 == 0 {
			mark = "  (inactive)"
		}
		if was != nil && reg < len(was.v) {
			mark += wasDifferent(v[lane], was.v[reg][lane], true)
		}
		all = append(all, variable{name: fmt.Sprintf("[%d]", lane), value: dword(v[lane]) + mark,
			expression: fmt.Sprintf("v%d[%d]", reg, lane),
			set: d.setter(id, func(w *state.Wave, v uint64) {
				all := w.VGPR(reg)
				all[lane] = uint32(v)
				w.SetVGPR(reg, all)
			})})
	}
	return all
}

// rowBytes is how much memory a line shows.
const rowBytes = 64

// bytesView shows memory, 16 dwords a line. where is "lds", "gds", or "" for memory that has addresses.
func (d *Debugger) bytesView(name, where string, b []byte, base uint64) variable {
	v := variable{name: name, value: fmt.Sprintf("%d bytes at 0x%x", len(b), base)}
	if where == "" {
		v.addr = base
	}
	v.children = func() (all []variable) {
		for at := 0; at < len(b); at += rowBytes {
			var row strings.Builder
			for i := at; i+4 <= min(at+rowBytes, len(b)); i += 4 {
				fmt.Fprintf(&row, "%08x ", binary.LittleEndian.Uint32(b[i:]))
			}
			line := variable{name: fmt.Sprintf("0x%x", base+uint64(at)), value: row.String()}
			if line.expression = fmt.Sprintf("%s(%s)", where, line.name); where == "" {
				line.addr, line.expression = base+uint64(at), "*(u32*)"+line.name
			}
			all = append(all, line)
		}
		return all
	}
	return v
}

// mostShown is how much of a buffer an editor can open.
const mostShown = 64 << 10

// arguments shows the memory of the arguments of a dispatch, and the ranges of a request.
func (d *Debugger) arguments() (all []variable) {
	for i, m := range d.memory.Memory {
		if m == nil || m.Buffer == nil {
			continue
		}
		b := m.Buffer.Bytes()
		v := d.bytesView(d.argumentName(i), "", b[:min(len(b), mostShown)], m.Buffer.Addr)
		v.value = fmt.Sprintf("%d bytes at 0x%x", len(b), m.Buffer.Addr)
		all = append(all, v)
	}
	return all
}

// argumentName is the name of an argument, as far as the object has one.
func (d *Debugger) argumentName(i int) string {
	name := fmt.Sprint(i)
	if l := d.launched.Launch; l != nil {
		if k, err := l.Module.Object.Kernel(l.Kernel); err == nil && i < len(k.Args) && k.Args[i].Name != "" {
			name += " " + k.Args[i].Name
		}
	}
	return name
}

// access shows the addresses of the instruction that a wave executes next: it executes, and the run goes back.
func (d *Debugger) access(id int) (all []variable) {
	w := d.group.Waves()[id]
	if d.wave != w || d.fault != nil {
		return []variable{{name: "none", value: "another wave executes next, or the instruction faults"}}
	}
	pos := d.pos
	if err := d.step(); err != nil {
		err = d.faulted(err)
		return []variable{{name: "fault", value: err.Error()}}
	}
	a := *d.group.Access()
	d.spoilt = true // it is left for a moment
	if err := d.GoTo(pos); err != nil || a.Op == gcn.NoMem {
		return []variable{{name: "none", value: "the instruction does not access memory"}}
	}
	all = append(all, variable{name: "space", value: a.Space.String()},
		variable{name: "size", value: fmt.Sprintf("%d elements of %d bytes", a.Count, a.Elem)})
	if a.Scalar {
		return append(all, variable{name: "address", value: fmt.Sprintf("0x%x", a.Addr[0]), addr: a.Addr[0]})
	}
	for lane := range state.NumLanes {
		if a.Exec>>lane&1 == 0 {
			continue
		}
		v := variable{name: fmt.Sprintf("lane %d", lane), value: fmt.Sprintf("0x%x", a.Addr[lane])}
		if a.OutMask()>>lane&1 != 0 {
			v.value += "  (out of range)"
		} else if a.Space == state.Global {
			v.addr = a.Addr[lane]
		}
		all = append(all, v)
	}
	return all
}

// remember keeps the waves as they are, for the next stop.
func (d *Debugger) remember() {
	d.before = map[int]*seen{}
	if d.group == nil {
		return
	}
	for _, w := range d.group.Waves() {
		d.before[w.ID] = &seen{wave: *w, v: slices.Clone(w.V)}
	}
}
