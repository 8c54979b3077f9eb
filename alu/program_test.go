package alu

import (
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Words in this file were assembled by llvm-mc for fiji unless a comment names another target.

func TestBranches(t *testing.T) {
	for _, x := range []struct {
		text  string
		word  uint32
		scc   uint32
		vcc   uint64
		exec  uint64
		taken bool
	}{
		{"s_branch 4", 0xbf820004, 0, 0, 0, true},
		{"s_cbranch_scc0 4", 0xbf840004, 0, 0, 0, true},
		{"s_cbranch_scc0 4", 0xbf840004, 1, 0, 0, false},
		{"s_cbranch_scc1 4", 0xbf850004, 1, 0, 0, true},
		{"s_cbranch_scc1 4", 0xbf850004, 0, 0, 0, false},
		{"s_cbranch_vccz 4", 0xbf860004, 0, 0, 1, true},
		{"s_cbranch_vccz 4", 0xbf860004, 0, 1 << 40, 0, false},
		{"s_cbranch_vccnz 4", 0xbf870004, 0, 1 << 40, 0, true},
		{"s_cbranch_vccnz 4", 0xbf870004, 0, 0, 1, false},
		{"s_cbranch_execz 4", 0xbf880004, 0, 1, 0, true},
		{"s_cbranch_execz 4", 0xbf880004, 0, 0, 1 << 63, false},
		{"s_cbranch_execnz 4", 0xbf890004, 0, 0, 1 << 63, true},
		{"s_cbranch_execnz 4", 0xbf890004, 0, 1, 0, false},
	} {
		w := state.NewWave(gcn.GFX803, 1)
		w.PC, w.SCC = 0x1000, x.scc
		w.SetScalar64(gcn.VCC, x.vcc)
		w.SetExec(x.exec)
		run(t, w, x.word)
		want := uint64(0x1004)
		if x.taken {
			want += 16
		}
		check(t, x.text, w.PC, want)
	}
	w := state.NewWave(gcn.GFX900, 1)
	w.PC = 0x1000
	run(t, w, 0xbf82fffe) // s_branch -2
	check(t, "a backward branch", w.PC, 0xffc)
}

func TestJumps(t *testing.T) {
	w := state.NewWave(gcn.GFX900, 1)
	w.PC = 0x100001000
	run(t, w, 0xbe841c00) // s_getpc_b64 s[4:5]
	check(t, "s_getpc_b64", w.Scalar64(4), 0x100001004)
	w.SetScalar64(2, 0x2_00000013)
	run(t, w, 0xbe841e02) // s_swappc_b64 s[4:5], s[2:3]
	check(t, "the target of s_swappc_b64", w.PC, 0x2_00000010)
	check(t, "the link of s_swappc_b64", w.Scalar64(4), 0x100001008)
	run(t, w, 0xbe801d04) // s_setpc_b64 s[4:5]
	check(t, "s_setpc_b64", w.PC, 0x100001008)
	run(t, w, 0xba860003) // s_call_b64 s[6:7], 3
	check(t, "the link of s_call_b64", w.Scalar64(6), 0x10000100c)
	check(t, "the target of s_call_b64", w.PC, 0x100001018)
}

func TestWait(t *testing.T) {
	set := func(target gcn.Target) *state.Wave {
		w := state.NewWave(target, 1)
		w.VMCnt, w.EXPCnt, w.LGKMCnt = isa.TraitsOf(w.Target).MaxVM, isa.TraitsOf(w.Target).MaxEXP,
			isa.TraitsOf(w.Target).MaxLGKM
		return w
	}
	w := set(gcn.GFX803)
	run(t, w, 0xbf8c0f72) // s_waitcnt vmcnt(2)
	check(t, "vmcnt", uint64(w.VMCnt), 2)
	check(t, "expcnt", uint64(w.EXPCnt), 7)
	check(t, "lgkmcnt", uint64(w.LGKMCnt), 15)
	run(t, w, 0xbf8c007f) // s_waitcnt lgkmcnt(0)
	check(t, "lgkmcnt", uint64(w.LGKMCnt), 0)
	check(t, "vmcnt", uint64(w.VMCnt), 2)
	w = set(gcn.GFX900)
	run(t, w, 0xbf8c4f75) // s_waitcnt vmcnt(21)
	check(t, "vmcnt", uint64(w.VMCnt), 21)
	run(t, w, 0xbf8c0000) // s_waitcnt 0
	check(t, "all counters", uint64(w.VMCnt+w.EXPCnt+w.LGKMCnt), 0)
}

func TestWaveState(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 1)
	run(t, w, 0xbf8f0002, 0xbf800003, 0xbf8e0001) // s_setprio 2; s_nop 3; s_sleep 1
	check(t, "the priority", uint64(w.Status()&state.StatusWavePrio>>3), 2)
	run(t, w, 0xbf8a0000) // s_barrier
	if !w.AtBarrier || w.Ended {
		t.Error("s_barrier does not stop at the barrier")
	}
	run(t, w, 0xbf810000) // s_endpgm
	if !w.Ended {
		t.Error("s_endpgm does not end the wave")
	}
}

