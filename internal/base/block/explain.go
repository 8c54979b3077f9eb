//go:build linux && amd64 && !purego

package block

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Explain returns the blocks of a program as [Compile] makes them.
func Explain(steps []*Instr, sizes []uint8, m state.Mode) (all []Made, err error) {
	if why := Unavailable(); why != "" {
		return nil, errors.New("there are no blocks: " + why)
	}
	key, ok := keyOf(m)
	if !ok {
		return nil, errors.New("there are no blocks in this mode")
	}
	_, _, err = compile(steps, sizes, key, false, &all)
	return all, err
}

// text says what the run does with a strip of lanes.
func (r *run) text() (t RunText) {
	t.First, t.N = r.first, r.n
	t.Checked = r.isChecked(r.alive)
	for v, i := range r.code.Instrs {
		if v == 0 || !r.alive[v] || i.Op == vector.Const {
			continue
		}
		t.List = append(t.List, r.line(vector.Value(v), i))
	}
	for _, code := range r.wroteMasks {
		t.List = append(t.List, fmt.Sprintf("lanes s[%d:%d] = %s", code, code+1, r.name(r.masks[code])))
	}
	for _, code := range r.wroteVGPRs {
		t.List = append(t.List, fmt.Sprintf("v%d = %s", code, r.name(r.vgprs[code])))
	}
	return t
}

// line is one instruction of the list.
func (r *run) line(v vector.Value, i vector.Instr) string {
	switch i.Op {
	case vector.Arg:
		switch in := r.inputs[i.Imm]; in.kind {
		case inVGPR:
			return fmt.Sprintf("t%d = v%d", v, in.code)
		case inScalar:
			return fmt.Sprintf("t%d = s%d in all lanes", v, in.code)
		case inMask:
			return fmt.Sprintf("t%d = lanes s[%d:%d]", v, in.code, in.code+1)
		}
		return fmt.Sprintf("t%d = active lanes", v)
	case placesOf:
		return fmt.Sprintf("check places %s in LDS", r.name(i.X))
	case dwordOf:
		return fmt.Sprintf("t%d = LDS at %s + %d", v, r.name(i.X), r.loads[i.Imm/4].Disp[i.Imm%4])
	case ternary:
		return fmt.Sprintf("t%d = bits of table 0x%02x by %s, %s, %s", v, i.Imm, r.name(i.X), r.name(i.Y), r.name(i.Z))
	case compareU:
		order := "below"
		if i.Imm == notLess {
			order = "not below"
		}
		return fmt.Sprintf("t%d = %s is %s %s", v, r.name(i.X), order, r.name(i.Y))
	}
	parts := []string{fmt.Sprintf("t%d = %s", v, i.Op.Name())}
	for _, x := range [...]vector.Value{i.X, i.Y, i.Z} {
		if x != 0 {
			parts = append(parts, r.name(x))
		}
	}
	if i.Imm != 0 {
		parts = append(parts, fmt.Sprint(i.Imm))
	}
	return strings.Join(parts, " ")
}

// name names a value; a constant is its bits.
func (r *run) name(v vector.Value) string {
	if i := r.code.Instrs[v]; i.Op == vector.Const {
		return fmt.Sprintf("0x%x", i.Imm)
	}
	return fmt.Sprintf("t%d", v)
}

// text says what the machine code does for an access.
func (in *Access) text() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case in == nil:
		return nil
	case in.Scalar:
		add("place = (s[%d:%d] and not 3) + %d", in.Addr, in.Addr+1, int32(in.Disp[0]))
		add("leave if the site does not reach from place to place + %d", 4*in.N)
		add("s%d and the next %d registers = dwords from place on", in.Regs[0], in.N-1)
		if in.N == 1 {
			list[2] = fmt.Sprintf("s%d = dword at place", in.Regs[0])
		}
		return list
	}
	for _, k := range in.Keys {
		add("leave if %s is not as the site has it", k)
	}
	add("place = v%d + what the site adds, in each lane", in.Addr)
	add("leave if the place of an active lane is beyond the site or not aligned")
	if in.High {
		add("leave if v%d of an active lane is not the upper half of the site", in.Addr+1)
	}
	verb, one := "load", "gather"
	switch {
	case in.Atomic != isa.NoAtomic:
		add("%s the dword at place + %d with v%d, lane by lane", in.Atomic, int32(in.Disp[0]), in.Regs[0])
		if in.Returns {
			add("v%d = what it was", in.Back)
		}
		return list
	case in.Store:
		verb, one = "store", "lane by lane"
		if in.Size == 4 && lanesOfMachine == 16 {
			one = "scatter"
		}
	}
	for e, reg := range in.Regs[:in.N] {
		add("%s v%d, %d bytes a lane, at place + %d", verb, reg, in.Size, int32(in.Disp[e]))
	}
	if in.Size == 4 {
		add("  all 64 lanes at a time if they are active and their dwords follow one another")
		add("  else %d lanes at a time, with a mask where dwords follow one another", lanesOfMachine)
		one = "else " + one
	}
	add("  %s", one)
	return list
}

func (k Key) String() string {
	if k.Wide {
		return fmt.Sprintf("s[%d:%d]", k.Code, k.Code+1)
	}
	return fmt.Sprintf("s%d", k.Code)
}
