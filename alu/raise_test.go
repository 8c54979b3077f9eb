package alu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// interesting returns a random number, often near a limit of t.
func (t ieee) interesting(rnd *rand.Rand) uint64 {
	mant, sign := t.prec-1, rnd.Uint64()%2<<(t.width-1)
	top := uint64(1)<<(t.width-t.prec) - 1
	m := rnd.Uint64() % (1 << mant)
	switch rnd.IntN(8) {
	case 0:
		return sign // zero
	case 1:
		return sign | m // denormal
	case 2:
		return sign | top<<mant | [3]uint64{0, 1, m | 1<<(mant-1)}[rnd.IntN(3)]
	case 3:
		return sign | rnd.Uint64N(top)<<mant // power of two
	case 4:
		return sign | (top/2+rnd.Uint64N(8))<<mant | m&(1<<mant-1<<(mant-4)) // a number near 1 with few mantissa bits
	case 5:
		return sign | (1+rnd.Uint64N(4))<<mant | m
	case 6:
		return sign | (top-1-rnd.Uint64N(4))<<mant | m | 1<<mant - 1<<3
	}
	return sign | rnd.Uint64N(top)<<mant | m
}

// instruction builds an instruction.
func instruction(t *testing.T, name string, enc gcn.Encoding, g gcn.Gen, fields map[isa.Field]int64) isa.Inst {
	t.Helper()
	in, ok := build(t, g, lookup(t, name, g), enc, fields)
	require.True(t, ok, name)
	return in
}

// raiseForm is an encoding of a row on a generation.
type raiseForm struct {
	op  gcn.Op
	gen gcn.Gen
	enc gcn.Encoding
}

// raiseForms returns the encodings of op, each on the newest and on the oldest generation that have it.
func raiseForms(op gcn.Op) (all []raiseForm) {
	own := isa.RowOf(op).Enc
	encodings := map[gcn.Encoding][]gcn.Encoding{
		isa.VOP1: {isa.VOP1, isa.VOP3A, isa.VOP1DPP, isa.VOP1SDWA},
		isa.VOP2: {isa.VOP2, isa.VOP3A, isa.VOP2DPP, isa.VOP2SDWA},
		isa.VOPC: {isa.VOPC, isa.VOP3A, isa.VOPCDPP, isa.VOPCSDWA},
	}[own]
	if encodings == nil {
		encodings = []gcn.Encoding{own}
	}
	for _, enc := range encodings {
		if enc != own && enc != isa.VOP3A && hasPair(isa.RowOf(op)) {
			continue // DPP and SDWA support single registers only
		}
		var has []gcn.Gen
		for g := range gcn.Gen(gcn.NumGens) {
			if _, err := isa.New(g.Target(), op, enc); err == nil {
				has = append(has, g)
			}
		}
		if len(has) > 0 {
			all = append(all, raiseForm{op, has[len(has)-1], enc})
		}
		if len(has) > 1 {
			all = append(all, raiseForm{op, has[0], enc})
		}
	}
	return all
}

// TestRaisedExceptions compares the exceptions of each row with IEEE 754: in all encodings, in all rounding and
// denormal modes, with modifiers, and with inactive lanes.
func TestRaisedExceptions(t *testing.T) {
	effort.Long(t)
	const operands = 12_096 // seven of eight are in active lanes
	all, rows := raiseCases(), 0
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		r := isa.RowOf(op)
		if x, ok := raisers.Row(op); !ok || x.op == nil {
			continue
		}
		c, ok := raiseCaseOf(all, r)
		require.True(t, ok, "%s raises exceptions and has no reference", r.Name)
		rows++
		rnd := rand.New(rand.NewPCG(33, uint64(op)))
		forms := raiseForms(op)
		for i := range effort.Rounds(operands) / state.NumLanes * 2 {
			form := forms[0]
			if i&1 != 0 { // every second round goes through all encodings
				form = forms[i/2%len(forms)]
			}
			if !c.try(t, rnd, form) {
				break
			}
		}
	}
	for name := range all {
		assert.NotEmpty(t, isa.Ops(name), name)
	}
	assert.Equal(t, 311, rows, "rows with references")
}

// raiseInputs holds the operands that the lanes of an instruction read.
type raiseInputs struct {
	fields map[isa.Field]int64
	read   [state.NumLanes][3]uint64 // the register contents
	lanes  [state.NumLanes]int       // the lane that DPP reads, -1 for the value 0, -2 for no write
}

