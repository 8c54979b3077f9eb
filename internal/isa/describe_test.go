package isa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// All bits of an instruction belong to the prefix, the opcode, a field or reserved bits.
func TestBitsOfAnInstructionAreNamed(t *testing.T) {
	for g := range isa.Gen(isa.NumGens) {
		for op := isa.Op(1); int(op) < isa.NumOps(); op++ {
			in, err := isa.New(g.Target(), op, isa.Invalid)
			if err != nil {
				continue
			}
			encoding, opcode := in.Fixed()
			words, _ := in.Encode()
			prefix, code := encoding.Get(words[:]), opcode.Get(words[:])
			shift, at := opcode.Shift, encoding.Shift
			require.Equal(t, 32, at+encoding.Width, "%v on %v", op, g)
			if opcode.Width != 0 && !in.Has(isa.SEG) {
				assert.Equal(t, isa.RowOf(op).Code[g], int16(code), "%v on %v", op, g)
			}
			assert.Equal(t, uint64(uint32(in.Words))>>at, prefix, "%v on %v", op, g)
			in.Words = code<<shift | prefix<<at | uint64(in.Get(isa.SEG))<<14
			again, err := isa.Decode(g.Target(), []uint32{uint32(in.Words), 0})
			if assert.NoError(t, err, "%v on %v", op, g) && !isa.RowOf(op).Has(isa.Alias) {
				assert.Equal(t, isa.RowOf(op).Name, again.Row().Name, "on %v", g)
			}
		}
	}
}

// The table of fields agrees with the getters.
func TestVSharpFieldsAgreeWithGetters(t *testing.T) {
	var bits isa.VSharp
	for _, f := range isa.VSharpFields {
		for n := f.Shift; n < f.Shift+f.Width; n++ {
			bits[n/32] |= 1 << (n % 32)
		}
	}
	assert.Equal(t, isa.VSharpBits, bits)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		v := isa.VSharp{rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32()}
		b := v.Fields()
		one := map[bool]uint64{true: 1}
		want := []uint64{
			b.Base, uint64(b.Stride), one[b.CacheSwizzle], one[b.Swizzle], uint64(b.NumRecords),
			uint64(b.DstSel[0]), uint64(b.DstSel[1]), uint64(b.DstSel[2]), uint64(b.DstSel[3]),
			uint64(b.NumFormat), uint64(b.DataFormat), 0, 0, one[b.AddTID], one[b.Hash], one[b.Heap], uint64(b.Type),
		}
		for i, f := range isa.VSharpFields {
			got := f.Get(v[:])
			switch f.Name {
			case "ELEMSIZE":
				assert.Equal(t, b.ElemSize, uint32(2)<<got)
			case "INDEX_STRIDE":
				assert.Equal(t, b.IndexStride, uint32(8)<<got)
			default:
				assert.Equal(t, want[i], got, f.Name)
			}
		}
	}
}
