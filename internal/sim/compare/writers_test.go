package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// storing returns a program of random stores of all sizes, each of another value.
func storing(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s_movk_i32 s4, %d\nv_mov_b32 v4, s4\nv_mov_b32 v5, s4\n", i+1)
		fmt.Fprintf(&b, "v_mul_u32_u24 v1, %d, v0\nv_add_u32 v1, vcc, 0x%x, v1\n", []int{1, 2, 3, 4, 5, 8, 12}[r.IntN(7)],
			r.IntN(3000))
		fmt.Fprintf(&b, "s_mov_b64 exec, 0x%x\n", r.Uint32()>>1)
		fmt.Fprintf(&b, "buffer_store_%s, v1, s[0:3], 0 offen\ns_mov_b64 exec, -1\n",
			[]string{"byte v4", "short v4", "dword v4", "dwordx2 v[4:5]", "dword v4"}[r.IntN(5)])
	}
	return b.String() + "s_endpgm"
}

// TestWriters compares the last writers with what memory holds, which says it.
func TestWriters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		m := sim.New(gcn.GFX803)
		buf := m.Alloc(6000)
		want := make([]int, buf.Size)
		var w shadow
		number := 0
		require.NoError(t, m.Watch(&w, sim.Observer(func(e *sim.Event) {
			if e.Access.Op == gcn.Store {
				for l := range state.NumLanes {
					if e.Access.Exec>>l&1 == 0 {
						continue
					}
					for i := range int(e.Access.Count) * int(e.Access.Elem) {
						if at := e.Access.Addr[l] - buf.Addr + uint64(i); e.Access.Out[0]>>l&1 == 0 {
							want[at] = number<<6 + l + 1
						}
					}
				}
			}
			number++
		})))
		wave := m.NewWave()
		wave.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: uint32(buf.Size)}.Words()...)
		wave.SetVGPR(0, lane.ID())
		_, err := m.RunAsm(t.Context(), wave, storing(r, 40))
		require.NoError(t, err)
		for i := range want {
			by := w.of(buf.Addr + uint64(i))
			require.Equal(t, want[i] != 0, by != 0, "byte %d", i)
			if by != 0 {
				require.Equal(t, want[i]-1, int(by.number())<<6+by.lane(), "byte %d", i)
			}
		}
		assert.Zero(t, w.of(buf.Addr+buf.Size))
	}
}
