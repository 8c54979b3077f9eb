package r600

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Program is a shader, ready to run.
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
	start  int // slot of the clause
	clause []Inst
}

// zero lists the fields that must be 0, because their other values are not modelled.
var zero = [classes][]field{
	classFlow: {fieldPopCount, fieldCFConst, fieldCond, fieldCallCount, fieldValidPixelMode, fieldWholeQuadMode,
		fieldJumpTableSel},
	classFetch: {fieldPopCount, fieldCFConst, fieldCond, fieldCallCount, fieldValidPixelMode, fieldWholeQuadMode,
		fieldJumpTableSel},
	classExport: {fieldRWRel, fieldIndexGPR, fieldElemLoop, fieldValidPixelMode, fieldWholeQuadMode, fieldMark},
	classVertex: {fieldFetchWholeQuad, fieldSrcRel, fieldDstRel, fieldUseConstFields, fieldSRFModeAll, fieldEndianSwap,
		fieldConstBufNoStride, fieldAltConst, fieldBufferIndexMode},
	classTexture: {fieldBCFracMode, fieldInstMod, fieldFetchWholeQuad, fieldSrcRel, fieldAltConst,
		fieldResourceIndexMode, fieldSamplerIndexMode, fieldDstRel, fieldLODBias,
		fieldCoordTypeX, fieldCoordTypeY, fieldOffsetX, fieldOffsetY, fieldOffsetZ},
}

// models reports whether the simulator executes an instruction. Those that end a program or
// do nothing are control flow without a clause.
func (in *Inst) models() bool {
	switch name := in.Name; in.class {
	case classFlow:
		return name == "NOP" || name == "CF_END"
	case classFetch:
		return name == "VTX" || name == "VTX_TC" || name == "TEX"
	case classExport, classVertex:
		return true
	case classTexture:
		return name == "SAMPLE"
	}
	return false
}

// check returns a fault if the instruction uses something that is not modelled.
func (in *Inst) check(slot int) error {
	fault := func(what string) error { return faultAt(slot, in.Name, "%s", what) }
	if !in.models() {
		return fault("the instruction is not modelled; the copy shaders do not use it")
	}
	for _, f := range zero[in.class] {
		if v := in.get(f); v != 0 {
			return fault(fmt.Sprintf("%s is not modelled; only %s is", f.text(in.Family, v), f.text(in.Family, 0)))
		}
	}
	selects := []field{fieldSrcSelX, fieldSrcSelY, fieldSrcSelZ, fieldSrcSelW, fieldDstSelX, fieldDstSelY, fieldDstSelZ,
		fieldDstSelW}
	for i, f := range selects {
		if v := in.get(f); v == 6 || v == selMask && i < 4 {
			return fault(fmt.Sprintf("%v %d selects nothing", f, v))
		}
	}
	switch in.class {
	case classExport:
		return in.checkExport(fault)
	case classVertex:
		if t := in.get(fieldFetchType); t == instanceData || t == 3 {
			return fault(fieldFetchType.text(in.Family, t) + " is not modelled")
		}
		if _, err := in.format().lookup(); err != nil {
			return fault(err.Error())
		}
	}
	return nil
}

// checkExport returns a fault if the export goes to a place that does not exist or is not modelled.
func (in *Inst) checkExport(fault func(string) error) error {
	first, last := in.get(fieldArrayBase), in.get(fieldArrayBase)+in.get(fieldBurstCount)
	switch t := in.get(fieldExportType); {
	case in.get(fieldRWGPR)+in.get(fieldBurstCount) >= gprs:
		return fault("BURST_COUNT goes beyond the last register")
	case t == exportPixel && last < maxTargets, t == exportPosition && first == firstPosition && last == first,
		t == exportParam && last < maxParams:
		return nil
	default:
		return fault(fmt.Sprintf("%s from ARRAY_BASE %d to %d is not modelled", fieldExportType.text(in.Family, t), first,
			last))
	}
}

// format returns the format of a vertex fetch.
func (in *Inst) format() element {
	return element{in.get(fieldDataFormat), in.get(fieldNumFormatAll), in.get(fieldFormatCompAll)}
}

// Values of fields.
const (
	sel0         = 4
	sel1         = 5
	selMask      = 7
	instanceData = 1
	gprs         = 128
	maxTargets   = 8
	maxParams    = 32
)

// Load reads a program: control flow from the first word on, and its clauses. The error is
// an *[Error] of kind [Fault], of the first word that is not an instruction, or is an instruction that is not modelled.
func Load(f Family, words []uint32) (*Program, error) {
	p := &Program{Family: f}
	for slot := 0; 2*slot < len(words); slot++ {
		in, err := decodeInst(f, words[2*slot:])
		if err != nil {
			return nil, faultAt(slot, "", "%v", err)
		}
		if err := in.check(slot); err != nil {
			return nil, err
		}
		s := step{slot: slot, in: in}
		if in.class == classFetch {
			if s.clause, err = loadClause(&in, slot, words); err != nil {
				return nil, err
			}
			s.start = int(in.get(fieldAddr))
		}
		p.steps = append(p.steps, s)
		if in.ends() {
			return p, nil
		}
	}
	return nil, faultAt(len(words)/2, "", "the program does not end; set END_OF_PROGRAM in its last instruction")
}

// loadClause reads the clause that in starts.
func loadClause(in *Inst, slot int, words []uint32) (clause []Inst, err error) {
	wrong := func(what string) error { return faultAt(slot, in.Name, "%s", what) }
	start, count := uint64(in.get(fieldAddr)), uint64(in.get(fieldCount))+1
	if start%2 != 0 {
		return nil, wrong(fmt.Sprintf("ADDR(%d) is no multiple of 2; fetch clauses are aligned to 16 bytes", start))
	}
	if limit := fetches[in.Family]; count > limit {
		return nil, wrong(fmt.Sprintf("%d fetches in a clause; at most %d fit", count, limit))
	}
	if end := 2*start + 4*count; end > uint64(len(words)) {
		return nil, wrong(fmt.Sprintf("the clause ends at word %d of a program of %d", end, len(words)))
	}
	for i := range count {
		at := int(start + 2*i)
		fetch, err := decodeFetch(in.Family, words[2*at:])
		if err != nil {
			return nil, faultAt(at, "", "%v", err)
		}
		if err := fetch.check(at); err != nil {
			return nil, err
		}
		if in.Name != "TEX" && fetch.class == classTexture {
			return nil, faultAt(at, fetch.Name, "a texture fetch in a clause of vertex fetches")
		}
		clause = append(clause, fetch)
	}
	return clause, nil
}

// fetches is how many a clause has at most (rule FS1).
var fetches = [families]uint64{R600: 8, R700: 16, Evergreen: 16, Cayman: 16}

var _ = enum.Full[Family](fetches[:])
