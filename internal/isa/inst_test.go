package isa

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// everyForm calls visit for each row in each of its encodings on each generation.
func everyForm(visit func(in Inst)) {
	for g := range Gen(NumGens) {
		for op := Op(1); int(op) < NumOps(); op++ {
			for e := SOP1; int(e) < NumEncodings; e++ {
				if in, err := New(g.Target(), op, e); err == nil {
					visit(in)
				}
			}
		}
	}
}

// TestDecodeEncode checks that decoding is the inverse of encoding for every form with random fields, and that bits
// outside of the fields have no influence.
func TestDecodeEncode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	forms := 0
	everyForm(func(in Inst) {
		if in.Row().Has(Alias) {
			return
		}
		forms++
		want := in
		for f := range Field(NumFields) {
			shift, width := FieldBits(in.Target.Gen(), in.Enc, f)
			if width == 0 || shift+width > 32 || f == SEG || f == SRC0 || f == SSRC0 || f == SSRC1 || f == OFFSET {
				continue // the value may be a marker of a second word
			}
			v := int64(r.Uint64() & (1<<width - 1))
			if layouts[in.Target.Gen()][in.Enc].fields[f].signed {
				v -= 1 << (width - 1)
			}
			var err error
			if want, err = want.Set(f, v); err != nil {
				t.Fatal(err)
			}
			if got := int64(want.Int(f)); got != v {
				t.Fatalf("%v %v of %v: set to %d, is %d", in.Target.Gen(), f, in.Enc, v, got)
			}
		}
		words, n := want.Encode()
		got, err := Decode(in.Target, words[:n])
		if err != nil || got != want {
			t.Errorf("%v %v in %v: %x decodes to %v in %v (%v)", in.Target.Gen(), in.Op, in.Enc, words[:n], got.Op, got.Enc, err)
		}
		if res := want.reserved(); res != 0 {
			t.Errorf("%v %v in %v: bits %x are in no field", in.Target.Gen(), in.Op, in.Enc, res)
		}
	})
	if forms < 8000 {
		t.Errorf("only %d forms", forms)
	}
}

// TestSetRange checks that a value that does not fit is an error with the valid range.
func TestSetRange(t *testing.T) {
	everyForm(func(in Inst) {
		for f := range Field(NumFields) {
			_, width := FieldBits(in.Target.Gen(), in.Enc, f)
			same, err := in.Set(f, 1<<width)
			if err == nil || same != in {
				t.Fatalf("%v %v takes %d in %v", in.Target.Gen(), in.Enc, 1<<width, f)
			}
		}
	})
}

// TestDecodeErrors checks that words which are not an instruction are refused.
func TestDecodeErrors(t *testing.T) {
	for g := range Gen(NumGens) {
		for _, words := range [][]uint32{nil, {0xffffffff}, {0xc0000000 | 0x3f<<26}} {
			if in, err := Decode(g.Target(), words); err == nil && len(words) == 0 {
				t.Errorf("%v: no words decode to %v", g, in)
			}
		}
	}
	_, err := Decode(GFX803, []uint32{0xe0500000})
	if e := (*Error)(nil); !errors.As(err, &e) || e.Kind != NoInstruction {
		t.Errorf("half an instruction: %v", err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = Decode(GFX803, []uint32{0xe0500000, 0}) }); n != 0 {
		t.Errorf("Decode allocates %v times", n)
	}
}

// checkDecode checks that an instruction encodes to the words from which it was decoded, and that these decode to it.
func checkDecode(t *testing.T, target Target, w0, w1 uint32) (in Inst, ok bool) {
	t.Helper()
	in, err := Decode(target, []uint32{w0, w1})
	if err != nil {
		_ = err.Error()
		return in, false
	}
	words, n := in.Encode()
	if words[0] != w0 || n == 2 && words[1] != w1 || n != int(in.Size)/4 {
		t.Fatalf("%08x %08x encodes to %x", w0, w1, words)
	}
	if again, err := Decode(target, words[:n]); err != nil || again != in {
		t.Fatalf("%v %x decodes to %+v, then to %+v (%v)", target, words[:n], in, again, err)
	}
	return in, true
}

