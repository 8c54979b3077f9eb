package r600

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// Program is a decoded shader.
type Program struct {
	Family Family
	steps  []step
}

// DrawsPixels reports whether the program exports colours, as pixel shaders do.
func (p *Program) DrawsPixels() bool {
	return slices.ContainsFunc(p.steps, func(s step) bool {
		return s.in.class == classExport && s.in.get(fieldExportType) == exportPixel
	})
}

// step is a control flow instruction with its clause.
type step struct {
	slot   int
	in     Inst
	start  int // slot where the clause starts
	clause []Inst
	groups []group // groups of an ALU clause
	addr   int     // index of the step at ADDR, for jumps and loops
}

// zero lists the fields that must be 0, because other values are not modelled.
var zero = [classes][]field{
	classFlow:   {fieldPopCount, fieldCFConst, fieldCond, fieldCallCount, fieldValidPixelMode, fieldWholeQuadMode},
	classFetch:  {fieldPopCount, fieldCFConst, fieldCond, fieldCallCount, fieldValidPixelMode, fieldWholeQuadMode},
	classALU:    {fieldAltConst, fieldUsesWaterfall, fieldWholeQuadMode},
	classExport: {fieldRWRel, fieldIndexGPR, fieldElemLoop, fieldValidPixelMode, fieldWholeQuadMode},
	classVertex: {fieldFetchWholeQuad, fieldSrcRel, fieldDstRel, fieldUseConstFields, fieldSRFModeAll, fieldEndianSwap,
		fieldConstBufNoStride, fieldAltConst},
	classTexture: {fieldBCFracMode, fieldFetchWholeQuad, fieldSrcRel, fieldAltConst, fieldDstRel, fieldLODBias,
		fieldCoordTypeX, fieldCoordTypeY, fieldOffsetX, fieldOffsetY, fieldOffsetZ},
}

// check returns a fault if the instruction uses a feature that is not modelled.
func (in *Inst) check(slot int) error {
	fault := func(kind state.FaultKind, what string) error { return faultAt(kind, slot, in.Name, "%s", what) }
	if in.does == notModelled {
		return fault(unsupported, "the instruction is not modelled")
	}
	for _, f := range zero[in.class] {
		if f == fieldPopCount && in.does.pops() || f == fieldCFConst && in.does == doLoop {
			continue
		}
		if v := in.get(f); v != 0 {
			return fault(unsupported, fmt.Sprintf("%s is not modelled; only %s is", f.text(in.Family, v),
				f.text(in.Family, 0)))
		}
	}
	selects := []field{fieldSrcSelX, fieldSrcSelY, fieldSrcSelZ, fieldSrcSelW, fieldDstSelX, fieldDstSelY, fieldDstSelZ,
		fieldDstSelW}
	for i, f := range selects {
		if v := in.get(f); v == 6 || v == selMask && i < 4 {
			return fault(illegal, fmt.Sprintf("%v %d selects nothing", f, v))
		}
	}
	switch in.class {
	case classExport:
		return in.checkExport(fault)
	case classVertex:
		if t := in.get(fieldFetchType); t == instanceData || t == 3 {
			return fault(unsupported, fieldFetchType.text(in.Family, t)+" is not modelled")
		}
		if _, kind, err := in.format().lookup(); err != nil {
			return fault(kind, err.Error())
		}
	}
	return nil
}

// checkExport returns a fault if the export's target does not exist or is not modelled.
func (in *Inst) checkExport(fault func(state.FaultKind, string) error) error {
	first, last := in.get(fieldArrayBase), in.get(fieldArrayBase)+in.get(fieldBurstCount)
	switch t := in.get(fieldExportType); {
	case in.get(fieldRWGPR)+in.get(fieldBurstCount) >= gprs:
		return fault(noRegister, "BURST_COUNT goes beyond the last register")
	case t == exportPixel && last < maxTargets, t == exportPosition && first == firstPosition && last == first,
		t == exportParam && last < maxParams:
		return nil
	default:
		return fault(unsupported, fmt.Sprintf("%s from ARRAY_BASE %d to %d is not modelled",
			fieldExportType.text(in.Family, t), first, last))
	}
}

