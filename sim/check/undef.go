package check

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// uninit finds undefined values that affect an execution's results.
var uninit = analysis{begin: (*Checker).undefBegin, issue: (*Checker).undefIssue, retire: (*Checker).undefRetire,
	unseen: true}

// undefined has a checker's data for findings of kind [Uninit], besides the shadows of waves (rule UD1).
type undefined struct {
	origins                   origins
	lds, gds, scratch, global memShadow
	pages                     pagePool
	scratchLo, scratchHi      uint64
	scratchFrom, ldsFrom      tag
	start                     start
	toFrame                   uint64 // lanes of the current access, see [Checker.toFrame]
	placed                    bool   // the current work-group's memory ranges are known
	told                      bool   // it was reported that the shadow is full
}

// usage is a use of a value that makes an undefined value a finding (rule UD4). It omits uses that are common in
// compiled code (rule UD5).
type usage uint8

const (
	noUse usage = iota
	usedAddress
	usedResource
	usedSampler
	usedLane
	usedIndex
	usedLimit
	usedFlatLimit
	usedMessage
	usedBranch
	usedSetreg
	usedExec
	usedExport
	usedStored
	usedPadding
	numUses = iota
)

var uses = [numUses]struct {
	name     string // in JSON and suppressions
	noun     string // for messages
	severity Severity
}{
	usedAddress:   {"address", "address", Error},
	usedResource:  {"resource", "descriptor", Error},
	usedSampler:   {"sampler", "sampler", Error},
	usedLane:      {"lane select", "number of the lane", Error},
	usedIndex:     {"register index", "index of the register", Error},
	usedLimit:     {"limit or base of LDS or GDS", "limit or base of LDS or GDS", Error},
	usedFlatLimit: {"limit of LDS", "limit of LDS", Note}, // compiled code does this
	usedMessage:   {"message", "message", Error},
	usedBranch:    {"branch", "condition of the branch", Error},
	usedSetreg:    {"hardware register", "value of the hardware register", Error},
	usedExec:      {"exec", "value of EXEC", Error},
	usedExport:    {"export", "exported value", Warning},
	usedStored:    {"stored data", "stored value", Warning},
	usedPadding:   {"padding", "", Note}, // compilers store vectors of three elements as four
}

var _ = enum.Full(uses[:], noUse)

// undefBegin creates the shadows of a work-group's waves (rule UD2).
func (c *Checker) undefBegin() {
	u := &c.undef
	u.pages.limit = c.Options.maxBytes()
	for _, w := range c.waves {
		if w.shadow == nil {
			w.shadow = &regShadow{}
		}
		u.start.registers(w.shadow, w.Wave, c.Options.Inputs)
	}
	u.placed = false
}

// undefIssue checks the values that an instruction will use. It also sets the shadow of its results, unless they
// depend on memory.
func (c *Checker) undefIssue(x *step) {
	h := x.wave.shadow
	if !c.undef.placed {
		c.locate(x)
	}
	data := false
	for i := range x.effects {
		f := &x.effects[i]
		if f.Write || !h.holds(f, x.exec|x.always(f)) {
			continue
		}
		lanes := x.lanes(f)
		u, care := x.useOf(f)
		if u == noUse {
			data = data || h.holds(f, lanes)
			continue
		}
		if r, ok := h.first(f, lanes, care); ok {
			c.use(x, u, r, f)
		}
		h.define(f, lanes)
	}
	if x.valu && h.s[gcn.M0]&gprIdxInUse != 0 && executor.GPRIndexing(x.Wave) {
		c.use(x, usedIndex, found{registers.M0, state.NoLane, h.sFrom[gcn.M0]}, &isa.Effect{Dwords: 1})
		h.s[gcn.M0] = 0
	}
	if x.reachesMemory() {
		return
	}
	switch {
	case !data:
		c.defineWrites(x, h)
	case x.writesBeyond(): // it will fault
	case x.vector:
		c.vectorFlow(x, h)
	default:
		c.scalarFlow(x, h)
	}
}

// writesBeyond reports whether x writes a VGPR that its wave has not allocated.
func (x *step) writesBeyond() bool {
	return slices.ContainsFunc(x.effects, func(f isa.Effect) bool {
		return f.Write && f.File == isa.VReg && int(f.Code)+int(f.Dwords) > x.Wave.NumVGPRs
	})
}

