package check

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Inputs are the registers and memories that the creator of bare waves has initialized. EXEC and MODE are always
// defined. The simulator starts all others with 0; on hardware their content is undefined.
type Inputs struct {
	// Scalars are indexed by operand code: SGPRs, [gcn.VCC], [gcn.M0], FLAT_SCRATCH.
	Scalars [isa.NumScalarCodes]bool
	VGPRs   [state.MaxVGPRs]bool
	SCC     bool
	// LDS and GDS say that the host has filled these memories. GDS also applies to dispatches.
	LDS, GDS bool
}

// start is the initial state of a launch's waves.
type start struct {
	given  *given      // nil for bare waves
	image  *scalarBits // for dispatches
	images int         // number of VGPRs of its waves
	noInit []freshRange
}

// given are the registers that are initialized for waves of a dispatch (rules ST11 and ST12).
type given struct {
	workItems int // number of initialized work-item registers among v0, v1 and v2
	scalars   []scalars
}

// scalars is a range of SGPRs.
type scalars struct{ first, count int }

// givenBy returns the registers that are initialized for a kernel. If the descriptor does not define the content of
// any user SGPR, a driver sets all of them.
func givenBy(k *codeobj.Kernel) *given {
	e := &given{workItems: k.WorkItemVGPRs}
	if len(codeobj.InitSGPRs(k)) == 0 || codeobj.InitSGPRs(k)[0].First == k.UserSGPRs {
		e.scalars = append(e.scalars, scalars{0, k.UserSGPRs})
	}
	for _, item := range codeobj.InitSGPRs(k) {
		e.scalars = append(e.scalars, scalars{item.First, item.Count})
	}
	return e
}

// NoInit says that the content of b is undefined until a wave writes it, like a buffer that the host has allocated
// and not filled. It must be called before the launch. ok is false if c does not look for undefined values, so the
// call has no effect.
func (c *Checker) NoInit(b *sim.Buffer) (ok bool) {
	u := &c.undef
	from := u.origins.memory(fmt.Sprintf("the buffer at 0x%x has no data", b.Addr))
	u.start.noInit = append(u.start.noInit, freshRange{b.Addr, b.Addr + b.Size, from})
	u.global.reset(&u.pages, u.start.noInit...)
	return c.has(Uninit)
}

// bare prepares for bare waves.
func (u *undefined) bare(inputs *Inputs) { u.begin(nil, inputs != nil && !inputs.GDS) }

// launch prepares for a dispatch.
func (u *undefined) launch(l *sim.Launch, inputs *Inputs) {
	if k, err := l.Module.Object.Kernel(l.Kernel); err == nil { // otherwise the dispatch reports the error
		u.begin(givenBy(k), inputs == nil || !inputs.GDS)
	}
}

// compute prepares for a dispatch from registers.
func (u *undefined) compute(t gcn.Target, c *sim.Compute, inputs *Inputs) {
	r := c.RSRC.Fields(t)
	sgprs := r.UserSGPRs
	for _, given := range r.System {
		if given {
			sgprs++
		}
	}
	u.begin(&given{r.WorkItemIDs, []scalars{{0, sgprs}}}, inputs == nil || !inputs.GDS)
}

func (u *undefined) begin(e *given, freshGDS bool) {
	if u.ldsFrom == 0 {
		u.ldsFrom = u.origins.memory("LDS was never written there")
		u.scratchFrom = u.origins.memory("private memory was never written there")
	}
	u.start.given, u.start.image = e, nil
	u.gds.reset(&u.pages)
	u.global.reset(&u.pages, u.start.noInit...)
	if freshGDS {
		u.gds.refresh(freshRange{0, ^uint64(0), u.origins.memory("GDS was never written there")})
	}
}

// registers sets the shadow h of the registers with which w starts (rule UD2).
func (s *start) registers(h *regShadow, w *state.Wave, inputs *Inputs) {
	h.resize(w.NumVGPRs)
	e := s.given
	if e != nil && s.image != nil && s.images == w.NumVGPRs {
		h.scalarBits = *s.image
		for n := range h.v {
			h.lanes[n], h.never[n] = allLanes, allLanes
		}
		e.giveWorkItems(h, w)
		return
	}
	h.scalarBits = scalarBits{}
	if e == nil && (inputs == nil || w.Executed > 0) {
		return
	}
	for n := range h.s {
		if n&^1 == gcn.EXEC || e == nil && inputs.Scalars[n] {
			continue
		}
		h.setScalar(n, ^uint32(0), neverWritten(registers.ScalarRegs+reg(n)))
	}
	s.trapRegisters(h, w)
	h.setSCC(e != nil || !inputs.SCC, neverWritten(registers.FlagRegs+reg(isa.FlagSCC)))
	for n := range h.v {
		switch {
		case e == nil && inputs.VGPRs[n]:
		default:
			h.fresh(n, allLanes)
		}
	}
	if e == nil {
		return
	}
	for _, given := range e.scalars {
		for n := range given.count {
			h.define(&isa.Effect{File: isa.SReg, Code: uint16(given.first + n), Dwords: 1}, allLanes)
		}
	}
	image := h.scalarBits
	s.image, s.images = &image, w.NumVGPRs
	e.giveWorkItems(h, w)
}

// giveWorkItems marks the registers with work-item numbers as defined. Lanes without a work-item are undefined.
func (e *given) giveWorkItems(h *regShadow, w *state.Wave) {
	for n := range min(e.workItems, len(h.v)) {
		h.fresh(n, ^w.Exec())
	}
}

// trapRegisters marks the registers as defined that the hardware and the driver set for a trap handler: TTMP0 and
// TTMP1, TBA and TMA (rule ST21).
func (s *start) trapRegisters(h *regShadow, w *state.Wave) {
	t := isa.TraitsOf(w.Target)
	for n := range 2 {
		h.setScalar(int(t.TTMP)+n, 0, 0)
	}
	if t.TBA < 0 {
		return
	}
	for n := range 4 {
		h.setScalar(int(t.TBA)+n, 0, 0)
	}
}

// locate finds the memories of the current work-group. x is its first instruction.
func (c *Checker) locate(x *step) {
	u := &c.undef
	u.placed = true
	u.lds.reset(&u.pages)
	if u.start.given != nil || c.Options.Inputs != nil && !c.Options.Inputs.LDS {
		u.lds.refresh(freshRange{0, uint64(len(x.LDS)), u.ldsFrom})
	}
	u.scratch.reset(&u.pages)
	u.scratchLo, u.scratchHi = 0, 0
	if u.start.given != nil && len(x.Private) > 0 {
		u.scratchLo, u.scratchHi = x.PrivateBase, x.PrivateBase+uint64(len(x.Private))
		u.scratch.refresh(freshRange{u.scratchLo, u.scratchHi, u.scratchFrom})
	}
}
