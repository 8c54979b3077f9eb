package verdict

import (
	"encoding/binary"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// facts are the properties of launches that can be derived from the code of a kernel.
type facts struct {
	group [3]uint32 // the constants by which the code multiplies the ids of groups, zero if it does not
	// types are the possible types of untyped data, derived from the types that instructions compute with and load.
	types []spec.Element
}

// floats reports whether the code computes with floats.
func (f *facts) floats() bool {
	return slices.ContainsFunc(f.types, func(as spec.Element) bool { return element.Of(as).Mantissa > 0 })
}

// mayBe adds a possible type of data.
func (f *facts) mayBe(as spec.Element) {
	if !slices.Contains(f.types, as) {
		f.types = append(f.types, as)
	}
}

// use adds the types that an instruction computes with or loads to the possible types of data.
func (f *facts) use(row *isa.Row) {
	for _, t := range row.Sig.Src[:row.Sig.NumSrc] {
		if t == isa.V2F16 {
			t = isa.F16
		}
		if as, ok := compare.FloatTypes[t]; ok {
			f.mayBe(as)
		}
	}
	if m := row.Mem; m.Op == isa.Load && m.Elem < 4 && m.Elem > 0 && row.Enc != isa.MIMG {
		f.mayBe(map[uint8]spec.Element{1: spec.U8, 2: spec.I16}[m.Elem])
	}
}

// factsOf derives facts from the code of a kernel: the types of its instructions and its work-group.
func factsOf(o *codeobj.Object, k *codeobj.Kernel) (all facts) {
	at := slices.IndexFunc(o.Functions, func(f codeobj.Symbol) bool {
		return f.VAddr <= k.Entry && k.Entry < f.VAddr+f.Size
	})
	if at < 0 {
		return all
	}
	ids := map[uint16]int{} // SGPRs that contain the id of the work-group, by axis
	for _, s := range codeobj.InitSGPRs(k) {
		if s.Item >= codeobj.WorkGroupIDX && s.Item <= codeobj.WorkGroupIDZ {
			ids[uint16(s.First)] = int(s.Item - codeobj.WorkGroupIDX)
		}
	}
	code, _ := o.Bytes(k.Entry, o.Functions[at].VAddr+o.Functions[at].Size-k.Entry)
	words := make([]uint32, len(code)/4)
	_, _ = binary.Decode(code, binary.LittleEndian, words)
	for len(words) > 0 {
		in, err := isa.Decode(o.Target, words)
		if err != nil {
			words = words[1:]
			continue
		}
		words = words[in.Size/4:]
		all.use(in.Row())
		all.multiplies(&in, ids)
	}
	all.mayBe(spec.I32)
	return all
}

// add adds the facts of another program of the same kernel.
func (f *facts) add(more facts) {
	for _, as := range more.types {
		f.mayBe(as)
	}
	for axis, n := range more.group {
		f.group[axis] = max(f.group[axis], n)
	}
}

// multiplies records that an instruction multiplies the id of the work-group by a constant. It removes registers that
// the instruction writes from ids.
func (f *facts) multiplies(in *isa.Inst, ids map[uint16]int) {
	row, axis := in.Row(), -1
	does := func(flow isa.Flow) bool { return slices.Contains(row.Flow[:], flow) }
	shifts := does(isa.FlowShl) && row.Sig.Dst.Info().Dwords == 1
	for _, o := range in.Operands(nil) {
		if n, ok := ids[o.Code]; ok && o.Read && o.File == isa.SReg && o.Dwords == 1 {
			axis = n
		}
	}
	if axis >= 0 && f.group[axis] == 0 && (shifts || does(isa.FlowMul) || does(isa.FlowMul24)) {
		for _, o := range in.Operands(nil) {
			n, ok := isa.InlineConstant(uint32(o.Code), o.Type)
			if o.Code == isa.Literal && in.Has(isa.LITERAL) {
				n, ok = uint64(in.Get(isa.LITERAL)), true
			}
			if !ok || n == 0 || o.File != isa.NotReg {
				continue
			}
			if shifts {
				n = 1 << min(n, 32)
			}
			if n <= maxGuessedGroup {
				f.group[axis] = uint32(n)
			}
		}
	}
	for _, o := range in.Operands(nil) {
		for i := range uint16(o.Dwords) {
			if o.Write && o.File == isa.SReg {
				delete(ids, o.Code+i)
			}
		}
	}
}

// Sizes of a work-group, in work-items, if the code shows its size.
const (
	minGuessedGroup = 8
	maxGuessedGroup = 1024
)