// losesHalf reports whether s is a load into half of a register that, with SRAM-ECC, does not preserve the other half
// (rule DP4).
func (c *Checker) losesHalf(s *site) bool {
	return s.writesHalf && setting(c.features.SRAMECC, c.Options.SRAMECC)
}

// loseBits marks registers as undefined that x does not preserve although its text suggests it: the other half of a
// D16 load's register, and the mask of V_DIV_SCALE_F64 on GCN 1.0 (rule FP4).
func (c *Checker) loseBits(x *step, h *regShadow) {
	half := c.losesHalf(x.site)
	if !half && !x.losesMask {
		return
	}
	text := "the other half of the register that " + (*isa.Inst)(x.Inst).Row().Name +
		" loads, which it does not keep with SRAM-ECC " +
		"(" + rule.DP4 + ")"
	if x.losesMask {
		text = "the mask of v_div_scale_f64, which cannot be used on " + x.Inst.Target.Gen().String() + " (" + rule.FP4 + ")"
	}
	from := c.undef.origins.left(text, x.site)
	for i := range x.effects {
		f := &x.effects[i]
		switch {
		case !f.Write:
		case f.File == isa.SReg && x.losesMask:
			for n := range int(f.Dwords) {
				h.setScalar(int(f.Code)+n, ^uint32(0), from)
			}
		case f.File == isa.VReg && half && f.Bytes != 0xf:
			for m := x.exec; m != 0; m &= m - 1 {
				h.setVGPR(int(f.Code), bits.TrailingZeros64(m), ^uint32(0), ^spread(f.Bytes), from)
			}
		}
	}
}

// always returns the lanes in which x reads f whatever EXEC is.
func (x *step) always(f *isa.Effect) uint64 {
	if f.Lanes == isa.SelectLane || f.Lanes == isa.FirstLane {
		return allLanes
	}
	return 0
}

// reachesMemory reports whether the results of x are known only after it has executed.
func (x *step) reachesMemory() bool {
	r := (*isa.Inst)(x.Inst).Row()
	return r.Mem.Op != gcn.NoMem && r.Mem.Move == isa.NoMove
}

// undefRetire sets the shadow of values that an instruction moved between memory and registers.
func (c *Checker) undefRetire(x *step) {
	h := x.wave.shadow
	if x.reachesMemory() {
		c.flatUses(x, h)
		c.accessFlow(x, h)
	} else {
		h.settleSCC(x)
	}
	c.loseBits(x, h)
	if h.s[gcn.EXEC]|h.s[gcn.EXEC+1] != 0 {
		f := &isa.Effect{File: isa.SReg, Code: gcn.EXEC, Dwords: 2, Bytes: 0xf}
		if r, ok := h.first(f, allLanes, nil); ok {
			c.use(x, usedExec, r, f)
		}
		h.define(f, allLanes)
	}
	if c.undef.pages.full && !c.undef.told {
		c.undef.told = true
		c.general(Uninit, Note, "max_bytes", "UD1", fmt.Sprintf("the shadow of memory takes more than %d bytes: from "+
			"here on undefined values in memory are not followed; raise Options.MaxBytes", c.Options.maxBytes()))
	}
}

// roleUses are the uses that follow from the role of a register.
var roleUses = [...]usage{
	isa.RoleAddress: usedAddress, isa.RoleResource: usedResource, isa.RoleSampler: usedSampler, isa.RoleLane: usedLane,
	isa.RoleIndex: usedIndex, isa.RoleLimit: usedLimit, isa.RoleMessage: usedMessage, isa.RoleBranch: usedBranch,
}

var _ = enum.Full(roleUses[:], isa.RoleData, isa.RoleExec, isa.RoleMask)

