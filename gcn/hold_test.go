package gcn_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestFieldsThatASamplerDoesNotHold: what an S# of a generation cannot say is refused by name.
func TestFieldsThatASamplerDoesNotHold(t *testing.T) {
	for _, c := range []struct {
		gen  gcn.Gen
		s    gcn.SamplerState
		says string
	}{
		{gcn.GCN10, gcn.SamplerState{Compat: true}, "Compat is true, but an S# of gcn1.0 has no such field; leave it unset"},
		{gcn.GCN11, gcn.SamplerState{AnisoOverride: true}, "AnisoOverride is true, but an S# of gcn1.1 has no such field; leave it unset"},
		{gcn.GCN12, gcn.SamplerState{SkipDegamma: true}, "SkipDegamma is true, but an S# of gcn1.2 has no such field; leave it unset"},
		{gcn.GCN14, gcn.SamplerState{NoLSBCeil: true}, "NoLSBCeil is true, but an S# of gcn1.4 has no such field; leave it unset"},
		{gcn.GCN12, gcn.SamplerState{MaxAniso: 8}, "MaxAniso is 8, which an S# of gcn1.2 does not hold; give 0 to 7"},
		{gcn.GCN12, gcn.SamplerState{BorderColorPtr: -1}, "BorderColorPtr is -1, which an S# of gcn1.2 does not hold; give 0 to 4095"},
		{gcn.GCN12, gcn.SamplerState{LODBias: -33}, "LODBias is -33, which an S# of gcn1.2 does not hold; give -32 to 32"},
		{gcn.GCN12, gcn.SamplerState{MinLOD: float32(math.NaN())}, "MinLOD is NaN, which an S# of gcn1.2 does not hold; give 0 to 16"},
		{gcn.GCN12, gcn.SamplerState{Clamp: [3]gcn.Clamp{1, 9}}, "Clamp is [1 9 0], which an S# of gcn1.2 does not hold; give each 0 to 7"},
	} {
		err := gcn.Check(c.gen, c.s)
		var e *gcn.Error
		require.ErrorAs(t, err, &e, c.says)
		require.Equal(t, gcn.NoField, e.Kind)
		require.EqualError(t, err, c.says)
	}
	require.EqualError(t, gcn.Check(gcn.GCN12, gcn.Buffer{Stride: 1 << 14}), "Stride is 16384, which a V# does not hold; give 0 to 16383")
	require.EqualError(t, gcn.Check(gcn.GCN12, gcn.Buffer{ElemSize: 3}), "ElemSize is 3, which a V# does not hold; give 2 to 16")
	require.EqualError(t, gcn.Check(gcn.GCN12, gcn.Image{Base: 1 << 48}), "Base is 0x1000000000000, which a T# of gcn1.2 does not hold; give 0x0 to 0xffffffffff00 in steps of 256")
}

// TestDescriptorsHoldTheirFields: whatever words say is accepted, and what is accepted is what
// the words say, for each value of each field.
func TestDescriptorsHoldTheirFields(t *testing.T) {
	for g := range gcn.Gen(gcn.NumGens) {
		for n := range uint32(64) {
			for _, bits := range []uint32{0, 1 << (n % 32), math.MaxUint32 >> (n % 32), 0x9e3779b9 * n} {
				words := []uint32{bits, bits, bits, bits, bits, bits, bits, bits}
				require.NoError(t, gcn.Check(g, gcn.VSharp(words[:4]).Fields()))
				require.NoError(t, gcn.Check(g, gcn.TSharp(words).Fields(g)))
				require.NoError(t, gcn.Check(g, gcn.SSharp(words[:4]).Fields(g)))
			}
		}
		accepted := 0
		for f := range reflect.TypeFor[gcn.SamplerState]().Fields() {
			for n := range 256 {
				var s gcn.SamplerState
				v := reflect.ValueOf(&s).Elem().FieldByIndex(f.Index)
				switch v.Kind() {
				case reflect.Bool:
					v.SetBool(true)
				case reflect.Int:
					v.SetInt(int64(n) << 5)
				case reflect.Uint8:
					v.SetUint(uint64(n))
				case reflect.Array:
					v.Index(n % 3).SetUint(uint64(n / 3))
				case reflect.Float32:
					continue
				}
				if gcn.Check(g, s) == nil {
					accepted++
					require.Equal(t, s, gcn.SSharp(s.Words(g)).Fields(g), fmt.Sprint(g, f.Name))
				}
			}
		}
		require.Greater(t, accepted, 2000)
	}
}
