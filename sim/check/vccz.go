package check

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// vccz tracks whether VCCZ of a wave may be stale, that is, differ from VCC == 0 (rule W7, which compilers list as
// rule WS22).
type vccz struct {
	stale bool
	load  bool // a scalar load may have made it stale; otherwise only half of VCC was written
	from  *site
	index uint64
}

// follow updates v after x.
func (v *vccz) follow(x *step) {
	lo, hi := x.writes.has(registers.VCC), x.writes.has(registers.VCC+1)
	switch {
	case x.wait.path == pathScalar && isa.TraitsOf(x.Wave.Target).StaleVCCZ:
		*v = vccz{true, true, x.site, x.executed}
	case lo != hi:
		*v = vccz{true, false, x.site, x.executed}
	case !lo:
	case isa.TraitsOf(x.Wave.Target).StaleVCCZ:
		*v = vccz{}
		for i := range x.wave.counters.live {
			if e := &x.wave.counters.live[i]; e.site.wait.path == pathScalar {
				*v = vccz{true, true, e.site, e.index}
				break
			}
		}
	default:
		*v = vccz{}
	}
}

// judgeVCCZ reports an instruction that uses a VCCZ which may be stale.
func (c *Checker) judgeVCCZ(x *step) {
	v := &x.wave.vccz
	if !v.stale || !c.on[VCCZ] {
		return
	}
	v.stale = false
	f := x.first(defect{kind: VCCZ, reg: registers.FlagName(isa.FlagVCCZ), rule: "W7", from: v.from})
	if f == nil {
		return
	}
	producer := v.from.place(x.Wave, v.index)
	f.Producer, f.Severity = &producer, Warning
	f.message = say("VCCZ may not say whether VCC is 0: %v wrote one half of it", v.from.named())
	f.fix = say("s_mov_b64 vcc, vcc before %v", pc(x.PC))
	if v.load {
		f.Severity = Error
		f.message = say("VCCZ may not say whether VCC is 0: the scalar access %v may have spoiled it", v.from.named())
		f.fix = say("s_waitcnt lgkmcnt(0) and s_mov_b64 vcc, vcc before %v", pc(x.PC))
	}
}
