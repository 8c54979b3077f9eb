package asm

import (
	"errors"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
)

// FuzzAssemble checks that no text makes the assembler panic, and that what it accepts
// decodes again.
func FuzzAssemble(f *testing.F) {
	for _, seed := range []string{
		mix, "a: s_branch a", "v_add_f32 v0, |v1|, -v2 clamp mul:2", "s_waitcnt vmcnt(0) & lgkmcnt(0)", ".long 1, 2 ; x",
		"ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"0pi1p\")", "exp mrt0 v0, v0, v1, v1 compr vm", "s_mov_b32 s0, (1<<4)|~3",
		"tbuffer_load_format_x v1, v2, s[4:7], dfmt:4, nfmt:7, s8 offen", "image_load v[0:3], [v0,v1], s[0:7] dmask:0xf",
	} {
		for t := range targets {
			f.Add(uint8(t), false, seed)
			f.Add(uint8(t), true, seed)
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

// FuzzRoundTrip checks that printing and parsing are inverse: text of any words, if the
// parser takes it, is the text of what it assembles to.
func FuzzRoundTrip(f *testing.F) {
	for g := range targets {
		raw, _ := randomForms(gcn.Gen(g), 1)
		for n := 0; n < len(raw); n += 40 {
			words, _ := raw[n].Encode()
			f.Add(uint8(g), words[0], words[1])
		}
	}
	f.Fuzz(func(t *testing.T, gen uint8, w0, w1 uint32) {
		g := gcn.Gen(int(gen) % len(targets))
		in, err := gcn.Decode(g, []uint32{w0, w1})
		if err != nil {
			return
		}
		for _, s := range []Syntax{LLVM, CLRX} {
			text := Format(in, s)
			back, err := ParseInst(targets[g], text, s)
			if err != nil {
				continue // fields the instruction does not use, or values it must not have
			}
			again := Format(back, s)
			once, err := ParseInst(targets[g], again, s)
			if err != nil || once != back {
				t.Fatalf("%v: %s is %s, printed %s, read again %s (%v)", g, text, encoded(back), again, encoded(once), err)
			}
		}
	})
}
