package debug

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/state"
)

// variable is a variable in the view of an editor.
type variable struct {
	name, value string
	expression  string            // input of [Debugger.Evaluate], "" if there is none
	children    func() []variable // nil if the variable has no children
	addr        uint64            // address of memory that the editor can show
	register    bool              // a register that can be set
}

// register returns a register as a variable. If the register has changed, the text has its value at the previous stop.
func (d *Debugger) register(name, expression string, w *state.Wave) variable {
	v, err := d.Evaluate(expression, w)
	if err != nil {
		return variable{name: name, value: err.Error()}
	}
	if was := d.before[w.ID]; was != nil && v.get(was) != v.get(w) {
		v.text += fmt.Sprintf("  (was 0x%x)", v.get(was))
	}
	return variable{name: name, value: v.text, expression: expression, children: v.children, register: v.set != nil}
}

// scopes returns the groups of variables of a wave.
func (d *Debugger) scopes(id int) []variable {
	lds, gds, private, base := d.group.Storage()
	all := []variable{
		{name: "Wave", children: func() []variable { return d.waveView(d.group.Waves()[id]) }},
		{name: "SGPRs", children: func() []variable { return d.scalars(d.group.Waves()[id]) }},
		{name: "VGPRs", children: func() []variable { return d.vectors(d.group.Waves()[id]) }},
	}
	for _, m := range []struct {
		name  string
		space state.Space
		bytes []byte
		base  uint64
	}{{"LDS", state.LDS, lds, 0}, {"GDS", state.GDS, gds, 0}, {"Private memory", state.Global, private, base}} {
		if len(m.bytes) > 0 {
			all = append(all, bytesView(m.name, m.space, m.bytes, m.base))
		}
	}
	if args := d.arguments(); len(args) > 0 {
		all = append(all, variable{name: "Arguments", children: d.arguments})
	}
	return append(all, variable{name: "Access at hand", children: func() []variable { return d.access(id) }})
}

// waveView returns the state of a wave except for its general registers.
func (d *Debugger) waveView(w *state.Wave) []variable {
	all := []variable{{name: "instruction", value: d.instruction(w)}, {name: "state", value: waits(w)},
		{name: "counters", value: fmt.Sprintf("vmcnt %d, expcnt %d, lgkmcnt %d", w.VMCnt, w.EXPCnt, w.LGKMCnt)},
		{name: "lane", value: fmt.Sprint(d.lane)}}
	names := []string{"inst", "pc", "exec", "vcc", "m0", "scc", "mode", "status", "trapsts"}
	if isa.TraitsOf(w.Target).FlatScratch >= 0 {
		names = append(names, "flat_scratch")
	}
	for _, name := range names {
		all = append(all, d.register(name, name, w))
	}
	return all
}

// waits describes what a wave does next.
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

// instruction returns the text of the instruction that w executes next.
func (d *Debugger) instruction(w *state.Wave) string {
	if in, ok := d.group.Inst(w.PC); ok {
		return disasm.Text(&in, w.PC, d.code.base)
	}
	return "none"
}

// scalars returns the SGPRs, and the descriptors that the next instruction reads.
func (d *Debugger) scalars(w *state.Wave) []variable {
	all := d.descriptors(w)
	for i := range isa.TraitsOf(w.Target).SGPRs {
		name := fmt.Sprint("s", i)
		all = append(all, d.register(name, name, w))
	}
	return all
}

// descriptors returns the descriptors that the next instruction of w reads.
func (d *Debugger) descriptors(w *state.Wave) (all []variable) {
	in, ok := d.group.Inst(w.PC)
	if !ok {
		return nil
	}
	for _, f := range in.Effects(nil) {
		kind := ""
		switch {
		case f.Write:
		case f.Role == isa.RoleSampler:
			kind = "S"
		case f.Role == isa.RoleResource && in.Enc == isa.MIMG:
			kind = "T"
		case f.Role == isa.RoleResource:
			kind = "V"
		}
		name := fmt.Sprintf("s[%d:%d] as %s#", f.Code, f.Code+uint16(f.Dwords)-1, kind)
		if v, err := d.Evaluate(name, w); err == nil && kind != "" {
			title, _, _ := strings.Cut(v.text, "\n")
			all = append(all, variable{name: name, value: title, expression: name, children: v.children})
		}
	}
	return all
}

// fieldsOf returns the fields and notes of a descriptor.
func fieldsOf(x fmt.Stringer) (all []variable) {
	fields, notes := explain.Parts(x)
	for _, f := range fields {
		all = append(all, variable{name: f.Name, value: strings.TrimSpace(fmt.Sprintf("0x%x  %s", f.Value, f.Meaning))})
	}
	for _, n := range notes {
		all = append(all, variable{name: "note", value: n})
	}
	return all
}

