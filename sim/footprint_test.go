package sim_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
)

// bytesTaken returns the bytes of heap that do allocates, including those freed again. The heap in use never exceeds
// it.
func bytesTaken(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMappedBytesCostThemselves: memory allocates the mapped bytes and at most a twentieth more.
func TestMappedBytesCostThemselves(t *testing.T) {
	const size = 1 << 20
	for _, n := range []int{1, 40} { // the list of ranges must be small as well
		var buffers []*sim.Buffer
		used := bytesTaken(func() {
			m := sim.New(gcn.GFX803)
			for range n {
				buffers = append(buffers, m.Alloc(size))
			}
		})
		assert.LessOrEqual(t, used, uint64(n*size+n*size/20), "%d of %d bytes", n, size)
		runtime.KeepAlive(buffers)
	}
}

const (
	firTaps = 16
	firLen  = 1 << 20
)

// firText returns a filter: y[i] is the sum of c[k]*x[i+k]. s[0:3] is the buffer of x, s[4:7] that of y, s[8:9] the
// address of c, and s10 the number of the work-group of 256 elements.
func firText() string {
	var b strings.Builder
	b.WriteString("s_load_dwordx16 s[16:31], s[8:9], 0x0\nv_mov_b32 v1, s10\nv_lshlrev_b32 v1, 8, v1\nv_or_b32 v1, " +
		"v1, v0\nv_lshlrev_b32 v1, 2, v1\nv_mov_b32 v2, 0\n")
	for k := range firTaps {
		fmt.Fprintf(&b, "buffer_load_dword v%d, v1, s[0:3], 0 offen offset:%d\n", 3+k, 4*k)
	}
	b.WriteString("s_waitcnt 0\n")
	for k := range firTaps {
		fmt.Fprintf(&b, "v_mac_f32 v2, s%d, v%d\n", 16+k, 3+k)
	}
	return b.String() + "buffer_store_dword v2, v1, s[4:7], 0 offen\ns_endpgm"
}

// TestFilterOfAMillionElements: a launch of the filter, from the machine to the result, allocates less than 30 MB,
// with or without a time model. A second launch allocates nearly nothing.
func TestFilterOfAMillionElements(t *testing.T) {
	p, err := asm.Assemble(gcn.GFX803, firText(), asm.LLVM)
	require.NoError(t, err)
	length := effort.Rounds(firLen/256) * 256
	for _, timed := range []bool{false, true} {
		var m *sim.Machine
		var out *sim.Buffer
		var c sim.Compute
		run := func() {
			model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
			require.NoError(t, err)
			if c.Config = (sim.Config{}); timed {
				require.NoError(t, c.Watch(model))
			}
			_, err = m.Compute(ctx, c)
			require.NoError(t, err)
			_, err = model.Finish()
			require.NoError(t, err)
		}
		used := bytesTaken(func() {
			m = sim.New(gcn.GFX803)
			in, coefficients, code := m.Alloc(4*(length+firTaps)), m.Alloc(4*firTaps), m.Alloc(4*len(p.Words))
			out = m.Alloc(4 * length)
			for i := range length + firTaps {
				binary.LittleEndian.PutUint32(in.Bytes()[4*i:], math.Float32bits(float32(i%1000)))
			}
			coefficients.SetFloat32s(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
			code.SetUint32s(p.Words...)
			c = sim.Compute{
				Initiator: sim.ShaderEnable, End: [3]uint32{uint32(length / 256), 1, 1}, NumThread: [3]uint32{256, 1, 1},
				Program: code.Addr,
				RSRC:    gcn.RSRC{4 | 4<<6 | 0xc0<<12, 10<<1 | 1<<7, 0},
			}
			copy(c.UserData[:], gcn.Buffer{Base: in.Addr, NumRecords: uint32(in.Size)}.Words())
			copy(c.UserData[4:], gcn.Buffer{Base: out.Addr, NumRecords: uint32(out.Size)}.Words())
			c.UserData[8], c.UserData[9] = uint32(coefficients.Addr), uint32(coefficients.Addr>>32)
			run()
		})
		t.Logf("timed %t: %.1f MB", timed, float64(used)/1e6)
		assert.Less(t, used, uint64(30e6))
		want := float32(0)
		for k := range firTaps {
			want += float32(k+1) * float32((1234+k)%1000)
		}
		assert.InDelta(t, want, math.Float32frombits(binary.LittleEndian.Uint32(out.Bytes()[4*1234:])), 0)
		if !timed {
			assert.Less(t, bytesTaken(run), uint64(1e6))
		}
	}
}
