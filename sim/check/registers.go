package check

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/alu"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// registerIssues returns the issues of the scalar registers that an instruction uses, as far as they follow from the
// instruction and the wave's allocation.
func registerIssues(in *isa.Inst, effects []isa.Effect, w *state.Wave) (list issues) {
	list.allocation(effects, w)
	if n := unpackedD16(in); n > 0 {
		last := int(in.Get(isa.VDATA)) + n - 1
		list.is(last >= w.NumVGPRs, Warning, "VDATA", "IM6", fmt.Sprintf("%v counts the registers of the data as if D16 did "+
			"not pack them: up to v%d, but the wave has %d VGPRs", in.Target, last, w.NumVGPRs))
	}
	if in.Row().Imm == isa.HwregImm && in.Row().Sig.Dst == isa.None {
		id, _, _ := executor.Hwreg(in)
		name, readOnly := alu.Register(id)
		list.is(readOnly, Warning, name, "ST4", "programs cannot write this register: the instruction has no effect")
	}
	return list
}

// unpackedD16 returns how many registers the data of an image instruction would use without D16, if the processor
// requires that many (rule IM6), and 0 otherwise.
func unpackedD16(in *isa.Inst) int {
	if in.Enc != isa.MIMG || !in.Bool(isa.D16) {
		return 0
	}
	switch r, gfx810 := in.Row(), in.Target == gcn.GFX810; {
	case strings.HasPrefix(r.Name, "image_gather4") && (gfx810 || in.Target.Gen() >= gcn.GCN14):
		return 4
	case r.Mem.Op == gcn.Store && gfx810:
		return bits.OnesCount32(in.Get(isa.DMASK))
	}
	return 0
}

// allocation appends the issue that scalar registers of effects are not allocated.
func (list *issues) allocation(effects []isa.Effect, w *state.Wave) {
	for _, x := range effects {
		last := int(x.Code) + int(x.Dwords) - 1
		if x.File == isa.SReg && w.NumSGPRs != 0 && last < isa.TraitsOf(w.Target).SGPRs && last >= w.NumSGPRs {
			list.is(true, Error, fmt.Sprint("s", max(int(x.Code), w.NumSGPRs)), "ST14",
				fmt.Sprintf("the kernel is allocated %d SGPRs, s0 to s%d; beyond them hardware has no register of this wave",
					w.NumSGPRs, w.NumSGPRs-1))
		}
	}
}

// outsideRegisters reports that M0 selects registers that the wave has not allocated.
func (x *step) outsideRegisters() {
	named, size := &x.site.effects[x.outside], x.Wave.NumVGPRs
	file, by := "VGPRs", x.m0
	switch {
	case named.File == isa.SReg:
		file, size = "SGPRs", executor.RelativeSGPRs(x.Wave)
	case executor.GPRIndexing(x.Wave):
		by &= 0xff
	}
	f := x.first(defect{kind: Ignored, field: "M0", rule: "ST23"})
	if f == nil {
		return
	}
	letter := strings.ToLower(file[:1])
	effect := fmt.Sprintf("hardware reads %s0 in its place", letter)
	if named.Write {
		effect = "the instruction does nothing"
	}
	f.Severity = Error
	f.message = say("%s%d + M0 is %s%d, but the wave has %d %s: %s", letter, named.Code, letter,
		uint64(named.Code)+uint64(by), size, file, effect)
}

// trapRegisters reports that an unprivileged program uses registers of the trap handler.
func (c *Checker) trapRegisters(x *step) {
	// The instruction that leaves the handler is privileged until it has executed.
	if x.trap == "" || x.Wave.Privileged() || (*isa.Inst)(x.Inst).Row().Control == isa.LeavesTrap {
		return
	}
	if f := x.first(defect{kind: Ignored, field: x.trap, rule: "ST2"}); f != nil {
		f.Severity = Warning
		f.message = say("only a trap handler has this register, and STATUS.PRIV is 0: it reads as 0, and what is " +
			"written is lost")
	}
}

// trapRegister returns the name of the first trap handler register that an instruction uses, or "".
func trapRegister(in *isa.Inst) string {
	t := isa.TraitsOf(in.Target)
	var buf [24]isa.Effect
	for _, x := range in.Effects(buf[:0]) {
		code := int(x.Code)
		switch {
		case x.File != isa.SReg || !x.Named:
		case code >= int(t.TTMP) && code < int(t.TTMP)+t.NumTTMP:
			return fmt.Sprint("ttmp", code-int(t.TTMP))
		case t.TBA >= 0 && code >= int(t.TBA) && code < int(t.TBA)+4:
			return [4]string{"tba_lo", "tba_hi", "tma_lo", "tma_hi"}[code-int(t.TBA)]
		}
	}
	return ""
}

// alias is a register pair that hardware keeps in the last SGPRs of the allocation.
type alias struct {
	name string
	code int // operand code of the pair
	sgpr int // number of the SGPR where it is stored
}

// aliases returns the pairs of a wave of n SGPRs (rule ST3).
func aliases(t *isa.Traits, n int) (all []alias) {
	next := n - 2
	add := func(name string, code int) {
		if code >= 0 {
			all = append(all, alias{name, code, next})
			next -= 2
		}
	}
	add("VCC", gcn.VCC)
	add("XNACK_MASK", int(t.XnackMask))
	add("FLAT_SCRATCH", int(t.FlatScratch))
	return all
}

// sharing records how the program uses one alias.
type sharing struct {
	named bool // used under its own name
	// the finding of an instruction that used it as SGPRs; it is reported when it is also used under its name
	waiting *Finding
	at      *site
}

// shared reports an SGPR that also stores a special register, if the program uses both names. In the simulator they
// are two registers.
func (c *Checker) shared(x *step) {
	n := x.Wave.NumSGPRs
	if n == 0 || x.shares || x.Inst.Enc == isa.FLAT && x.Access.ScratchLanes == 0 {
		return
	}
	x.shares = x.Inst.Enc != isa.FLAT // the lanes of FLAT decide whether it reads FLAT_SCRATCH
	for _, a := range aliases(isa.TraitsOf(x.Wave.Target), n) {
		u := c.sharing[a]
		if u == nil {
			u = &sharing{}
			c.sharing[a] = u
		}
		for i := range x.effects {
			f := &x.effects[i]
			first, last := int(f.Code), int(f.Code)+int(f.Dwords)-1
			if f.File != isa.SReg {
				continue
			}
			asSGPR := first < isa.TraitsOf(x.Wave.Target).SGPRs // higher operand codes are other registers
			if first <= a.code+1 && last >= a.code && (f.Named || x.shares || x.Access.ScratchLanes != 0) {
				u.named = true
			}
			if u.waiting == nil && asSGPR && first <= a.sgpr+1 && last >= a.sgpr {
				u.at, u.waiting = x.site, x.finding(defect{kind: Ignored, field: fmt.Sprintf("s[%d:%d]", a.sgpr, a.sgpr+1),
					rule: "ST3"})
				u.waiting.Severity = Warning
				u.waiting.message = say("of %d allocated SGPRs these are %s, which the program uses by that name, too; here "+
					"they are registers of their own", n, a.name)
			}
		}
		if u.named && u.waiting != nil && u.at != nil {
			u.at.found = append(u.at.found, u.waiting)
			u.at = nil
		}
	}
}