func TestHardwareRegisters(t *testing.T) {
	w := state.NewWave(gcn.GFX900, 1)
	w.Mode = 0x3c5
	run(t, w, 0xb880f801) // s_getreg_b32 s0, hwreg(HW_REG_MODE)
	check(t, "MODE", uint64(w.S[0]), 0x3c5)
	run(t, w, 0xb8801901) // s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)
	check(t, "FP_DENORM", uint64(w.S[0]), 0xc)
	w.S[1] = 0xfffffff3
	run(t, w, 0xb9011901) // s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1
	check(t, "MODE", uint64(w.Mode), 0x335)
	run(t, w, 0xba000801, 2) // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2
	check(t, "MODE", uint64(w.Mode), 0x336)
	run(t, w, 0xb8807c0f) // s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
	check(t, "the LDS aperture", uint64(w.S[0]), uint64(w.SharedBase>>16))
	w.SCC = 1
	w.SetExec(0)
	run(t, w, 0xb880f802) // s_getreg_b32 s0, hwreg(HW_REG_STATUS)
	check(t, "SCC, EXECZ and VCCZ", uint64(w.S[0]&0x601), 0x601)
	executor.Issue(w, isa.Counts{VM: 40, EXP: 7, LGKM: 31})
	run(t, w, 0xb880f807) // s_getreg_b32 s0, hwreg(HW_REG_IB_STS)
	check(t, "the counters, of which LGKM_CNT saturates", uint64(w.S[0]), 40&15|40>>4<<22|7<<4|15<<8)
	for _, x := range []struct {
		target gcn.Target
		word   uint32
		kind   state.FaultKind
	}{
		{gcn.GFX900, 0xb880f80a, state.FaultUnsupported}, // INST_DW0
		{gcn.GFX900, 0xb880f83f, state.FaultIllegal},     // no such register
		{gcn.GFX803, 0xb880f80f, state.FaultIllegal},     // SH_MEM_BASES
	} {
		w := state.NewWave(x.target, 1)
		in, err := isa.Decode(w.Target, []uint32{x.word})
		if err != nil {
			t.Fatal(err)
		}
		if f := bind(&in).Exec(w, nil, &in, nil); f == nil || f.Kind != x.kind {
			t.Errorf("%08x: the fault is %v, want %v", x.word, f, x.kind)
		}
	}
}

// TestFork runs both sides of a divergent branch, the smaller side first.
func TestFork(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 1)
	w.SetExec(0xff)
	w.SetScalar64(22, 0x2000)
	w.PC = 0x1000
	w.SetScalar64(20, 0x07)
	run(t, w, 0x94801614) // s_cbranch_g_fork s[20:21], s[22:23]
	check(t, "the mask of the smaller side", w.Exec(), 0x07)
	check(t, "its PC", w.PC, 0x2000)
	check(t, "CSP", uint64(csp(w)), 1)
	w.S[24] = 0
	run(t, w, 0xbe802e18) // s_cbranch_join s24
	check(t, "the mask of the other side", w.Exec(), 0xf8)
	check(t, "its PC", w.PC, 0x1004)
	run(t, w, 0xbe802e18) // s_cbranch_join s24
	check(t, "PC after the join", w.PC, 0x1008)
	w.SetScalar64(20, 0xf8)
	run(t, w, 0x94801614)
	check(t, "PC when all lanes go", w.PC, 0x2000)
	w.SetScalar64(20, 0)
	run(t, w, 0x94801614)
	check(t, "PC when none goes", w.PC, 0x2004)
	check(t, "CSP", uint64(csp(w)), 0)
}