// useOf returns for what x uses the registers of f, and for a resource the bits of each dword that matter; nil means
// all. [Checker.flatUses] handles the registers that FLAT reads besides its address, because they depend on its
// lanes.
func (x *step) useOf(f *isa.Effect) (u usage, care *[4]uint32) {
	in, r := (*isa.Inst)(x.Inst), (*isa.Inst)(x.Inst).Row()
	u = roleUses[f.Role]
	switch u {
	case noUse:
		return x.otherUse(f), nil
	case usedAddress, usedResource, usedSampler, usedLimit:
		if x.exec == 0 && x.vector && !r.Has(isa.IgnoresEXEC) { // no lane accesses memory
			return noUse, nil
		}
	}
	switch {
	case u == usedAddress && in.Enc == isa.FLAT && f.File == isa.SReg,
		u == usedLimit && in.Enc == isa.FLAT,
		u == usedIndex && r.Has(isa.WritesM0): // it changes only a part
		return noUse, nil
	case u == usedResource && in.Enc == isa.SMEM:
		return u, &scalarBufferBits
	case u == usedResource && in.Enc != isa.MIMG:
		return u, &bufferBits
	}
	return u, nil
}

// otherUse returns for what x uses the registers of f, if their role does not tell.
func (x *step) otherUse(f *isa.Effect) usage {
	switch r := (*isa.Inst)(x.Inst).Row(); {
	case r.Has(isa.WritesMODE) && r.Has(isa.WritesEXEC): // forks and joins
		return usedBranch
	case r.Imm == isa.HwregImm && f.File == isa.SReg:
		return usedSetreg
	case x.Inst.Enc == isa.EXP && f.File == isa.VReg:
		return usedExport
	}
	return noUse
}

// Bits of a V# that instructions use. For scalar instructions see rule SM4.
var (
	bufferBits       = [4]uint32(isa.VSharpBits)
	scalarBufferBits = [4]uint32{^uint32(0), 0x3fffffff, ^uint32(0)}
)

// flatUses checks M0 and FLAT_SCRATCH, which FLAT only uses for lanes in LDS and in private memory.
func (c *Checker) flatUses(x *step, h *regShadow) {
	if x.Inst.Enc != isa.FLAT {
		return
	}
	for i := range x.effects {
		f := &x.effects[i]
		if f.Write || f.File != isa.SReg || !h.holds(f, allLanes) {
			continue
		}
		u, lanes := noUse, uint64(0)
		switch f.Role {
		case isa.RoleLimit:
			u, lanes = usedFlatLimit, x.Access.LDSLanes
		case isa.RoleAddress:
			u, lanes = usedAddress, x.Access.ScratchLanes
		}
		if u == noUse || lanes == 0 {
			continue
		}
		if r, ok := h.first(f, allLanes, nil); ok {
			r.lane = bits.TrailingZeros64(lanes)
			c.use(x, u, r, f)
		}
		h.define(f, allLanes)
	}
}

// use reports that x uses an undefined value in a register of effect f. It returns the finding, or nil if it exists
// already.
func (c *Checker) use(x *step, as usage, r found, f *isa.Effect) *Finding {
	return c.finding(x, as, r.reg.Name((*isa.Inst)(x.Inst), &isa.Effect{File: f.File, Dwords: 1}), r.lane, r.from)
}

// useMemory reports that x uses an undefined value from memory that was not in a register. It returns the finding, or
// nil if it exists already.
func (c *Checker) useMemory(x *step, from tag, lane int, addr uint64) *Finding {
	f := c.finding(x, usedStored, "", lane, from)
	if f != nil {
		f.Space, f.Addr = state.Global.String(), &addr
	}
	return f
}

func (c *Checker) finding(x *step, as usage, reg string, lane int, from tag) *Finding {
	text, by, at := c.undef.origins.describe(from, (*isa.Inst)(x.Inst))
	f := x.first(defect{kind: Uninit, field: uses[as].name, reg: reg, rule: "UD4", from: by})
	if f == nil {
		return nil
	}
	f.Severity, f.Lane = uses[as].severity, lane
	of := ""
	if lane != state.NoLane {
		of = fmt.Sprintf(" of lane %d", lane)
	}
	f.message = say("the %s%s is undefined: %v", uses[as].noun, of, text)
	switch as {
	case usedPadding:
		f.message = say("the data that are stored last are undefined, as the padding of a vector of three is: %v", text)
	case usedLimit, usedFlatLimit:
		f.fix = say("s_mov_b32 m0, -1 before %v", pc(f.PC))
	}
	if by != nil {
		f.Producer = &at
	}
	return f
}
