package check

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// stateField is a field of a state register that can be set without effect.
type stateField struct {
	name    string
	mask    uint32
	first   gcn.Gen // first generation with the field
	last    gcn.Gen // last generation with the field
	level   Severity
	rule    string
	message string
}

// modeFields are the fields of MODE that the simulator ignores (rule ST5).
var modeFields = []stateField{
	{"MODE.FP16_OVFL", uint32(state.ModeFP16Ovfl), gcn.GCN14, gcn.GCN141, Warning, "ST14", "hardware clamps half-precision results that overflow; they become infinite here"},
	{"MODE.GPR_IDX_EN", uint32(state.ModeGPRIdxEn), gcn.GCN10, gcn.GCN11, Warning, "ST9", "there is no GPR indexing before GCN 1.2"},
	{"MODE.VSKIP", uint32(state.ModeVSkip), gcn.GCN10, gcn.GCN141, Warning, "ST5", "hardware skips vector instructions; they are executed here"},
	{"MODE", 0xf << 19, gcn.GCN10, gcn.GCN141, Note, "ST5", "bits 19 to 22 have no meaning"},
	{"MODE", 1 << 23, gcn.GCN10, gcn.GCN12, Note, "ST5", "bit 23 has no meaning before GCN 1.4"},
	{"MODE", 7 << 24, gcn.GCN10, gcn.GCN141, Note, "ST5", "bits 24 to 26 belong to graphics and performance counters; they have no effect here"},
}

// statusFields are the fields of STATUS that a user can set and that the simulator ignores (rule ST4).
var statusFields = []stateField{
	{"STATUS.HALT", uint32(state.StatusHalt), gcn.GCN10, gcn.GCN141, Warning, "ST4", "hardware executes nothing until the host resumes the wave; a wave that begins so runs here"},
	{"STATUS.TRAP", uint32(state.StatusTrap), gcn.GCN10, gcn.GCN141, Warning, "ST4", "hardware enters the trap handler; a wave that begins so does not here"},
	{"STATUS.SKIP_EXPORT", uint32(state.StatusSkipExport), gcn.GCN10, gcn.GCN141, Warning, "ST4", "hardware exports nothing; exports are kept here"},
}

// stateBits reports fields of MODE and STATUS that are set without effect, once for each field: at the instruction
// that set it, or as a setting if the wave started with it.
func (c *Checker) stateBits(x *step) {
	w := x.Wave
	if bits := uint32(w.Mode) &^ c.mode; bits != 0 {
		c.mode |= bits
		setsMode := (*isa.Inst)(x.Inst).Row().Imm == isa.HwregImm && (*isa.Inst)(x.Inst).Row().Sig.Dst == isa.None
		c.unheeded(x, modeFields, bits, setsMode)
	}
	if bits := uint32(w.Status()) &^ c.status; bits != 0 {
		c.status |= bits
		c.unheeded(x, statusFields, bits, false)
	}
}

func (c *Checker) unheeded(x *step, fields []stateField, bits uint32, here bool) {
	for i := range fields {
		f := &fields[i]
		if bits&f.mask == 0 || x.Wave.Target.Gen() < f.first || x.Wave.Target.Gen() > f.last {
			continue
		}
		if !here {
			c.setting(f.level, f.name, f.rule, f.message)
			continue
		}
		if found := x.first(defect{kind: Ignored, field: f.name, rule: f.rule}); found != nil {
			found.Severity, found.message = f.level, say("%s", f.message)
		}
	}
}

// alignSetting reports an alignment mode that the generation does not have.
func (c *Checker) alignSetting(m *sim.Machine, config *sim.Config) {
	if config.Align > state.AlignDword && !isa.TraitsOf(m.Target).AlignModes {
		c.setting(Warning, "alignment", "L2", fmt.Sprintf("%v has no SH_MEM_CONFIG.alignment_mode: addresses are "+
			"aligned down as in mode dword", m.Target))
	}
}

// featureSettings reports options that have no effect because the code object overrides them.
func (c *Checker) featureSettings() {
	f := c.features
	if c.Options.XNACK && f.XNACK == codeobj.Off {
		c.setting(Warning, "xnack", "WS20", "the code object is made for processors with XNACK off: nothing is replayed")
	}
	if c.Options.SRAMECC && f.SRAMECC == codeobj.Off {
		c.setting(Warning, "sramecc", "W3", "the code object is made for processors without error correction: loads "+
			"into half a register keep the other half")
	}
}

// dispatchSettings reports settings that a dispatch ignores: those for bare waves, and bits of the program's
// registers. of is the struct of package sim that describes the dispatch.
func (c *Checker) dispatchSettings(r *sim.Run, of string) {
	m, l := r.Machine, &r.Compute.Config
	c.alignSetting(m, l)
	for _, f := range []struct {
		set  bool
		name string
	}{
		{m.Rules != 0 && l.Rules == 0, "Rules"},
		{m.Align != 0 && l.Align == 0, "Align"},
		{m.Compare, "Compare"},
		{m.Limit != 0 && l.Limit == 0, "Limit"},
		{slices.ContainsFunc(m.Watchers(), func(w sim.Watcher) bool { return !slices.Contains(l.Watchers(), w) }), "Watch"},
	} {
		if f.set {
			c.setting(Warning, "Machine."+f.name, "", "it is for bare waves, a dispatch does not look at "+
				"it; give "+of+"."+f.name)
		}
	}
	if m.LDSSize != isa.TraitsOf(m.Target).MaxLDS {
		c.setting(Warning, "Machine.LDSSize", "", "it is for bare waves, a dispatch does not look at it; a dispatch has "+
			"the LDS that its kernel asks for")
	}
	for _, f := range kernelFields {
		reg := r.Compute.RSRC[0]
		if f.second {
			reg = r.Compute.RSRC[1]
		}
		if g := m.Target.Gen(); reg&f.mask != 0 && g >= f.first && g <= f.last {
			c.setting(f.level, f.name, f.rule, f.message)
		}
	}
}

// kernelFields are the fields of COMPUTE_PGM_RSRC1 and RSRC2 that a dispatch ignores (rule ST14). Arithmetic
// exceptions are in MODE, see [modeFields].
var kernelFields = []struct {
	stateField
	second bool // the field is in RSRC2
}{
	{stateField{"RSRC1.PRIV", 1 << 20, gcn.GCN10, gcn.GCN141, Warning, "ST14", "no kernel is privileged: STATUS.PRIV is 0"}, false},
	{stateField{"RSRC1.DEBUG", 1 << 22, gcn.GCN10, gcn.GCN141, Warning, "ST14", "hardware traps after each instruction; here MODE.DEBUG alone does that"}, false},
	{stateField{"RSRC1.FP16_OVFL", 1 << 26, gcn.GCN14, gcn.GCN141, Warning, "ST14", "hardware clamps half-precision results that overflow; they become infinite here"}, false},
	{stateField{"RSRC2.TRAP", 1 << 6, gcn.GCN10, gcn.GCN141, Note, "ST14", "STATUS.TRAP_EN says whether the run has a trap handler, whatever the kernel asks for"}, true},
	{stateField{"RSRC2.EXCP_EN", 3 << 13, gcn.GCN10, gcn.GCN141, Warning, "ST14", "there are no address watches, and memory violations always enter a trap handler"}, true},
}
