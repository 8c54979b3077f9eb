package check_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// laneStore is a store of v[4:7] with an address for each lane, and the bytes that it stores.
type laneStore struct {
	text     string
	elements []int // the offset of each element from the address of the lane
	size     int   // the number of bytes of an element
	high     bool  // the store is of the high half of v4
	align    uint32
}

var laneStores = []laneStore{
	{"ds_write_b8 v0, v4", []int{0}, 1, false, 1},
	{"ds_write_b16 v0, v4", []int{0}, 2, false, 2},
	{"ds_write_b8_d16_hi v0, v4", []int{0}, 1, true, 1},
	{"ds_write_b32 v0, v4", []int{0}, 4, false, 4},
	{"ds_write_b64 v0, v[4:5]", []int{0}, 8, false, 8},
	{"ds_write2_b32 v0, v4, v5 offset0:1 offset1:3", []int{4, 12}, 4, false, 4},
	{"ds_write2st64_b64 v0, v[4:5], v[6:7] offset1:1", []int{0, 512}, 8, false, 8},
	{"buffer_store_byte v4, v0, s[0:3], 0 offen", []int{0}, 1, false, 1},
	{"buffer_store_dwordx2 v[4:5], v0, s[0:3], 0 offen", []int{0, 4}, 4, false, 4},
	{"buffer_store_dwordx4 v[4:7], v0, s[0:3], 0 offen", []int{0, 4, 8, 12}, 4, false, 4},
}

// conflicts reports whether two lanes store different values to the same byte.
func (s *laneStore) conflicts(addr state.Lanes, data [4]state.Lanes) bool {
	held := map[uint32]byte{}
	for lane := range addr {
		for i, distance := range s.elements {
			for k := range s.size {
				n := i*s.size + k
				value := byte(data[n/4][lane] >> (8 * (n % 4)))
				if s.high {
					value = byte(data[0][lane] >> (16 + 8*k))
				}
				at := addr[lane] + uint32(distance+k)
				if old, ok := held[at]; ok && old != value {
					return true
				}
				held[at] = value
			}
		}
	}
	return false
}

// TestLanesConflictByBytes stores to overlapping addresses. The data depend only on the address, except in one
// lane or in none. The findings are compared with the values that each byte receives.
func TestLanesConflictByBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	both := map[bool]int{}
	for i := range 400 {
		s := &laneStores[i%len(laneStores)]
		b := newBench(t, gcn.GFX900, "lane-conflict")
		b.w.SetSGPRs(0, gcn.Buffer{Base: b.buf.Addr, NumRecords: 4096}.Words()...)
		var addr state.Lanes
		var data [4]state.Lanes
		memory := [1024]byte{}
		for n := range memory {
			memory[n] = byte(rnd.Uint32())
		}
		for lane := range addr {
			addr[lane] = rnd.Uint32N(32) * s.align
			if i%3 == 0 { // no two values are equal
				addr[lane] = uint32(lane) * s.align
			}
			for e, distance := range s.elements {
				for k := range s.size {
					n, value := e*s.size+k, uint32(memory[int(addr[lane])+distance+k])
					if s.high {
						n += 2
					}
					data[n/4][lane] |= value << (8 * (n % 4))
				}
			}
			if s.size < 4 { // only the low bytes are stored
				data[0][lane] |= rnd.Uint32() &^ 0xff00ff &^ uint32(0xffff*(s.size-1))
			}
		}
		if i%2 == 0 {
			lane := rnd.IntN(64)
			data[rnd.IntN(max(1, len(s.elements)*s.size/4))][lane] ^= 1 << rnd.IntN(32)
		}
		b.w.SetVGPR(0, addr)
		for n := range data {
			b.w.SetVGPR(4+n, data[n])
		}
		want := s.conflicts(addr, data)
		both[want]++
		found := b.run(s.text)
		assert.Equal(t, want, len(found) > 0, "%d: %s\n%v\n%v: %v", i, s.text, addr, data, found)
	}
	require.Greater(t, min(both[true], both[false]), 50, "%v", both)
}

// TestLaneOutOfOrder: the dwords of lanes are consecutive, except that one lane stores to the dword of another.
func TestLaneOutOfOrder(t *testing.T) {
	for one := range 64 {
		for _, other := range [...]int{(one + 1) % 64, (one + 63) % 64, (one + 17) % 64} {
			b := newBench(t, gcn.GFX900, "lane-conflict")
			b.w.SetSGPRs(0, gcn.Buffer{Base: b.buf.Addr, NumRecords: 4096}.Words()...)
			var addr, data state.Lanes
			for lane := range addr {
				addr[lane], data[lane] = uint32(4*lane), uint32(lane)
			}
			addr[one] = uint32(4 * other)
			b.w.SetVGPR(0, addr)
			b.w.SetVGPR(4, data)
			require.Len(t, b.run("buffer_store_dword v4, v0, s[0:3], 0 offen"), 1, "lane %d where lane %d is", one, other)
		}
	}
}

