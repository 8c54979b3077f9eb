package verdict

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// compared is a number that an instruction compares with.
type compared struct {
	bits uint64
	of   isa.Type // of the operand
}

// facts are what the code of a kernel tells of launches.
type facts struct {
	constants []compared
	group     [3]uint32 // the work-group by which the ids of groups are multiplied, zero if they are not
}

// maxConstants is how many constants of a kernel launches take into account.
const maxConstants = 8

// factsOf returns the constants of a kernel's compares, least and greatest values, in the order of the code, and its
// work-group. A value at such a constant, or next to it, takes another way than one that is drawn from a range does.
func factsOf(o *codeobj.Object, k *codeobj.Kernel) (all facts) {
	at := slices.IndexFunc(o.Functions, func(f codeobj.Symbol) bool {
		return f.VAddr <= k.Entry && k.Entry < f.VAddr+f.Size
	})
	if at < 0 {
		return all
	}
	ids := map[uint16]int{} // the SGPRs that hold the id of the group, by axis
	for _, s := range k.InitSGPRs {
		if s.Item >= codeobj.WorkGroupIDX && s.Item <= codeobj.WorkGroupIDZ {
			ids[uint16(s.First)] = int(s.Item - codeobj.WorkGroupIDX)
		}
	}
	code, _ := o.Bytes(k.Entry, o.Functions[at].VAddr+o.Functions[at].Size-k.Entry)
	words := make([]uint32, len(code)/4)
	_, _ = binary.Decode(code, binary.LittleEndian, words)
	for len(words) > 0 && (len(all.constants) < maxConstants || len(ids) > 0) {
		in, err := isa.Decode(o.Target, words)
		if err != nil {
			words = words[1:]
			continue
		}
		words = words[in.Size/4:]
		if compares(in.Row().Name) && len(all.constants) < maxConstants {
			all.constants = appendConstants(all.constants, &in)
		}
		all.multiplies(&in, ids)
	}
	all.constants = all.constants[:min(len(all.constants), maxConstants)]
	return all
}

// add adds the facts of another program of the same kernel.
func (f *facts) add(more facts) {
	f.constants = append(f.constants, more.constants...)
	for axis, n := range more.group {
		f.group[axis] = max(f.group[axis], n)
	}
}

// multiplies takes note of an instruction that multiplies the id of the group by a constant. Registers that it writes
// leave ids.
func (f *facts) multiplies(in *isa.Inst, ids map[uint16]int) {
	name, axis := in.Row().Name, -1
	shifts := strings.Contains(name, "_lshl") && !strings.Contains(name, "64")
	operands := in.Operands(nil)
	for _, o := range operands {
		if n, ok := ids[o.Code]; ok && o.Read && o.File == isa.SReg && o.Dwords == 1 {
			axis = n
		}
	}
	if axis >= 0 && f.group[axis] == 0 && (shifts || strings.Contains(name, "_mul_") || strings.Contains(name, "_mad_")) {
		for _, c := range appendConstants(nil, in) {
			n := c.bits
			if shifts {
				n = 1 << min(n, 32)
			}
			if n <= maxGuessedGroup {
				f.group[axis] = uint32(n)
			}
		}
	}
	for _, o := range operands {
		for i := range uint16(o.Dwords) {
			if o.Write && o.File == isa.SReg {
				delete(ids, o.Code+i)
			}
		}
	}
}

// Work-groups have so many work-items if the code tells their size.
const (
	minGuessedGroup = 8
	maxGuessedGroup = 1024
)

// compares reports whether an instruction chooses by its operands' values.
func compares(name string) bool {
	for _, part := range []string{"_cmp", "_min", "_max", "_med3"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// appendConstants adds the constants that an instruction reads, each once.
func appendConstants(all []compared, in *isa.Inst) []compared {
	for _, o := range in.Operands(nil) {
		if o.File != isa.NotReg || !o.Read {
			continue
		}
		c := compared{of: o.Type}
		var ok bool
		switch {
		case o.Field == isa.SIMM16:
			c.bits, ok = uint64(in.Int(isa.SIMM16)), true
		case in.Has(isa.LITERAL) && o.Code == isa.Literal:
			c.bits, ok = uint64(in.Get(isa.LITERAL)), true
		default:
			c.bits, ok = isa.InlineConstant(uint32(o.Code), o.Type)
		}
		if ok && c.bits != 0 && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// neighbours returns constants and their neighbours as elements of a type, as [Random].With takes them.
func neighbours(all []compared, as spec.Element) (names []string) {
	t := element.Of(as)
	for _, c := range all {
		if _, float := floats[c.of]; float != (t.Mantissa > 0) {
			continue
		}
		var texts []string
		if t.Mantissa > 0 {
			texts = append(texts, strconv.FormatFloat(c.float(), 'g', -1, 64))
		} else {
			for _, n := range []int64{0, -1, 1} {
				texts = append(texts, strconv.FormatInt(int64(int32(c.bits))+n, 10))
			}
		}
		for _, text := range texts {
			if _, err := t.Parse(spec.Number(text)); err == nil && !slices.Contains(names, text) {
				names = append(names, text)
			}
		}
	}
	return names
}

// floats are the elements that have the form of an operand.
var floats = map[isa.Type]spec.Element{isa.F16: spec.F16, isa.F32: spec.F32, isa.F64: spec.F64}

// float returns the value of a float. A literal of a double has its upper half.
func (c *compared) float() float64 {
	as, ok := floats[c.of]
	if !ok {
		return 0
	}
	t := element.Of(as)
	if c.of == isa.F64 && c.bits>>32 == 0 {
		return t.Float(c.bits << 32)
	}
	return t.Float(c.bits & t.Mask())
}
