package gcn

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// everyForm visits each row in each encoding it has on each generation.
func everyForm(visit func(in Inst)) {
	for g := range Gen(NumGens) {
		for op := Op(1); int(op) < NumOps(); op++ {
			for e := SOP1; int(e) < NumEncodings; e++ {
				if in, err := New(g, op, e); err == nil {
					visit(in)
				}
			}
		}
	}
}

// TestDecodeEncode checks that decoding is the inverse of encoding for every form with
// random fields, and that no bit outside the fields counts.
func TestDecodeEncode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	forms := 0
	everyForm(func(in Inst) {
		if in.Row().Has(Alias) {
			return
		}
		forms++
		want := in
		for _, f := range FieldsOf(in.Gen, in.Enc) {
			shift, width := in.Gen.FieldBits(in.Enc, f)
			if shift+width > 32 || f == SEG || f == SRC0 || f == SSRC0 || f == SSRC1 || f == OFFSET {
				continue // may ask for a second word
			}
			v := int64(r.Uint64() & (1<<width - 1))
			if layouts[in.Gen][in.Enc].fields[f].signed {
				v -= 1 << (width - 1)
			}
			var err error
			if want, err = want.Set(f, v); err != nil {
				t.Fatal(err)
			}
			if got := int64(want.Int(f)); got != v {
				t.Fatalf("%v %v of %v: set to %d, is %d", in.Gen, f, in.Enc, v, got)
			}
		}
		words, n := want.Encode()
		got, err := Decode(in.Gen, words[:n])
		if err != nil || got != want {
			t.Errorf("%v %v in %v: %x decodes to %v in %v (%v)", in.Gen, in.Op, in.Enc, words[:n], got.Op, got.Enc, err)
		}
		if res := want.Reserved(); res != 0 {
			t.Errorf("%v %v in %v: bits %x are in no field", in.Gen, in.Op, in.Enc, res)
		}
	})
	if forms < 8000 {
		t.Errorf("only %d forms", forms)
	}
}

// TestSetRange checks that a value that does not fit is refused and says what fits.
func TestSetRange(t *testing.T) {
	everyForm(func(in Inst) {
		for f := Field(0); f < NumFields; f++ {
			_, width := in.Gen.FieldBits(in.Enc, f)
			same, err := in.Set(f, 1<<width)
			if err == nil || same != in {
				t.Fatalf("%v %v takes %d in %v", in.Gen, in.Enc, 1<<width, f)
			}
		}
	})
}

// TestDecodeErrors checks that words without meaning are refused, whatever they are.
func TestDecodeErrors(t *testing.T) {
	for g := range Gen(NumGens) {
		for _, words := range [][]uint32{nil, {0xffffffff}, {0xc0000000 | 0x3f<<26}} {
			if in, err := Decode(g, words); err == nil && len(words) == 0 {
				t.Errorf("%v: no words decode to %v", g, in)
			}
		}
	}
	_, err := Decode(GCN12, []uint32{0xe0500000})
	if e := (*DecodeError)(nil); !errors.As(err, &e) || e.Enc != MUBUF {
		t.Errorf("half an instruction: %v", err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = Decode(GCN12, []uint32{0xe0500000, 0}) }); n != 0 {
		t.Errorf("Decode allocates %v times", n)
	}
}

// FuzzDecode checks that no words make Decode, Operands or the field readers panic, and
// that an instruction encodes to the words it was decoded from.
func FuzzDecode(f *testing.F) {
	everyForm(func(in Inst) {
		if words, _ := in.Encode(); in.Op%16 == 0 {
			f.Add(uint8(in.Gen), words[0], words[1])
		}
	})
	f.Fuzz(func(t *testing.T, gen uint8, w0, w1 uint32) {
		g := Gen(gen % NumGens)
		in, err := Decode(g, []uint32{w0, w1})
		if err != nil {
			_ = err.Error()
			return
		}
		words, n := in.Encode()
		if words[0] != w0 || n == 2 && words[1] != w1 {
			t.Fatalf("%08x %08x encodes to %x", w0, w1, words)
		}
		for _, o := range in.Operands(nil) {
			if o.Dwords > 16 {
				t.Fatalf("%v has an operand of %d registers", in.Op, o.Dwords)
			}
		}
		_ = in.Reserved()
		for f := Field(0); f < NumFields; f++ {
			_, _ = in.Get(f), in.Int(f)
		}
	})
}
