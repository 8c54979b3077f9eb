package alu

import (
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// A reference computes one lane in the simplest way. Operands are the bits of the sources, cut to their width. mask
// is the lane mask that is read (VCC or SRC2).
type reference func(x refLane) uint64

type refLane struct {
	a, b, c uint64
	lane    int
	carry   bool // the lane's bit of the mask that is read
	mode    state.Mode
	gen     gcn.Gen
	clamp   bool
	out     *bool // the lane's bit of the mask that is written
}

// build returns the instruction with destination v8 and following, sources v0, v2 and v4, s[20:21] as the mask that
// is read and s[30:31] as the mask that is written.
func build(t testing.TB, g gcn.Gen, op gcn.Op, enc gcn.Encoding, fields map[isa.Field]int64) (isa.Inst, bool) {
	in, err := isa.New(g.Target(), op, enc)
	if err != nil {
		return in, false
	}
	set := func(f isa.Field, v int64) {
		if in.Has(f) {
			if in, err = in.Set(f, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	set(isa.VDST, 8)
	src1 := int64(2)
	switch enc {
	case isa.VOP3A, isa.VOP3B, isa.VOP3P:
		set(isa.SRC0, 256)
		set(isa.SRC1, 256+2)
		set(isa.SRC2, 256+4)
		if r := isa.RowOf(op); r.Has(isa.CarryIn) {
			set(isa.SRC2, 20)
		}
		set(isa.SDST, 30)
		if isa.RowOf(op).Sig.Dst == isa.Mask {
			set(isa.VDST, 30)
		}
	case isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA:
		set(isa.SRC0SEL, 6)
		set(isa.SRC1SEL, 6)
		set(isa.DSTSEL, 6)
	case isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP:
		set(isa.DPPCTRL, 0xe4)
		set(isa.ROWMASK, 15)
		set(isa.BANKMASK, 15)
	default:
		set(isa.SRC0, 256)
	}
	set(isa.VSRC1, src1)
	for f, v := range fields {
		set(f, v)
	}
	return in, true
}

// cut returns the bits of an operand of type t in lane i of v[reg].
func cut(w *state.Wave, reg, i int, t isa.Type) uint64 {
	switch {
	case t == isa.None:
		return 0
	case t.Info().Dwords == 2:
		return uint64(w.V[reg][i]) | uint64(w.V[reg+1][i])<<32
	case t.Info().Bits16:
		return uint64(w.V[reg][i] & 0xffff)
	}
	return uint64(w.V[reg][i])
}

// fill sets v0 to v11 to values that suit the sources of r.
func fill(rnd *rand.Rand, w *state.Wave, r *isa.Row) {
	for i := range w.V {
		for l := range w.V[i] {
			w.V[i][l] = rnd.Uint32()
			if rnd.IntN(4) == 0 {
				w.V[i][l] = []uint32{0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x7fff, 0x8000, 0xffff, 0x00800000, 31,
					32}[rnd.IntN(11)]
			}
		}
	}
	types := r.Sig.Src
	if r.Sig.NumSrc == 2 && r.Has(isa.ReadsDst) {
		types[2] = r.Sig.Dst
	}
	regs := [3]int{0, 2, 4}
	if r.Has(isa.ReadsDst) {
		regs[r.Sig.NumSrc] = 8
	}
	for n, t := range types {
		for l := range w.V[0] {
			switch t {
			case isa.F16:
				w.V[regs[n]][l] = w.V[regs[n]][l]&0xffff0000 | uint32(interesting(rnd, half))
			case isa.F32:
				w.V[regs[n]][l] = uint32(interesting(rnd, single))
			case isa.F64:
				v := interesting(rnd, double)
				w.V[regs[n]][l], w.V[regs[n]+1][l] = uint32(v), uint32(v>>32)
			case isa.V2I16, isa.V2F16:
				w.V[regs[n]][l] = uint32(interesting(rnd, half)) | uint32(interesting(rnd, half))<<16
			}
		}
	}
}

var modes = func() (all []state.Mode) {
	for m := range state.Mode(256) { // all rounding and denormal modes
		if m&3 == m>>2&3 && m>>4&3 == m>>6 {
			all = append(all, m, m|1<<9)
		}
	}
	return append(all, state.DefaultMode)
}()

// agree compares row op in encoding enc with ref and reports the first lane that differs.
func agree(t *testing.T, g gcn.Gen, op gcn.Op, enc gcn.Encoding, ref reference, rnd *rand.Rand, clamp bool,
	mode state.Mode) {
	t.Helper()
	r := isa.RowOf(op)
	fields := map[isa.Field]int64{}
	if clamp {
		fields[isa.CLAMP] = 1
	}
	in, ok := build(t, g, op, enc, fields)
	if !ok || clamp && !in.Has(isa.CLAMP) || hasPair(r) && (in.Has(isa.SRC0SEL) || in.Has(isa.DPPCTRL)) {
		return
	}
	im := bind(&in)
	if im.Exec == nil {
		if !clamp {
			t.Errorf("%v %v %v does not execute: %s", g, op, enc, im.Why)
		}
		return
	}
	target := [...]gcn.Target{gcn.GFX600, gcn.GFX700, gcn.GFX803, gcn.GFX900, gcn.GFX906}[g]
	w := state.NewWave(target, 16)
	fill(rnd, w, r)
	w.Mode = mode
	exec := rnd.Uint64()
	if rnd.IntN(3) == 0 {
		exec = state.FullExec
	}
	w.SetExec(exec)
	w.SetScalar64(gcn.VCC, rnd.Uint64())
	w.SetScalar64(20, rnd.Uint64())
	carry, maskOut := w.Scalar64(gcn.VCC), uint32(gcn.VCC)
	if enc == isa.VOP3A || enc == isa.VOP3B {
		if r.Has(isa.CarryIn) {
			carry = w.Scalar64(20)
		}
		maskOut = 30
	}
	before := *w
	before.V = append([]state.Lanes(nil), w.V...)
	if f := im.Exec(w, nil, &in, nil); f != nil {
		t.Fatal(f)
	}
	var wantMask uint64
	for i := range state.NumLanes {
		x := refLane{lane: i, carry: carry>>i&1 != 0, mode: mode, gen: g, clamp: clamp, out: new(bool)}
		x.a, x.b, x.c = cut(&before, 0, i, r.Sig.Src[0]), cut(&before, 2, i, r.Sig.Src[1]), cut(&before, 4, i, r.Sig.Src[2])
		if r.Has(isa.ReadsDst) {
			x.c = cut(&before, 8, i, r.Sig.Dst)
		}
		want := ref(x)
		old := cut(&before, 8, i, isa.B64)
		active := exec>>i&1 != 0
		if active && *x.out {
			wantMask |= 1 << i
		}
		switch {
		case r.Sig.Dst == isa.Mask:
			if active && want != 0 {
				wantMask |= 1 << i
			}
			continue
		case !active:
			want = old
		case r.Sig.Dst.Info().Dwords == 2:
		case r.Sig.Dst.Info().Bits16 && r.Has(isa.KeepsHigh) && isa.GenTraits(g).KeepHigh:
			want = want&0xffff | old&^0xffff
		case r.Sig.Dst.Info().Bits16:
			want = want&0xffff | old&^0xffffffff
		default:
			want = want&0xffffffff | old&^0xffffffff
		}
		if got := cut(w, 8, i, isa.B64); got != want {
			t.Errorf("%v %v %v clamp %v mode %#x lane %d: (%#x, %#x, %#x, %v) gives %#x, want %#x", g, op, enc, clamp, mode,
				i, x.a, x.b, x.c, x.carry, got, want)
			return
		}
	}
	if r.Sig.Dst == isa.Mask || r.Has(isa.CarryOut) {
		if got := w.Scalar64(maskOut); got != wantMask {
			t.Errorf("%v %v %v: the mask is %#x, want %#x", g, op, enc, got, wantMask)
		}
	}
	wantExec := exec
	if r.Has(isa.WritesEXEC) {
		wantExec = wantMask
	}
	if w.Exec() != wantExec {
		t.Errorf("%v %v: EXEC is %#x, want %#x", g, op, w.Exec(), wantExec)
	}
}

// everywhere tests the reference of a mnemonic on each generation, in each encoding with the same operands. ok
// selects rows if a mnemonic means several instructions.
func everywhere(t *testing.T, name string, ref reference, ok func(r *isa.Row) bool, rnd *rand.Rand, clamp bool,
	modes ...state.Mode) {
	t.Helper()
	for g := range gcn.Gen(gcn.NumGens) {
		ops, _ := isa.Lookup(name, g.Target())
		for _, op := range ops {
			if ok != nil && !ok(isa.RowOf(op)) {
				continue
			}
			for _, enc := range []gcn.Encoding{isa.RowOf(op).Enc, isa.VOP3A, isa.VOP3B, isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA,
				isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP} {
				if isa.RowOf(op).Has(isa.LiteralK) {
					continue
				}
				for _, m := range modes {
					agree(t, g, op, enc, ref, rnd, clamp, m)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}
