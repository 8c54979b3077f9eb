package asm

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// FuzzAssemble checks that no text makes the assembler panic, and that what it accepts
// decodes again.
func FuzzAssemble(f *testing.F) {
	for _, seed := range []string{
		mix, "a: s_branch a", "v_add_f32 v0, |v1|, -v2 clamp mul:2", "s_waitcnt vmcnt(0) & lgkmcnt(0)", ".long 1, 2 ; x",
		"ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"0pi1p\")", "exp mrt0 v0, v0, v1, v1 compr vm",
		"s_mov_b32 s0, (1<<4)|~3",
		"tbuffer_load_format_x v1, v2, s[4:7], dfmt:4, nfmt:7, s8 offen", "image_load v[0:3], [v0,v1], s[0:7] dmask:0xf",
	} {
		for t := range targets {
			f.Add(uint8(t), false, seed)
			f.Add(uint8(t), true, seed)
		}
	}
	for _, s := range []Syntax{LLVM, CLRX} { // names, expressions, directives
		for n, row := range readTable(f, "testdata/programs_"+s.String()+".tsv") {
			f.Add(uint8(n), s == CLRX, strings.ReplaceAll(row[0], `\n`, "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, g uint8, clrx bool, src string) {
		s := LLVM
		if clrx {
			s = CLRX
		}
		target := targets[int(g)%len(targets)]
		p, err := Assemble(target, src, s)
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		for d := range Disassemble(target, p.Words) {
			if d.Err == nil {
				Format(d.Inst, s)
			}
		}
	})
}

// FuzzRoundTrip checks that the text of any words assembles to them. The row and its
// encoding are inputs of their own, so that a fuzzer reaches each of them in one step.
func FuzzRoundTrip(f *testing.F) {
	for n := range gcn.NumTargets {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		for op := n; op < isa.NumOps(); op += gcn.NumTargets {
			f.Add(uint8(n), uint16(op), uint8(r.Uint32()), r.Uint32(), r.Uint32())
		}
	}
	f.Add(uint8(gcn.GFX904), uint16(isa.Ops("v_mad_mix_f32")[0]-1), uint8(0), uint32(0), uint32(0)) // of gfx900
	f.Fuzz(func(t *testing.T, n uint8, op uint16, form uint8, w0, w1 uint32) {
		target := gcn.Target(n % gcn.NumTargets)
		row := gcn.Op(1 + int(op)%(isa.NumOps()-1))
		encs := forms(target.Gen(), row)
		if len(encs) == 0 || !isa.RowOf(row).On(target) { // a generation can have it on some processors only
			return
		}
		in, err := isa.New(target, row, encs[int(form)%len(encs)])
		if err != nil {
			t.Fatal(err)
		}
		in, err = isa.Decode(target, fill(in, w0, w1))
		if err != nil {
			return
		}
		comesBack(t, target, in)
	})
}

// fill returns the words of in with the bits that do not select its row and encoding from
// w0 and w1.
func fill(in isa.Inst, w0, w1 uint32) []uint32 {
	words, _ := in.Encode()
	encoding, opcode := in.Fixed()
	fixed := (1<<opcode.Width-1)<<opcode.Shift | (1<<encoding.Width-1)<<encoding.Shift
	if in.Has(isa.SEG) {
		fixed |= 3 << 14
	}
	if in.Has(isa.DPPCTRL) || in.Has(isa.SRC0SEL) {
		fixed |= 0x1ff
	}
	return []uint32{words[0] | w0&^uint32(fixed), w1}
}
