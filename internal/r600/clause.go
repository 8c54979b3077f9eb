package r600

import (
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/state"
)

// Values of SRC0_SEL and the other source fields (rule FS9). Values below srcKCache0 are registers.
const (
	srcKCache0     = 128
	srcKCache1     = 160
	srcKCacheEnd   = 192
	srcLoop        = 238
	srcZero        = 248
	srcOne         = 249
	srcOneInt      = 250
	srcMinusOneInt = 251
	srcHalf        = 252
	srcLiteral     = 253
	srcPV          = 254
	srcPS          = 255
	srcFile        = 256
)

const oneFloat = 0x3f800000

// inline are the values of sources that are constants.
var inline = map[uint32]uint32{srcZero: 0, srcOne: oneFloat, srcOneInt: 1, srcMinusOneInt: math.MaxUint32,
	srcHalf: 0x3f000000}

// indexLoop is the INDEX_MODE that adds the loop index. Lower modes add a component of the address register.
const indexLoop = 4

// transSlot is the transcendental slot of a group, after the vector slots X to W.
const transSlot = 4

// group is a set of ALU instructions that execute together.
type group struct {
	slot     int // slot of its first word in the program
	parts    []part
	literals [4]uint32
}

// part is one instruction of a group.
type part struct {
	in    Inst
	slot  int // slot of its word in the program
	unit  int // 0 to 3 for X to W, or transSlot
	arith *arith
	src   []source
}

// source is a decoded operand: number, component, index mode, negation and absolute value.
type source struct {
	sel, elem     uint32
	rel, neg, abs bool
}

// sourceFields are the instruction fields of the three operands.
var sourceFields = [3]struct{ sel, rel, elem, neg, abs field }{
	{fieldSrc0Sel, fieldSrc0Rel, fieldSrc0Elem, fieldSrc0Neg, fieldSrc0Abs},
	{fieldSrc1Sel, fieldSrc1Rel, fieldSrc1Elem, fieldSrc1Neg, fieldSrc1Abs},
	{fieldSrc2Sel, fieldSrc2Rel, fieldSrc2Elem, fieldSrc2Neg, fieldSrc2Neg},
}