// vectors returns the VGPRs.
func (d *Debugger) vectors(w *state.Wave) (all []variable) {
	for i := range w.NumVGPRs {
		name := fmt.Sprint("v", i)
		v := d.register(name, name, w)
		if was := d.before[w.ID]; was != nil && was.VGPR(i) != w.VGPR(i) {
			v.value += "  (changed)"
		}
		all = append(all, v)
	}
	return all
}

// lanes returns the lanes of a VGPR.
func (d *Debugger) lanes(id, reg int) (all []variable) {
	w := d.group.Waves()[id]
	for lane := range state.NumLanes {
		v := d.register(fmt.Sprintf("[%d]", lane), fmt.Sprintf("v%d[%d]", reg, lane), w)
		if w.Exec()>>lane&1 == 0 {
			v.value += "  (inactive)"
		}
		all = append(all, v)
	}
	return all
}

// bytesView returns memory as variables of 16 dwords.
func bytesView(name string, space state.Space, b []byte, base uint64) variable {
	const lineBytes = 64
	form, shown := "*(u32*)0x%x", base
	if space != state.Global {
		form, shown = strings.ToLower(space.String())+"(0x%x)", 0
	}
	return variable{name: name, value: fmt.Sprintf("%d bytes at 0x%x", len(b), base), addr: shown,
		children: func() (all []variable) {
			for at := range slices.Chunk(b, lineBytes) {
				words := make([]uint32, len(at)/4)
				_, _ = binary.Decode(at, binary.LittleEndian, words)
				addr := base + uint64(lineBytes*len(all))
				line := variable{name: fmt.Sprintf("0x%x", addr), value: strings.Trim(fmt.Sprintf("%08x", words), "[]"),
					expression: fmt.Sprintf(form, addr)}
				if space == state.Global {
					line.addr = addr
				}
				all = append(all, line)
			}
			return all
		}}
}

// mostShown is the maximum number of bytes of a buffer in the view.
const mostShown = 64 << 10

// arguments returns the memory of the arguments of a dispatch, or the memory ranges of a request.
func (d *Debugger) arguments() (all []variable) {
	for i, m := range d.memory.Memory {
		if m == nil || m.Buffer == nil {
			continue
		}
		b := m.Buffer.Bytes()
		v := bytesView(d.argumentName(i), state.Global, b[:min(len(b), mostShown)], m.Buffer.Addr)
		v.value = fmt.Sprintf("%d bytes at 0x%x", len(b), m.Buffer.Addr)
		all = append(all, v)
	}
	return all
}

// argumentName returns the name of an argument, if the object has one.
func (d *Debugger) argumentName(i int) string {
	name := fmt.Sprint(i)
	if l := d.launched.Launch; l != nil {
		if k, err := l.Module.Object.Kernel(l.Kernel); err == nil && i < len(k.Args) && k.Args[i].Name != "" {
			name += " " + k.Args[i].Name
		}
	}
	return name
}

// access returns the addresses of the instruction that a wave executes next, and the formula for the chosen lane. It
// executes the instruction and then returns to the position before it.
func (d *Debugger) access(id int) (all []variable) {
	if d.wave != d.group.Waves()[id] || d.fault != nil {
		return []variable{{name: "none", value: "another wave executes next, or the instruction faults"}}
	}
	pos := d.pos
	if err := d.step(); err != nil {
		err = d.faulted(err)
		return []variable{{name: "fault", value: err.Error()}}
	}
	a := *d.group.Access()
	d.spoilt = true // GoTo must restore the state
	if err := d.GoTo(pos); err != nil || a.Op == gcn.NoMem {
		return []variable{{name: "none", value: "the instruction does not access memory"}}
	}
	w := d.group.Waves()[id]
	in, _ := d.group.Inst(w.PC)
	all = append(all, variable{name: "access", value: a.String()})
	if text := explain.AddressOf(in, w, &a, d.lane); text != "" {
		all = append(all, variable{name: fmt.Sprint("address of lane ", d.lane), value: text})
	}
	all = append(all, d.descriptors(w)...)
	for lane := range state.NumLanes {
		if a.Scalar || a.Exec>>lane&1 == 0 {
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

// remember copies the waves for a comparison at the next stop.
func (d *Debugger) remember() {
	d.before = map[int]*state.Wave{}
	if d.group == nil {
		return
	}
	for _, w := range d.group.Waves() {
		was := *w
		was.V = slices.Clone(w.V)
		d.before[w.ID] = &was
	}
}