// try compares the exceptions of the lanes of one instruction with the reference, and reports whether they agree.
func (c raiseCase) try(t *testing.T, rnd *rand.Rand, form raiseForm) bool {
	t.Helper()
	w := state.NewWave(form.gen.Target(), 16)
	w.Mode = state.Mode(rnd.Uint32() & 0xff)
	w.SetExec(rnd.Uint64() | rnd.Uint64() | rnd.Uint64())
	x := &raiseInputs{fields: raiseFields(rnd, form)}
	if c.scales && rnd.IntN(2) == 0 {
		w.SetScalar64(gcn.VCC, state.FullExec)
		c.ref = raiseScaledFma
	}
	clamps := c.clamp && form.enc == isa.VOP3A && rnd.IntN(2) == 0
	if clamps {
		x.fields[isa.CLAMP] = 1
	}
	in, ok := build(t, form.gen, form.op, form.enc, x.fields)
	require.True(t, ok, form)
	x.fill(t, rnd, form, w)
	raises, why := executor.RaisedBy(&in)
	require.Empty(t, why)
	require.NotNil(t, raises, form)
	if c.only == 0 {
		c.only = state.TrapExcp
	}
	if c.clamp && !clamps {
		c.only &^= state.TrapInexact
	}
	before := w.V[8]
	var got executor.Raised
	raises(w, &got)
	require.Equal(t, before, w.V[8])
	for i := range state.NumLanes {
		want := state.TrapSts(0)
		operands := x.operands(form, i)
		for _, v := range operands {
			if w.Exec()>>i&1 != 0 {
				want |= c.want(w.Mode, form, v)
			}
		}
		lane := state.TrapSts(0)
		for e, on := range got {
			lane |= state.TrapSts(on >> i & 1 << e)
		}
		if lane != want {
			t.Errorf("%v %v on %v of %x with MODE %#x and %v raises %07b, want %07b", form.op, form.enc,
				form.gen, operands, w.Mode, x.fields, lane, want)
			return false
		}
	}
	return true
}

// typeOf returns the type of operand n of r. An operand beyond the sources is a constant or the destination.
func typeOf(r *isa.Row, n int) isa.Type {
	if n < r.Sig.NumSrc {
		return r.Sig.Src[n]
	}
	return r.Sig.Dst
}

// raiseOperands returns the number of operands of r.
func raiseOperands(r *isa.Row) int {
	if r.Has(isa.LiteralK) || r.Has(isa.ReadsDst) {
		return 3
	}
	return r.Sig.NumSrc
}

func isFloat(t isa.Type) bool { return t.Info().Float || t == isa.V2F16 }

// raiseFields returns random registers and float modifiers.
func raiseFields(rnd *rand.Rand, form raiseForm) map[isa.Field]int64 {
	r := isa.RowOf(form.op)
	fields := map[isa.Field]int64{}
	if r.Has(isa.ReadsDst) {
		fields[isa.VDST] = 4
	}
	if r.Has(isa.LiteralK) {
		fields[isa.LITERAL] = int64(uint32(ieeeOf[r.Sig.Dst].interesting(rnd)))
	}
	floats := int64(0)
	for n := range r.Sig.NumSrc {
		if isFloat(r.Sig.Src[n]) {
			floats |= 1 << n
		}
	}
	modifiers := func(neg, abs isa.Field, mask int64) {
		fields[neg], fields[abs] = rnd.Int64()&mask, rnd.Int64()&mask
	}
	switch form.enc {
	case isa.VOP3A:
		modifiers(isa.NEG, isa.ABS, floats)
	case isa.VOP3P:
		modifiers(isa.NEG, isa.NEGHI, floats)
		fields[isa.OPSEL], fields[isa.OPSELHI], fields[isa.OPSELHI2] = rnd.Int64()&floats, rnd.Int64N(4), rnd.Int64N(2)
	case isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA:
		modifiers(isa.SRC0NEG, isa.SRC0ABS, floats&1)
		modifiers(isa.SRC1NEG, isa.SRC1ABS, floats>>1&1)
		fields[isa.SRC0SEL], fields[isa.SRC1SEL] = rnd.Int64N(7), rnd.Int64N(7)
		fields[isa.SRC0SEXT], fields[isa.SRC1SEXT] = rnd.Int64()&^floats&1, rnd.Int64()&^(floats>>1)&1
	case isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP:
		modifiers(isa.SRC0NEG, isa.SRC0ABS, floats&1)
		modifiers(isa.SRC1NEG, isa.SRC1ABS, floats>>1&1)
		controls := []int64{rnd.Int64N(0x100), 0x101 + rnd.Int64N(15), 0x111 + rnd.Int64N(15), 0x121 + rnd.Int64N(15),
			0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143}
		fields[isa.DPPCTRL] = controls[rnd.IntN(len(controls))]
		fields[isa.ROWMASK], fields[isa.BANKMASK] = rnd.Int64N(16), rnd.Int64N(16)
		fields[isa.BOUNDCTRL] = rnd.Int64N(2)
	}
	for f := range fields {
		if in, _ := isa.New(form.gen.Target(), form.op, form.enc); !in.Has(f) {
			delete(fields, f)
		}
	}
	return fields
}

