// Package state defines the machine state of one wavefront and the two results of an execution: an [Access] record or
// a [Fault]. Source: rule ST1, unless a comment names another.
package state

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// NumLanes is the number of work-items in a wavefront.
const NumLanes = 64

// FullExec is EXEC with all lanes active.
const FullExec = ^uint64(0)

// Lanes is one vector register: 32 bits for each lane.
type Lanes = [NumLanes]uint32

// Wave is the state of one wavefront.
type Wave struct {
	Target gcn.Target

	Group    [3]uint32 // number of the work-group that the wave belongs to
	LDSBytes uint32    // bytes of LDS that the work-group allocates
	ID       int       // number of the wave in its work-group

	PC uint64 // byte address of the next instruction

	// S holds the scalar registers by operand code: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, TBA and TMA, TTMPs, M0, EXEC.
	// See [gcn.VCC], [gcn.EXEC], [isa.Traits].
	S [isa.NumScalarCodes]uint32
	// V holds the first VGPRs of the wave: at least those that its program names, at most NumVGPRs. [Wave.VGPR] reads
	// any VGPR of the wave.
	V        []Lanes
	NumVGPRs int
	// NumSGPRs is the number of SGPRs allocated to the wave; 0 means all that exist. The wave can use SGPRs beyond its
	// allocation, and a check may report it.
	NumSGPRs int

	SCC     uint32 // 0 or 1
	Mode    Mode
	status  Status // STATUS without SCC, EXECZ and VCCZ, which are derived
	TrapSts TrapSts

	// SharedBase and PrivateBase are the high dwords of the FLAT addresses of LDS and of private memory (rule F11).
	SharedBase, PrivateBase uint32

	// TBA is the address of the trap handler, and TMA the address of its data. Both are 0 without a handler (rule ST21).
	// Before GCN 1.4 they are scalar registers as well; see [Wave.SetTrapHandler].
	TBA, TMA uint64

	VMCnt, EXPCnt, LGKMCnt uint8 // numbers of outstanding operations (rules ST10 and W2)

	Messages []Message // messages that s_sendmsg sent
	Exports  []Export  // values that EXP exported

	Ended     bool
	AtBarrier bool
	Executed  uint64 // number of instructions executed

	// Wait is set while an instruction waits for other waves. It names the resource or counter, and the phase of the
	// barrier at which the wave arrived.
	Wait      Wait
	WaitIndex uint8
	WaitPhase uint32

	temp *[numTemps]Lanes // nil until an executor uses it; Reset keeps it
}

// numTemps is the number of temporaries of a wave.
const numTemps = 12

// Temp returns registers that an executor may use while it executes one instruction. Their contents are undefined for
// the next instruction.
func (w *Wave) Temp() *[numTemps]Lanes {
	if w.temp == nil {
		w.temp = new([numTemps]Lanes)
	}
	return w.temp
}

// NewWave returns a wave of target t with vgprs vector registers (1 to 256). All registers are 0, except that EXEC
// has all lanes set and MODE is [DefaultMode].
func NewWave(t gcn.Target, vgprs int) *Wave {
	w := &Wave{V: make([]Lanes, vgprs), NumVGPRs: vgprs}
	w.Reset(t)
	return w
}

// MaxVGPRs is the largest number of VGPRs of a wave.
const MaxVGPRs = 256

// VGPR returns a vector register. It panics if the wave has no such register.
func (w *Wave) VGPR(reg int) Lanes {
	w.mustHave(reg)
	if reg >= len(w.V) {
		return Lanes{}
	}
	return w.V[reg]
}

// mustHave panics if w has no VGPR with that number.
func (w *Wave) mustHave(reg int) {
	if most := max(w.NumVGPRs, len(w.V)); reg < 0 || reg >= most {
		panic(fmt.Sprintf("state: there is no v%d: the wave has %d VGPRs, from v0 on", reg, most))
	}
}

// Reset sets w to the state of a new wave of target t with the same numbers of registers.
func (w *Wave) Reset(t gcn.Target) {
	clear(w.V)
	v, vgprs, sgprs, temp := w.V, w.NumVGPRs, w.NumSGPRs, w.temp
	*w = Wave{} // field by field: a value with the fields of w would be copied
	w.Target, w.V, w.NumVGPRs, w.NumSGPRs, w.temp = t, v, vgprs, sgprs, temp
	w.Mode, w.status = DefaultMode, StatusValid
	traits := isa.TraitsOf(t)
	w.SharedBase, w.PrivateBase = traits.SharedBase, traits.PrivateBase
	w.SetExec(FullExec)
}

// Scalar64 returns the register pair that begins at operand code c.
func (w *Wave) Scalar64(c uint32) uint64 {
	return uint64(w.S[c]) | uint64(w.S[(c+1)&(isa.NumScalarCodes-1)])<<32
}

// SetScalar64 writes the register pair that begins at operand code c.
func (w *Wave) SetScalar64(c uint32, v uint64) {
	w.S[c], w.S[(c+1)&(isa.NumScalarCodes-1)] = uint32(v), uint32(v>>32)
}

// Exec returns the execute mask.
func (w *Wave) Exec() uint64 { return w.Scalar64(gcn.EXEC) }

// SetExec sets the execute mask.
func (w *Wave) SetExec(mask uint64) { w.SetScalar64(gcn.EXEC, mask) }

// SetFlatScratch sets FLAT_SCRATCH. It does nothing on generations without FLAT_SCRATCH.
func (w *Wave) SetFlatScratch(v uint64) {
	if code := isa.TraitsOf(w.Target).FlatScratch; code >= 0 {
		w.SetScalar64(uint32(code), v)
	}
}

// SetTrapHandler makes w continue at tba when it traps. The handler finds tma in TMA (rule ST21).
func (w *Wave) SetTrapHandler(tba, tma uint64) {
	w.TBA, w.TMA = tba, tma
	w.status |= statusTrapEn
	if code := isa.TraitsOf(w.Target).TBA; code >= 0 {
		w.SetScalar64(uint32(code), tba)
		w.SetScalar64(uint32(code)+2, tma)
	}
}

// SetSGPRs writes consecutive SGPRs from s[first] on. It panics if one of them does not exist.
func (w *Wave) SetSGPRs(first int, values ...uint32) {
	if most := isa.TraitsOf(w.Target).SGPRs; first < 0 || first+len(values) > most {
		panic(fmt.Sprintf("state: %d values do not fit from s%d on: %v has %d SGPRs, from s0 on", len(values), first,
			w.Target, most))
	}
	copy(w.S[first:], values)
}

// SetBuffer writes the V# of b to four SGPRs from s[first] on.
func (w *Wave) SetBuffer(first int, b gcn.Buffer) { w.SetSGPRs(first, b.Words()...) }

// SetVGPR writes a vector register. It panics if the wave has no such register.
func (w *Wave) SetVGPR(reg int, v Lanes) {
	w.mustHave(reg)
	if reg >= len(w.V) {
		w.V = append(w.V, make([]Lanes, reg+1-len(w.V))...)
	}
	w.V[reg] = v
}
