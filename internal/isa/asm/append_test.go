package asm

import (
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// mix is a typical program of a compiler.
const mix = `
	s_load_dwordx4 s[0:3], s[4:5], 0x10
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v0, 2, v0
	v_add_co_u32_e32 v2, vcc, s0, v0
	v_addc_co_u32_e32 v3, vcc, 0, v1, vcc
	global_load_dword v4, v[2:3], off offset:16
	buffer_load_dword v5, v0, s[0:3], 0 offen offset:4 glc
	v_fma_f32 v4, -v4, |v5|, 1.0 clamp
	ds_read2_b32 v[6:7], v0 offset0:1 offset1:3
	v_cmp_gt_u32_e64 s[6:7], s2, v4
	s_and_saveexec_b64 s[6:7], s[6:7]
	s_cbranch_execz 12
	image_sample v[8:11], v[0:1], s[8:15], s[16:19] dmask:0xf
	s_mov_b32 s9, 0x12345678
	v_mov_b32_sdwa v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1
	s_endpgm`

func mixInsts(b testing.TB) (insts []isa.Inst) {
	b.Helper()
	p, err := Assemble(gcn.GFX900, mix, LLVM)
	if err != nil {
		b.Fatal(err)
	}
	for d := range Disassemble(gcn.GFX900, p.Words) {
		if d.Err != nil {
			b.Fatal(d.Err)
		}
		insts = append(insts, isa.Inst(d.Inst))
	}
	return insts
}

func TestAppendAllocatesNothing(t *testing.T) {
	insts := mixInsts(t)
	buf := make([]byte, 0, 256)
	for _, s := range []Syntax{LLVM, CLRX} {
		if n := testing.AllocsPerRun(100, func() {
			for _, in := range insts {
				buf = appendInst(buf[:0], in, s)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", s, n)
		}
	}
}