func TestScalarMoveRelative(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 1)
	for i := range 32 {
		w.S[i] = uint32(100 + i)
	}
	w.S[gcn.M0] = 4
	run(t, w, 0xbe802a01) // s_movrels_b32 s0, s1
	check(t, "s_movrels_b32", uint64(w.S[0]), 105)
	run(t, w, 0xbe842c02) // s_movreld_b32 s4, s2
	check(t, "s_movreld_b32", uint64(w.S[8]), 102)
	run(t, w, 0xbe802b02) // s_movrels_b64 s[0:1], s[2:3]
	check(t, "s_movrels_b64", w.Scalar64(0), 107<<32|106)
	run(t, w, 0xbe8a2d02) // s_movreld_b64 s[10:11], s[2:3]
	check(t, "s_movreld_b64", w.Scalar64(14), 103<<32|102)
	for _, n := range []struct{ m0, sgprs, last uint32 }{{200, 0, 101}, {101, 0, 101}, {23, 24, 23}, {1 << 31, 24, 23}} {
		w.NumSGPRs = int(n.sgprs)
		w.S[gcn.M0] = n.m0
		run(t, w, 0xbe832a01) // s_movrels_b32 s3, s1: S0 replaces the source (rule ST23)
		check(t, "a source beyond the registers", uint64(w.S[3]), uint64(w.S[0]))
		before := w.S
		run(t, w, 0xbe812c03) // s_movreld_b32 s1, s3
		if w.S != before {
			t.Errorf("s_movreld_b32 writes beyond the registers, M0 %d", n.m0)
		}
		w.S[gcn.M0] = n.last - 1
		w.S[n.last] = 0x1234
		run(t, w, 0xbe832a01)
		check(t, "the last register", uint64(w.S[3]), 0x1234)
	}
}

func TestUnmodelled(t *testing.T) {
	for _, word := range []uint32{0xbf910001} { // s_sendmsghalt 1
		in, err := isa.Decode(gcn.GFX803, []uint32{word, 0})
		if err != nil {
			t.Fatal(err)
		}
		if im := bind(&in); im.Exec != nil || im.Why == "" {
			t.Errorf("%v: Exec %v, Why %q", in.Op, im.Exec != nil, im.Why)
		}
	}
}

// faultOf executes one instruction of GCN 1.2 and returns its fault.
func faultOf(t *testing.T, w *state.Wave, words ...uint32) *state.Fault {
	t.Helper()
	in, err := isa.Decode(w.Target, words)
	if err != nil {
		t.Fatal(err)
	}
	return bind(&in).Exec(w, nil, &in, nil)
}

func TestTrapNamesItself(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 1)
	if f := faultOf(t, w, 0xbf920002); f == nil || f.Kind != state.FaultTrap || !strings.Contains(f.What, "llvm.trap") {
		t.Errorf("s_trap 2: %v", f)
	}
}

func TestMessagesAreKept(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 1)
	w.S[gcn.M0] = 77
	if f := faultOf(t, w, 0xbf900001); f != nil {
		t.Fatal(f)
	}
	if len(w.Messages) != 1 || w.Messages[0].ID != 1 || w.Messages[0].M0 != 77 {
		t.Errorf("s_sendmsg 1: %+v", w.Messages)
	}
	if f := faultOf(t, w, 0xbf900002); f == nil || f.Kind != state.FaultUnsupported {
		t.Errorf("s_sendmsg 2: %v", f)
	}
}

func TestExportsAreKept(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 4)
	w.V[1][5], w.V[3][5] = 11, 33
	w.SetExec(1 << 5)
	if f := faultOf(t, w, 0xc4001805, 0x00030201); f != nil { // exp mrt0 v1, off, v3, off done vm
		t.Fatal(f)
	}
	e := w.Exports[0]
	if e.Target != 0 || e.Enable != 5 || !e.Done || !e.ValidMask || e.Compressed || e.Exec != 1<<5 {
		t.Errorf("%+v", e)
	}
	if e.Data[0][5] != 11 || e.Data[1][5] != 0 || e.Data[2][5] != 33 {
		t.Errorf("data %d %d %d", e.Data[0][5], e.Data[1][5], e.Data[2][5])
	}
	if f := faultOf(t, w, 0xc400180f, 0xff030201); f == nil || f.Kind != state.FaultRegister {
		t.Errorf("v255 of 4: %v", f)
	}
}

func TestAllocationRegisters(t *testing.T) {
	w := state.NewWave(gcn.GFX900, 24)
	w.ID, w.LDSBytes = 6, 4096
	for _, c := range []struct{ word, want uint32 }{
		{0xb880f804, 1 | 2<<4},     // HW_ID: the second wave of SIMD 2
		{0xb880f805, 5<<8 | 6<<24}, // GPR_ALLOC: 24 VGPRs, 102 SGPRs in sixteens
		{0xb880f806, 16 << 12},     // LDS_ALLOC: 4096 bytes
		{0xb880f810, 0},            // SQ_SHADER_TBA_LO
	} {
		w.S[0] = ^uint32(0)
		if f := faultOf(t, w, c.word); f != nil {
			t.Fatal(f)
		}
		check(t, "s_getreg_b32", uint64(w.S[0]), uint64(c.want))
	}
}
