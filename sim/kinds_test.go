package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestIllegalOrUnsupported checks that an incorrect program has a fault of kind illegal, and that unsupported is used
// only for correct code that is not modelled.
func TestIllegalOrUnsupported(t *testing.T) {
	const buffer = 10 << 15
	for what, c := range map[string]struct {
		target gcn.Target
		words  []uint32
		kind   state.FaultKind
	}{
		"LDS with TFE":                        {gcn.GFX803, []uint32{0xe0511000, 0x80800100}, state.FaultIllegal},
		"a store to LDS":                      {gcn.GFX803, []uint32{0xe0711000, 0x80000100}, state.FaultIllegal},
		"ADDR64 with OFFEN":                   {gcn.GFX600, []uint32{0xe0309000, 0x80000100}, state.FaultIllegal},
		"a literal as SOFFSET":                {gcn.GFX803, []uint32{0xe0501000, 0xff000100}, state.FaultIllegal},
		"LDS_DIRECT as SOFFSET":               {gcn.GFX803, []uint32{0xe0501000, 0xfe000100}, state.FaultIllegal},
		"LDS_DIRECT in a scalar instruction":  {gcn.GFX803, []uint32{0xbe8000fe}, state.FaultIllegal},
		"a VGPR as lane mask":                 {gcn.GFX803, []uint32{0xd1000405, 0x040e0501}, state.FaultIllegal},
		"LDS_DIRECT as a pair":                {gcn.GFX803, []uint32{0x7e0206fe}, state.FaultIllegal},
		"a typed store of USCALED":            {gcn.GFX803, []uint32{0xe9521000, 0x80000100}, state.FaultIllegal},
		"32 with UNORM in a MTBUF":            {gcn.GFX803, []uint32{0xe8201000, 0x80000100}, state.FaultIllegal},
		"an atomic with TFE":                  {gcn.GFX803, []uint32{0xe1081000, 0x80800100}, state.FaultUnsupported},
		"an image atomic with DMASK 5":        {gcn.GFX803, []uint32{0xf0481500, 0x00000100}, state.FaultIllegal},
		"an image atomic with D16":            {gcn.GFX900, []uint32{0xf0481100, 0x80000100}, state.FaultIllegal},
		"GATHER4H_PCK":                        {gcn.GFX900, []uint32{0xf1280100, 0x00000100}, state.FaultUnsupported},
		"a DPP_CTRL without a meaning":        {gcn.GFX803, []uint32{0x7e0002fa, 0xff015000}, state.FaultIllegal},
		"DPP of 64 bits":                      {gcn.GFX803, []uint32{0x7e0006fa, 0xff00e400}, state.FaultIllegal},
		"a VGPR as lane select":               {gcn.GFX803, []uint32{0xd2890000, 0x00020300}, state.FaultIllegal},
		"an inline constant as four VGPRs":    {gcn.GFX900, []uint32{0xd1e70000, 0x02e00104}, state.FaultIllegal},
		"four SGPRs as four VGPRs":            {gcn.GFX900, []uint32{0xd1e70000, 0x00200104}, state.FaultIllegal},
		"a constant to swap":                  {gcn.GFX900, []uint32{0x7e00a280}, state.FaultIllegal},
		"a constant to index from":            {gcn.GFX803, []uint32{0x7e006e80}, state.FaultIllegal},
		"a constant to index scalars from":    {gcn.GFX803, []uint32{0xbe802a80}, state.FaultIllegal},
		"a constant as SMEM offset register":  {gcn.GFX803, []uint32{0xc0000000, 0x00000080}, state.FaultIllegal},
		"a literal as SMRD offset of GCN 1.0": {gcn.GFX600, []uint32{0xc00000ff, 0}, state.FaultIllegal},
		"GWS without GDS":                     {gcn.GFX803, []uint32{0xd9340000, 0}, state.FaultIllegal},
		"CLAMP of v_mul_lo_u32":               {gcn.GFX803, []uint32{0xd2858000, 0x00020300}, state.FaultUnsupported},
	} {
		f := faultOf(t, sim.New(c.target), sim.New(c.target).NewWave(), c.words)
		assert.Equal(t, c.kind.String(), f.Kind.String(), "%s: %v", what, f)
	}
	for what, c := range map[string]struct {
		v3   uint32
		text string
		kind state.FaultKind
	}{
		"32 with UNORM":   {4 << 15, "buffer_load_format_x v0, off, s[0:3], 0", state.FaultIllegal},
		"a USCALED store": {buffer | 2<<12, "buffer_store_format_x v0, off, s[0:3], 0", state.FaultIllegal},
	} {
		m := sim.New(gcn.GFX803)
		w := m.NewWave()
		w.S[3] = c.v3
		_, err := m.RunAsm(ctx, w, c.text)
		var f *state.Fault
		require.ErrorAs(t, err, &f, what)
		assert.Equal(t, c.kind.String(), f.Kind.String(), "%s: %v", what, f)
	}
}
