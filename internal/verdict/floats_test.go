package verdict

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/testkit/elftest"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// untyped returns an object. Its kernel has the address of an element of an untyped buffer in v[0:1], and a NaN in v2,
// the root of a negative number. The NaN is also the root of both halves.
func untyped(text string) []byte {
	return elftest.Kernel("gfx900", `
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_lshlrev_b32 v3, 3, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v1, s5
	v_add_co_u32 v0, vcc, s4, v3
	v_addc_co_u32 v1, vcc, 0, v1, vcc
	v_sqrt_f32 v2, -1.0
	v_mov_b32 v4, 0x7e007e00
`+text)
}

// TestDiffObjectsFloats: the bits of a NaN in a buffer of unknown type are ignored if both programs computed the NaN as
// a float, even if other instructions moved it later. Results of integer instructions are compared.
func TestDiffObjectsFloats(t *testing.T) {
	const store = "\nglobal_store_dword v[0:1], v2, off"
	for name, c := range map[string]struct {
		a, b string
		want compare.Verdict
	}{
		"sum":          {"v_add_f32 v2, v2, 0" + store, "v_add_f32 v2, -v2, 0" + store, compare.Same},
		"other number": {"v_add_f32 v2, v2, 0" + store, "v_mov_b32 v2, 1.0\nv_add_f32 v2, v2, 0" + store, compare.Different},
		"bits":         {"v_add_f32 v2, v2, 0" + store, "v_xor_b32 v2, 0x80000000, v2" + store, compare.Different},
		"copied": {"v_add_f32 v2, v2, 0" + store, "v_add_f32 v5, -v2, 0\nds_write_b32 v3, v5\ns_waitcnt lgkmcnt(0)\n" +
			"ds_read_b32 v6, v3\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, v6" + store, compare.Same},
		"halves": {"v_pk_add_f16 v2, v4, 0" + store, "v_pk_add_f16 v2, v4, 0 neg_lo:[1,0] neg_hi:[1,0]" + store,
			compare.Same},
		"another float": {"v_pk_add_f16 v2, v4, 0" + store, "v_add_f32 v2, v2, 0" + store, compare.Different},
		"double": {"v_cvt_f64_f32 v[4:5], v2\nv_add_f64 v[4:5], v[4:5], 0\nglobal_store_dwordx2 v[0:1], v[4:5], off",
			"v_cvt_f64_f32 v[4:5], v2\nv_add_f64 v[4:5], -v[4:5], 0\nglobal_store_dwordx2 v[0:1], v[4:5], off",
			compare.Same},
	} {
		a, b := untyped(c.a), untyped(c.b)
		for bits, want := range map[bool]compare.Verdict{false: c.want, true: compare.Different} {
			all, err := DiffObjects(t.Context(), a, b, [2]string{"a.s", "b.s"},
				&ObjectsOptions{NaNBits: bits, Check: []string{}})
			require.NoError(t, err, name)
			v, why := all[0].Verdict()
			assert.Equal(t, want, v, "%s, bits %v: %s", name, bits, why)
			if v == compare.Same {
				assert.Positive(t, all[0].Tolerated, name)
			}
		}
	}
}

// TestGroupObjectsLeavesOutUnreadable: a program that cannot be read does not prevent the comparison of the others, but
// there is no verdict that all programs are the same.
func TestGroupObjectsLeavesOutUnreadable(t *testing.T) {
	same := untyped("v_add_f32 v2, v2, 0\nglobal_store_dword v[0:1], v2, off")
	names := []string{"a.s", "bad.s", "c.s"}
	all, err := GroupObjects(t.Context(), [][]byte{same, []byte("\x7fELF"), same}, names,
		&ObjectsOptions{Check: []string{}})
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, [][]int{{0, 2}}, all[0].Groups)
	v, why := all[0].Verdict()
	assert.Equal(t, compare.NoVerdict, v)
	assert.Contains(t, why, "a.s, c.s do the same, but bad.s: ")
	_, err = GroupObjects(t.Context(), [][]byte{same, []byte("\x7fELF")}, names[:2], nil)
	assert.ErrorContains(t, err, "bad.s: ")
}

// TestGuessedDataIsValid: all launches have data that can be drawn, for each type.
func TestGuessedDataIsValid(t *testing.T) {
	for as := range spec.Element(element.Count) {
		for i := range 64 {
			for _, known := range []bool{true, false} {
				for _, most := range []int{0, 7} {
					err := guessData(as, known, 1, i, most).Fill(nil, 0, 0)
					assert.NoError(t, err, "%v, known %v, launch %d, at most %d", as, known, i, most)
				}
			}
		}
	}
}

// TestOnlyOne: findings differ by their kinds. The contents of a cache count only if the programs do not race.
func TestOnlyOne(t *testing.T) {
	of := func(kinds ...check.Kind) (all []check.Finding) {
		for _, kind := range kinds {
			all = append(all, check.Finding{Kind: kind, Severity: check.Error})
		}
		return all
	}
	for _, c := range []struct{ a, b, onlyA, onlyB []check.Finding }{
		{},
		{a: of(check.WaitRAW), b: of(check.WaitRAW, check.WaitRAW)},
		{a: of(check.WaitRAW), b: of(check.VCCZ), onlyA: of(check.WaitRAW), onlyB: of(check.VCCZ)},
		{b: of(check.Stack)},
		{b: of(check.StaleCache), onlyB: of(check.StaleCache)},
		{a: of(check.Race), b: of(check.StaleCache), onlyA: of(check.Race), onlyB: of(check.StaleCache)},
		{a: of(check.Race), b: of(check.Race, check.StaleCache, check.WaitRAW), onlyB: of(check.WaitRAW)},
	} {
		parts := [2]*part{{}, {name: "b"}}
		r := &kernelCase{looked: map[*part]*looks{}}
		for i, found := range [2][]check.Finding{c.a, c.b} {
			r.looked[parts[i]] = &looks{kinds: map[check.Kind]bool{check.Stack: true}} // on other launches
			for _, f := range found {
				r.looked[parts[i]].kinds[f.Kind] = true
			}
		}
		assert.Equal(t, [2][]check.Finding{c.onlyA, c.onlyB}, r.onlyOne(&pairRun{found: [2][]check.Finding{c.a, c.b}}, parts))
	}
}

// TestUndefined: different results do not count if both programs do something that their source leaves undefined.
func TestUndefined(t *testing.T) {
	for _, kind := range []check.Kind{check.Uninit, check.Race, check.OutOfRange, check.LaneConflict} {
		has := []check.Finding{{Kind: check.WaitRAW}, {Kind: kind}}
		assert.Contains(t, undefined(&compare.Difference{}, has, has), "findings of kind "+string(kind)+" on it")
		assert.Empty(t, undefined(&compare.Difference{}, has, has[:1]))
		assert.Empty(t, undefined(&compare.Difference{}, has[:1], has))
	}
}