// fill sets the registers of w to numbers, and records the lanes that DPP reads.
func (x *raiseInputs) fill(t *testing.T, rnd *rand.Rand, form raiseForm, w *state.Wave) {
	r := isa.RowOf(form.op)
	for i := range state.NumLanes {
		x.lanes[i] = i
	}
	if _, ok := x.fields[isa.DPPCTRL]; ok {
		const nothing = math.MaxUint32
		for i := range state.NumLanes {
			w.V[0][i], w.V[8][i] = uint32(i+1), nothing
		}
		fields := map[isa.Field]int64{}
		for _, f := range [...]isa.Field{isa.DPPCTRL, isa.ROWMASK, isa.BANKMASK, isa.BOUNDCTRL} {
			fields[f] = x.fields[f]
		}
		execute(t, w, "v_mov_b32", isa.VOP1DPP, fields)
		for i, from := range w.V[8] {
			if x.lanes[i] = int(from) - 1; from == nothing {
				x.lanes[i] = -2
			}
		}
	}
	for i := range state.NumLanes {
		for n := range raiseOperands(r) {
			v := uint64(int64(rnd.Uint32()) >> rnd.IntN(33) * int64(1-2*rnd.IntN(2)))
			if of := typeOf(r, n); isFloat(of) {
				v = ieeeOf[of].interesting(rnd)
				if ieeeOf[of].width == 16 {
					v |= ieeeOf[of].interesting(rnd) << 16
				}
			}
			reg := 2 * n
			switch {
			case r.Has(isa.KBeforeSrc1) && n == 2:
				reg = 2
			case r.Has(isa.KBeforeSrc1) && n == 1, r.Has(isa.LiteralK) && n == 2:
				x.read[i][n] = uint64(x.fields[isa.LITERAL])
				continue
			}
			x.read[i][n] = v
			w.V[reg][i], w.V[reg+1][i] = uint32(v), uint32(v>>32)
		}
	}
}

// operands returns the operands of lane i: one set, or two for an instruction on two halves.
func (x *raiseInputs) operands(form raiseForm, i int) [][3]uint64 {
	r := isa.RowOf(form.op)
	if x.lanes[i] == -2 {
		return nil
	}
	var v [2][3]uint64
	for n := range raiseOperands(r) {
		of := typeOf(r, n)
		raw := x.read[i][n]
		if n == 0 && x.lanes[i] != i {
			if raw = 0; x.lanes[i] >= 0 {
				raw = x.read[x.lanes[i]][0]
			}
		}
		if form.enc == isa.VOP3P {
			v[0][n] = raw >> (16 * (x.fields[isa.OPSEL] >> n & 1)) & 0xffff
			v[1][n] = raw >> (16 * ((x.fields[isa.OPSELHI] | x.fields[isa.OPSELHI2]<<2) >> n & 1)) & 0xffff
			v[0][n] ^= uint64(x.fields[isa.NEG]>>n&1) << 15
			v[1][n] ^= uint64(x.fields[isa.NEGHI]>>n&1) << 15
			continue
		}
		v[0][n] = x.modified(of, n, raw)
	}
	if form.enc == isa.VOP3P {
		return v[:]
	}
	return v[:1]
}

