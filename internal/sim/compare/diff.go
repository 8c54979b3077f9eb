package compare

import (
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/state"
)

// Diff is one value that differs after an instruction: a register, an address or stored data.
type Diff struct {
	Name   string // for example "v3", "vcc", "address"
	Type   isa.Type
	Dwords int // 1 or 2
	// Lanes has the lanes that differ. For a lane mask (Type is Mask) it has the bits that differ. It is 0 for other
	// values of the whole wave. Values of the whole wave are in Want[0] and Got[0].
	Lanes     uint64
	Want, Got [state.NumLanes]uint64
}

// mask reports whether d is a lane mask: one value for the wave, with one bit for each lane.
func (d *Diff) mask() bool { return d.Type == isa.Mask }

// differences returns the values that differ after one instruction of two runs.
func differences(want, got *Moment) []Diff {
	c := comparison{want: want, got: got}
	c.control()
	c.memory()
	c.scalars()
	c.vectors()
	return c.diffs
}

type comparison struct {
	want, got *Moment
	diffs     []Diff
}

// scalar adds a Diff if a value of the whole wave differs.
func (c *comparison) scalar(name string, t isa.Type, dwords int, want, got uint64) {
	if want == got {
		return
	}
	d := Diff{Name: name, Type: t, Dwords: dwords}
	d.Want[0], d.Got[0] = want, got
	if t == isa.Mask {
		d.Lanes = want ^ got
	}
	c.diffs = append(c.diffs, d)
}

// vector adds a Diff if the value of a lane of mask differs.
func (c *comparison) vector(name string, t isa.Type, dwords int, mask uint64, want, got func(lane int) uint64) {
	d := Diff{Name: name, Type: t, Dwords: dwords}
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask)
		if d.Want[lane], d.Got[lane] = want(lane), got(lane); d.Want[lane] != d.Got[lane] {
			d.Lanes |= 1 << lane
		}
	}
	if d.Lanes != 0 {
		c.diffs = append(c.diffs, d)
	}
}

func (c *comparison) control() {
	w, g := c.want.After, c.got.After
	c.scalar("pc", isa.B64, 2, c.want.PC, c.got.PC)
	c.scalar("the next pc", isa.B64, 2, w.PC, g.PC)
	flag := func(name string, w, g bool) { c.scalar(name, isa.U32, 1, number(w), number(g)) }
	flag("ended", w.Ended, g.Ended)
	flag("at a barrier", w.AtBarrier, g.AtBarrier)
}

func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// memory compares the effects of the two instructions on memory.
func (c *comparison) memory() {
	if c.want.Access.Op == gcn.NoMem || c.got.Access.Op == gcn.NoMem {
		return
	}
	w := effectOf(&c.want.Inst, c.want.After, &c.want.Access)
	g := effectOf(&c.got.Inst, c.got.After, &c.got.Access)
	if c.want.Access.Scalar {
		c.scalar("address", isa.B64, 2, w.at[0][0], g.at[0][0])
		return
	}
	c.scalar("lanes that access memory", isa.Mask, 2, w.exec, g.exec)
	for i := range w.at {
		c.vector(elementName("address", i), isa.B64, 2, w.exec&g.exec,
			func(lane int) uint64 { return w.at[i][lane] }, func(lane int) uint64 { return g.at[i][lane] })
		if len(c.diffs) > 0 && !c.want.Access.Split && !c.got.Access.Split {
			break // the other addresses follow from the first one
		}
	}
	for i := range w.out {
		c.scalar(elementName("lanes out of range", i), isa.Mask, 2, w.out[i], g.out[i])
	}
	for i := range w.stored {
		c.vector(elementName("stored data", i), isa.B32, 1, w.exec&g.exec,
			func(lane int) uint64 { return uint64(w.stored[i][lane]) },
			func(lane int) uint64 { return uint64(g.stored[i][lane]) })
	}
}

// elementName returns the name of element i of a value; element 0 has no suffix.
func elementName(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s, element %d", name, i)
}

// written returns an operand of a register file that at least one of the instructions writes. The operand
// begins at register code or, if begins is false, contains it.
func (c *comparison) written(file isa.RegFile, code uint16, begins bool) (o isa.Operand, ok bool) {
	for _, in := range []isa.Inst{c.want.Inst, c.got.Inst} {
		for _, o := range in.Operands(nil) {
			if o.Write && o.File == file && (o.Code == code || !begins && code-o.Code < uint16(o.Dwords)) {
				return o, true
			}
		}
	}
	return isa.Operand{}, false
}

func (c *comparison) scalars() {
	w, g := c.want.After, c.got.After
	c.scalar("scc", isa.U32, 1, uint64(w.SCC), uint64(g.SCC))
	c.scalar("mode", isa.B32, 1, uint64(w.Mode), uint64(g.Mode))
	for code := uint16(0); code < isa.NumScalarCodes; {
		o, ok := c.written(isa.SReg, code, true)
		if mask := code == gcn.VCC || code == gcn.EXEC; mask || !ok || o.Dwords > 2 {
			o = isa.Operand{File: isa.SReg, Code: code, Dwords: 1, Type: o.Type}
			if mask {
				o.Dwords, o.Type = 2, isa.Mask
			}
		}
		value := func(w *state.Wave) uint64 {
			if o.Dwords == 2 {
				return w.Scalar64(uint32(code))
			}
			return uint64(w.S[code])
		}
		c.scalar(asm.FormatOperand(gcn.Inst(c.want.Inst), o), o.Type, int(o.Dwords), value(w), value(g))
		code += uint16(o.Dwords)
	}
}

func (c *comparison) vectors() {
	w, g := c.want.After, c.got.After
	for reg := 0; reg < max(len(w.V), len(g.V)); {
		o, ok := c.written(isa.VReg, uint16(reg), true)
		if !ok || o.Dwords != 2 || o.Type.Info().Dwords != 2 {
			holder, _ := c.written(isa.VReg, uint16(reg), false)
			o = isa.Operand{File: isa.VReg, Code: uint16(reg), Dwords: 1, Type: holder.Type}
		}
		c.vector(asm.FormatOperand(gcn.Inst(c.want.Inst), o), o.Type, int(o.Dwords), state.FullExec,
			func(lane int) uint64 { return laneValue(w, o, lane) }, func(lane int) uint64 { return laneValue(g, o, lane) })
		reg += int(o.Dwords)
	}
}

// laneValue returns the value of operand o in a lane: the first two dwords of a vector or scalar
// register. Registers that the wave does not have are 0.
func laneValue(w *state.Wave, o isa.Operand, lane int) (v uint64) {
	for k := range min(int(o.Dwords), 2) {
		dword := uint32(0)
		switch reg := int(o.Code) + k; {
		case o.File == isa.SReg:
			dword = w.S[reg&(isa.NumScalarCodes-1)]
		case reg < len(w.V):
			dword = w.V[reg][lane]
		}
		v |= uint64(dword) << (32 * k)
	}
	return v
}