// TestDecodeSecondWord checks in which fields a literal or a marker announces a second word: only in sources of the
// row. Source: llvm-mc, which decodes two instructions or one.
func TestDecodeSecondWord(t *testing.T) {
	for _, c := range []struct {
		gen  Gen
		word uint32
		size uint8
	}{
		{GCN12, 0xbf11ff00, 4}, {GCN14, 0xbf11ff00, 4}, {GCN141, 0xbf11ff00, 4}, // s_set_gpr_idx_on: SSRC1 is an immediate
		{GCN12, 0xbf1100ff, 8}, {GCN12, 0xbf11ffff, 8}, // s_set_gpr_idx_on: SSRC0 is a source
		{GCN12, 0xbf00ff00, 8}, {GCN12, 0xbf0000ff, 8}, // s_cmp_eq_i32
		{GCN10, 0xbe801fff, 4}, {GCN12, 0xbe801cff, 4}, {GCN14, 0xbe801cff, 4}, // s_getpc_b64
		{GCN10, 0x7e0000ff, 4}, {GCN12, 0x7e0000ff, 4}, {GCN12, 0x7e0000fa, 8}, {GCN12, 0x7e0000f9, 8}, // v_nop
		{GCN10, 0x7e0082ff, 4}, {GCN12, 0x7e006aff, 4}, {GCN12, 0x7e006af9, 4}, {GCN12, 0x7e006afa, 4}, // v_clrexcp
		{GCN12, 0x7e0002ff, 8}, {GCN12, 0x7e0002f9, 8}, {GCN12, 0x7e0002f8, 4}, {GCN12, 0x7e0002fb, 4}, // v_mov_b32
		// s_load_dword; s_dcache_inv, s_memtime have no offset
		{GCN11, 0xc00000ff, 8}, {GCN11, 0xc7c000ff, 4}, {GCN11, 0xc78000ff, 4},
	} {
		in, ok := checkDecode(t, map[Gen]Target{GCN10: GFX600, GCN11: GFX701, GCN12: GFX803, GCN14: GFX900,
			GCN141: GFX906}[c.gen], c.word, 0)
		if !ok || in.Size != c.size {
			t.Errorf("%v %08x is %v of %d bytes, want %d", c.gen, c.word, in.Op, in.Size, c.size)
		}
	}
}

// TestDecodePacksD16 checks that target-specific facts are found for sources that share bits with the markers of SDWA
// and DPP.
func TestDecodePacksD16(t *testing.T) {
	for _, src := range []uint32{248, 251} {
		if in, ok := checkDecode(t, GFX900, 0x7e000200|src, 0); !ok || !TraitsOf(in.Target).PackedD16 {
			t.Errorf("v_mov_b32 of source %d: %+v", src, in)
		}
	}
}

// FuzzDecode: no words make Decode, Operands or the field readers panic, and an instruction encodes to the words from
// which it was decoded. If form is not 0, it selects a form: any bits in its fields decode to its instruction, or to
// none.
func FuzzDecode(f *testing.F) {
	var forms []Inst
	everyForm(func(in Inst) {
		forms = append(forms, in)
		if words, _ := in.Encode(); len(forms)%128 == 0 {
			f.Add(uint8(in.Target.Gen()), uint16(0), words[0], words[1])
			f.Add(uint8(in.Op), uint16(len(forms)), uint32(in.Op), words[0])
		}
	})
	// codes of literals and of markers
	for _, w := range []uint32{0xbf11ff00, 0x7e0002f8, 0x7e0002fb, 0x7e0000ff, 0xbe801cff} {
		f.Add(uint8(GFX900), uint16(0), w, uint32(0xbf810000))
	}
	var targets [NumGens][]Target
	for t := range Target(NumTargets) {
		targets[t.Gen()] = append(targets[t.Gen()], t)
	}
	f.Fuzz(func(t *testing.T, target uint8, form uint16, w0, w1 uint32) {
		on, blank := Target(target%NumTargets), Inst{}
		if form != 0 {
			blank = forms[int(form-1)%len(forms)]
			l, of := &layouts[blank.Target.Gen()][blank.Enc], targets[blank.Target.Gen()]
			fixed := uint64(l.mask) | bits(l.op) | bits(l.seg)
			if hasSecondWord(l) {
				fixed |= 0x1ff
			}
			on = of[int(target)%len(of)]
			w0, w1 = uint32(blank.Words&fixed)|w0&^uint32(fixed), uint32(blank.Words&fixed>>32)|w1&^uint32(fixed>>32)
		}
		in, ok := checkDecode(t, on, w0, w1)
		if !ok {
			return
		}
		if form != 0 && !blank.Row().Has(Alias) && in.Op != blank.Op {
			t.Fatalf("%v %v in %v decodes to %v", on, blank.Op, blank.Enc, in.Op)
		}
		for _, o := range in.Operands(nil) {
			if o.Dwords > 16 {
				t.Fatalf("%v has an operand of %d registers", in.Op, o.Dwords)
			}
		}
		_ = in.reserved()
		for f := range Field(NumFields) {
			_, _ = in.Get(f), in.Int(f)
		}
	})
}

// TestNewOfWhatThereIsNot: numbers that are not an instruction or a processor are errors.
func TestNewOfWhatThereIsNot(t *testing.T) {
	for _, c := range []struct {
		t  Target
		op Op
	}{{GFX803, 0}, {GFX803, 60000}, {255, 1}} {
		_, err := New(c.t, c.op, Invalid)
		var e *Error
		if !errors.As(err, &e) || e.Error() == "" {
			t.Errorf("op %d on %d: %v", c.op, c.t, err)
		}
	}
}

// reserved returns the bits of the words that belong to no field, opcode or prefix.
func (i Inst) reserved() uint64 {
	l := &layoutsOf[i.Target][i.Enc]
	used := uint64(l.mask) | bits(l.op) | bits(l.seg)
	for f := range l.fields {
		used |= bits(l.fields[f])
	}
	if i.Enc == EXP {
		used |= 0xffffffff << 32
	}
	switch {
	case hasSecondWord(l):
		used |= 0x1ff // the marker in SRC0 counts as used
	case i.Size == 4:
		used |= 0xffffffff << 32
	}
	return i.Words &^ used
}