// modified returns operand n, of type of, after modifiers. raw is the register's value.
func (x *raiseInputs) modified(of isa.Type, n int, raw uint64) uint64 {
	neg, abs := x.fields[isa.NEG]>>n&1, x.fields[isa.ABS]>>n&1
	if n < 2 {
		neg |= x.fields[[2]isa.Field{isa.SRC0NEG, isa.SRC1NEG}[n]]
		abs |= x.fields[[2]isa.Field{isa.SRC0ABS, isa.SRC1ABS}[n]]
		if sel, ok := x.fields[[2]isa.Field{isa.SRC0SEL, isa.SRC1SEL}[n]]; ok && sel < 6 {
			signed := x.fields[[2]isa.Field{isa.SRC0SEXT, isa.SRC1SEXT}[n]] != 0
			switch part := raw >> (8 * (sel & 3)); {
			case sel >= 4 && signed:
				raw = uint64(uint32(int16(raw >> (16 * (sel & 1)))))
			case sel >= 4:
				raw = raw >> (16 * (sel & 1)) & 0xffff
			case signed:
				raw = uint64(uint32(int8(part)))
			default:
				raw = part & 0xff
			}
		}
	}
	if !isFloat(of) {
		return raw
	}
	sign := uint64(1) << (ieeeOf[of].width - 1)
	raw &= sign<<1 - 1
	if abs != 0 {
		raw &^= sign
	}
	if neg != 0 {
		raw ^= sign
	}
	return raw
}

// want returns the exceptions of the operands v according to the reference.
func (c raiseCase) want(m state.Mode, form raiseForm, v [3]uint64) state.TrapSts {
	r := isa.RowOf(form.op)
	fields := func(t ieee) (round int, in, out bool) {
		r, d := int(m>>2&3), m>>6&3
		if t.width == 32 {
			r, d = int(m&3), m>>4&3
		}
		return r, d&1 == 0, d&2 == 0
	}
	src, dst := ieeeOf[r.Sig.Src[0]], ieeeOf[r.Sig.Dst]
	if r.Name == "v_cvt_pkrtz_f16_f32" {
		dst = ieeeOf[isa.F16]
	}
	l := &raiseLane{to: dst, bits: v}
	_, in, _ := fields(src)
	l.round, _, l.flush = fields(dst)
	if form.gen < gcn.GCN12 && dst.width == 16 { // conversions, the only float16 operations then, keep denormals
		l.round, in, l.flush = int(m&3), false, false
	}
	if c.flushes && (!c.single || src.width == 32) {
		in, l.flush = true, true
	}
	switch {
	case c.nearest:
		l.round = 0
	case c.toZero:
		l.round = 3
	}
	judged := l.o[:0]
	for n := range raiseOperands(r) {
		if isFloat(typeOf(r, n)) {
			judged = append(judged, src.decode(v[n], in))
		}
	}
	return (given(judged[c.ignores:]...) | c.ref(l)) & c.only
}

// TestExceptionsOfRows checks lanes of high halves, and a row whose exceptions are not known.
func TestExceptionsOfRows(t *testing.T) {
	w := state.NewWave(gcn.GFX900, 8)
	w.SetVGPR(0, [64]uint32{5: 0x3f800000, 7: 0x3f800000})
	in := instruction(t, "v_pk_add_f16", isa.VOP3P, gcn.GCN14, map[isa.Field]int64{isa.SRC0: 256, isa.SRC1: 257,
		isa.VDST: 2, isa.OPSELHI: 3})
	w.V[0][9], w.V[1][9] = 0x7c00<<16, 0xfc00<<16
	raises, _ := executor.RaisedBy(&in)
	var got executor.Raised
	raises(w, &got)
	assert.Equal(t, executor.Raised{1 << 9}, got, "the high halves")

	in = instruction(t, "v_fma_mix_f32", isa.VOP3P, gcn.GCN141, nil)
	raises, why := executor.RaisedBy(&in)
	assert.Nil(t, raises)
	assert.Contains(t, why, "not collected")
}

// TestRaisesAllocateNothing checks that raisers do not allocate, because they run for every instruction.
func TestRaisesAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		enc  gcn.Encoding
	}{{"v_add_f32", isa.VOP3A}, {"v_add_f64", isa.VOP3A}, {"v_fma_f64", isa.VOP3A}, {"v_rcp_f16", isa.VOP3A},
		{"v_cvt_i32_f32", isa.VOP3A}, {"v_pk_fma_f16", isa.VOP3P}} {
		in := instruction(t, c.name, c.enc, gcn.GCN14, map[isa.Field]int64{isa.SRC0: 256, isa.SRC1: 258, isa.SRC2: 260})
		raises, _ := executor.RaisedBy(&in)
		w, to := state.NewWave(gcn.GFX900, 16), &executor.Raised{}
		w.Temp()
		assert.Zero(t, testing.AllocsPerRun(10, func() { raises(w, to) }), c.name)
	}
}