// format returns the element format of a vertex fetch.
func (in *Inst) format() element {
	return element{in.get(fieldDataFormat), in.get(fieldNumFormatAll), in.get(fieldFormatCompAll)}
}

// Values of instruction fields.
const (
	sel0         = 4
	sel1         = 5
	selMask      = 7
	instanceData = 1
	gprs         = 128
	maxTargets   = 8
	maxParams    = 32
)

// Load decodes a program: control flow from the first word on, and its clauses. The error is an *[Error] of kind
// [Fault] for the first word that is not an instruction or whose instruction is not modelled.
func Load(f Family, words []uint32) (*Program, error) {
	p := &Program{Family: f}
	for slot := 0; 2*slot < len(words); slot++ {
		s, err := loadStep(f, slot, words)
		if err != nil {
			return nil, err
		}
		p.steps = append(p.steps, s)
		if s.in.ends() {
			return p, p.link()
		}
	}
	return nil, faultAt(offProgram, len(words)/2, "", "the program does not end; set END_OF_PROGRAM in its last instruction")
}

// loadStep decodes a control flow instruction and its clause.
func loadStep(f Family, slot int, words []uint32) (s step, err error) {
	in, err := decodeInst(f, words[2*slot:])
	if err != nil {
		return step{}, faultAt(noWord, slot, "", "%v", err)
	}
	if err := in.check(slot); err != nil {
		return step{}, err
	}
	s = step{slot: slot, in: in}
	switch in.class {
	case classFetch:
		s.start = int(in.get(fieldAddr))
		s.clause, err = loadClause(&in, slot, words)
	case classALU:
		s.start = int(in.get(fieldAddr))
		s.groups, err = loadALU(&in, slot, words)
	}
	return s, err
}

// link resolves the targets of jumps and loops to steps.
func (p *Program) link() error {
	for i := range p.steps {
		s := &p.steps[i]
		if !s.in.does.hasAddr() {
			continue
		}
		if s.addr = int(s.in.get(fieldAddr)); s.addr >= len(p.steps) {
			return faultAt(offProgram, s.slot, s.in.Name, "ADDR(%d) is beyond the last instruction of control flow, %d",
				s.addr, len(p.steps)-1)
		}
	}
	return nil
}

// loadClause decodes the clause that in starts.
func loadClause(in *Inst, slot int, words []uint32) (clause []Inst, err error) {
	fault := func(kind state.FaultKind, format string, args ...any) error {
		return faultAt(kind, slot, in.Name, format, args...)
	}
	start, count := uint64(in.get(fieldAddr)), uint64(in.get(fieldCount))+1
	if start%2 != 0 {
		return nil, fault(illegal, "ADDR(%d) is no multiple of 2; fetch clauses are aligned to 16 bytes", start)
	}
	if limit := fetches[in.Family]; count > limit {
		return nil, fault(illegal, "%d fetches in a clause; at most %d fit", count, limit)
	}
	if end := 2*start + 4*count; end > uint64(len(words)) {
		return nil, fault(offProgram, "the clause ends at word %d of a program of %d", end, len(words))
	}
	for i := range count {
		at := int(start + 2*i)
		fetch, err := decodeFetch(in.Family, words[2*at:])
		if err != nil {
			return nil, faultAt(noWord, at, "", "%v", err)
		}
		if err := fetch.check(at); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(in.Name, "TEX") && fetch.class == classTexture {
			return nil, faultAt(illegal, at, fetch.Name, "a texture fetch in a clause of vertex fetches")
		}
		clause = append(clause, fetch)
	}
	return clause, nil
}

// fetches is the greatest number of fetches in a clause (rule FS1).
var fetches = [families]uint64{R600: 8, R700: 16}

var _ = enum.Full[Family](fetches[:])