// loadALU decodes the groups, with their literals, of the ALU clause that in starts.
func loadALU(in *Inst, slot int, words []uint32) (all []group, err error) {
	at, end := uint64(in.get(fieldAddr)), uint64(in.get(fieldAddr))+uint64(in.get(fieldCount))+1
	if 2*end > uint64(len(words)) {
		return nil, faultAt(offProgram, slot, in.Name, "the clause ends at word %d of a program of %d", 2*end, len(words))
	}
	for at < end {
		g := group{slot: int(at)}
		for last := false; !last; at++ {
			if at == end {
				return nil, faultAt(illegal, g.slot, "", "the clause ends in a group; set LAST in its last instruction")
			}
			one, err := decodeALU(in.Family, words[2*at:])
			if err != nil {
				return nil, faultAt(noWord, int(at), "", "%v", err)
			}
			if err := g.add(&one, int(at), in); err != nil {
				return nil, err
			}
			last = one.get(fieldLast) != 0
		}
		if at, err = g.complete(at, end, words, all); err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// add adds an instruction to the group. cf is the instruction that starts its clause.
func (g *group) add(in *Inst, slot int, cf *Inst) error {
	fault := func(k state.FaultKind, text string, args ...any) error {
		return faultAt(k, slot, in.Name, text, args...)
	}
	p := part{in: *in, slot: slot, unit: int(in.get(fieldDstElem)), arith: in.arith()}
	if p.arith.result == nil {
		return fault(unsupported, "the instruction is not modelled")
	}
	effects := p.arith.effect
	for i := range in.Sources() {
		f := &sourceFields[i]
		s := source{in.get(f.sel), in.get(f.elem), in.get(f.rel) != 0, in.get(f.neg) != 0,
			f.abs != f.neg && in.get(f.abs) != 0}
		if (s.neg || s.abs) && effects&srcFloat == 0 {
			return fault(illegal, "the sign of an integer: %v and its like have a meaning for numbers with a point", f.neg)
		}
		if kind, why := s.wrong(in, cf); why != "" {
			return fault(kind, "%v %d: %s", f.sel, s.sel, why)
		}
		p.src = append(p.src, s)
	}
	if kind, why := p.wrong(effects); why != "" {
		return fault(kind, "%s", why)
	}
	return g.place(p)
}

// arith returns the table row of an ALU instruction.
func (in *Inst) arith() *arith {
	if in.class == classOp3 {
		return &arith3[indexOf(ops3, in.Family, in.get(fieldOp3))]
	}
	return &arith2[indexOf(ops2, in.Family, in.get(fieldOp2))]
}

// Sources returns the number of operands of an ALU instruction.
func (in *Inst) Sources() uint8 { return in.arith().sources }

// wrong returns why the operand is invalid or not modelled, or "".
func (s *source) wrong(in, cf *Inst) (kind state.FaultKind, why string) {
	_, constant := inline[s.sel]
	switch {
	case in.get(fieldIndexMode) > indexLoop:
		return unsupported, fmt.Sprintf("INDEX_MODE %d is not modelled", in.get(fieldIndexMode))
	case s.rel && s.sel >= srcKCacheEnd:
		return illegal, "only registers and constants can be relative"
	case s.sel < srcKCache0 || constant || s.sel == srcLiteral || s.sel == srcPV || s.sel == srcPS || s.sel == srcLoop:
		return 0, ""
	case s.sel >= srcKCacheEnd:
		return unsupported, "the source is not modelled"
	}
	mode := cf.get(fieldKCacheMode0)
	if s.sel >= srcKCache1 {
		mode = cf.get(fieldKCacheMode1)
	}
	switch {
	case mode == 0:
		return noMemory, "the clause locks no constants there; set KCACHE_MODE"
	case mode == 3:
		return unsupported, "KCACHE_MODE 3 is not modelled"
	case mode == 1 && s.sel%32 >= 16:
		return noMemory, "the clause locks 16 constants there"
	}
	return 0, ""
}

// wrong returns why the result of p is not modelled, or "".
func (p *part) wrong(effects effect) (kind state.FaultKind, why string) {
	switch in := &p.in; {
	case effects&dstFloat == 0 && (in.get(fieldOMod) != 0 || in.get(fieldClamp) != 0):
		return illegal, "OMOD and CLAMP of an integer have no meaning"
	case effects&predicate == 0 && (in.get(fieldUpdateExec) != 0 || in.get(fieldUpdatePred) != 0):
		return illegal, "UPDATE_EXECUTE_MASK and UPDATE_PRED are for instructions PRED_SET"
	case in.get(fieldFogMerge) != 0:
		return unsupported, "FOG_MERGE 1 is not modelled"
	case in.get(fieldPredSel) == 1:
		return illegal, "PRED_SEL 1 selects nothing"
	}
	return 0, ""
}

// at returns the instruction in a slot, or nil.
func (g *group) at(unit int) *part {
	for i := range g.parts {
		if g.parts[i].unit == unit {
			return &g.parts[i]
		}
	}
	return nil
}

// place puts p into the slot that its DST_ELEM or its operation selects (rule FS9).
func (g *group) place(p part) error {
	if u := p.arith.unit; u.transcendental(p.in.Family) || g.at(p.unit) != nil && u != vecUnit && u != reduceUnit {
		p.unit = transSlot
	}
	if g.at(p.unit) != nil {
		return faultAt(illegal, p.slot, p.in.Name, "the group has no slot left for it")
	}
	g.parts = append(g.parts, p)
	return nil
}

// complete reads the group's literals, which start at slot at, and checks its references to the previous group's
// results.
func (g *group) complete(at, end uint64, words []uint32, before []group) (uint64, error) {
	literals, dots := uint64(0), 0
	for i := range g.parts {
		p := &g.parts[i]
		if p.arith.effect&dot != 0 {
			dots++
		}
		for _, s := range p.src {
			unit := int(s.elem)
			switch s.sel {
			case srcLiteral:
				literals = max(literals, uint64(s.elem)+1)
				continue
			case srcPS:
				unit = transSlot
			case srcPV:
			default:
				continue
			}
			if len(before) == 0 || before[len(before)-1].at(unit) == nil {
				return 0, faultAt(illegal, p.slot, p.in.Name, "the group before it in the clause leaves no %s",
					previous[unit])
			}
		}
	}
	if dots != 0 && dots != transSlot {
		return 0, faultAt(illegal, g.slot, g.parts[0].in.Name, "a dot product takes all four vector slots")
	}
	next := at + (literals+1)/2
	if next > end {
		return 0, faultAt(illegal, g.slot, "", "the clause ends before the literals of the group")
	}
	copy(g.literals[:literals], words[2*at:])
	return next, nil
}

// previous are the names of the previous group's results, by slot.
var previous = [transSlot + 1]string{"PV.X", "PV.Y", "PV.Z", "PV.W", "PS"}