// TestConflictsOfNarrowElements: stores of lanes conflict in one element of a dword, not in different elements.
func TestConflictsOfNarrowElements(t *testing.T) {
	for size, data := range map[uint32]uint8{1: gcn.Data8, 2: gcn.Data16} {
		for _, text := range []string{"buffer_store_format_x v4, v0, s[0:3], 0 idxen",
			"buffer_store_format_xyzw v[4:7], v0, s[0:3], 0 idxen"} {
			b := newBench(t, gcn.GFX900, "lane-conflict")
			b.w.SetSGPRs(0, gcn.Buffer{Base: b.buf.Addr, Stride: size, NumRecords: 1024, DataFormat: data,
				NumFormat: gcn.NumUINT, DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}}.Words()...)
			var index state.Lanes
			for lane := range index {
				index[lane] = uint32(63 - lane) // lanes in ascending order would be judged together
			}
			b.w.SetVGPR(0, index)
			b.w.SetVGPR(4, index)
			assert.Empty(t, b.run(text), "%d %s", data, text)
			index[7] = index[6]
			b.w.SetVGPR(0, index)
			assert.Len(t, b.run(text), 1, "%d %s", data, text)
		}
	}
}

// TestCopyThatClampsItsLastLanes has the copy shader of a driver. Lanes behind the end store the last
// bytes again, shifted.
func TestCopyThatClampsItsLastLanes(t *testing.T) {
	b := newBench(t, gcn.GFX900, "lane-conflict")
	b.w.SetSGPRs(0, gcn.Buffer{Base: b.buf.Addr, NumRecords: 4096}.Words()...)
	var addr state.Lanes
	for lane := range addr {
		addr[lane] = min(uint32(lane)*16, 500-16)
	}
	b.w.SetVGPR(0, addr)
	for n := range 4 {
		var v state.Lanes
		for lane := range v {
			v[lane] = addr[lane] + 4*uint32(n)
		}
		b.w.SetVGPR(4+n, v)
	}
	require.Empty(t, b.run("buffer_store_dwordx4 v[4:7], v0, s[0:3], 0 offen"))
}

// TestRangesOfLDS: a lost access to LDS is a warning. So is an access that is lost only because of M0. That finding
// names the instruction that set M0.
func TestRangesOfLDS(t *testing.T) {
	for _, tt := range []struct {
		target     gcn.Target
		text, want string
	}{
		{gcn.GFX900, "ds_write_b32 v0, v1 offset:4092", "warning"},
		{gcn.GFX900, "ds_add_u32 v0, v1 offset:4092", "warning"},
		{gcn.GFX900, "ds_read_b32 v2, v0 offset:4092", "note"},
		{gcn.GFX900, "s_mov_b32 m0, 16\nds_write_b32 v0, v1", ""},
		{gcn.GFX803, "s_mov_b32 m0, -1\nds_write_b32 v0, v1", ""},
		{gcn.GFX803, "s_mov_b32 m0, 4096\nds_read_b32 v2, v0", ""},
		{gcn.GFX803, "s_mov_b32 m0, 16\ns_nop 0\nds_read_b32 v2, v0", "warning m0 0x0"},
		{gcn.GFX803, "s_mov_b32 m0, -1\nv_readfirstlane_b32 m0, v1\nds_write2_b32 v0, v1, v1 offset1:1", "warning m0 0x4"},
		// The accesses of all lanes except lane 0 lie behind LDS.
		{gcn.GFX600, "s_mov_b32 m0, 16\nds_write_b32 v0, v1 offset:4092", "warning, warning m0 0x0"},
		{gcn.GFX701, "s_mov_b32 m0, 16\nflat_store_dword v[2:3], v1", "warning m0 0x0"},
		{gcn.GFX803, "buffer_store_dword v1, v0, s[0:3], 0 offen offset:4092", "note"},
	} {
		b := newBench(t, tt.target, "out-of-range")
		b.m.LDSSize = 4096
		b.w.S[gcn.M0] = ^uint32(0)
		b.w.SetVGPR(2, b.w.VGPR(0))
		b.w.SetVGPR(3, state.Lanes{})
		for lane := range state.NumLanes {
			hi := b.w.VGPR(3)
			hi[lane] = b.w.SharedBase
			b.w.SetVGPR(3, hi)
		}
		var got string
		for i, f := range b.run(tt.text) {
			if i > 0 {
				got += ", "
			}
			got += f.Severity.String()
			if f.Reg != "" {
				require.NotNil(t, f.Producer, tt.text)
				got += fmt.Sprintf(" %s 0x%x", f.Reg, f.Producer.PC)
				require.Contains(t, f.Fix, "s_mov_b32 m0, -1")
			}
		}
		require.Equal(t, tt.want, got, "%v: %s", tt.target, tt.text)
	}
	b := newBench(t, gcn.GFX803, "out-of-range")
	b.w.S[gcn.M0] = 16
	f := one(t, b.run("ds_read_b32 v2, v0"))
	require.Equal(t, check.Warning, f.Severity)
	require.Contains(t, f.Message, "M0, 0x10, which it had at the start")
}
