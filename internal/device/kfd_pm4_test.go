//go:build linux && (amd64 || arm64)

package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestPM4Queue: the ring's packets are executed, also if one wraps around its end. A packet that waits for memory
// delays later packets. A store into the event page raises the event.
func TestPM4Queue(t *testing.T) {
	for i, name := range []string{"vega10", "fiji"} {
		if effort.LeavesOut(i) && i > 0 {
			continue
		}
		q := newDMA(t, Options{Chip: name, MemoryBytes: 64 << 20}, 256, kindPM4)
		const event = kfdEvents + 8
		for n := range uint32(30) { // 30 times 6 dwords
			q.put(packet(0x37, 5<<8|1<<20, low(kfdData+8*uint64(n)), high(kfdData), n)...)
			q.put(0xffff1002) // NOP
			q.done()
		}
		for n := range uint64(30) {
			assert.Equal(t, n, q.get64(kfdData+8*n))
		}
		code := q.kernel("v_mov_b32 v1, s0\nv_mov_b32 v2, s1\nv_mov_b32 v3, 7\nflat_store_dword v[1:2], v3\ns_endpgm", 0)
		at := code + 256
		q.put(packet(0x76, 0x20c, low(at>>8), high(at>>8))...)
		q.put(packet(0x76, 0x212, 1|1<<6, 2<<1)...) // 8 VGPRs, 16 SGPRs, 2 user SGPRs
		q.put(packet(0x76, 0x240, low(kfdData+0x1000), high(kfdData))...)
		q.put(packet(0x76, 0x207, 64, 1, 1)...)
		q.put(packet(0x15, 1, 1, 1, 1)...)
		q.done()
		assert.EqualValues(t, 7, q.get64(kfdData+0x1000))
		before := gpuNow()
		q.put(packet(0x40, 9|5<<8|1<<16|1<<20, 0, 0, low(kfdData+0x1800), high(kfdData))...) // stores the clock
		q.done()
		assert.LessOrEqual(t, before, q.get64(kfdData+0x1800))
		q.put(packet(0x3c, 3|1<<4, low(kfdData+0x2000), high(kfdData), 3, 0xff, 4)...)
		q.put(packet(0x37, 5<<8|1<<20, low(event), high(event), 1)...)
		result, _ := q.wait(20, 1)
		assert.EqualValues(t, 1, result, "it must wait")
		q.put64(kfdData+0x2000, 0x103)
		result, _ = q.wait(patience, 1)
		assert.Zero(t, result, "the store raises the event")
		q.done()
		require.Zero(t, q.call(0x07, &kfdUpdateQueue{ID: q.id, Percentage: 100}, nil), "without a ring it is suspended")
		require.NotZero(t, q.call(0x07, &kfdUpdateQueue{ID: q.id, Ring: kfdRing, RingBytes: 256, Percentage: 100}, nil))
		q.put(packet(0x3c, 3|1<<4, low(kfdData+0x3000), high(kfdData), 3, 0xff, 4)...) // waits for ever
		require.Zero(t, q.call(0x07, &kfdUpdateQueue{ID: q.id, Ring: sdmaRing, RingBytes: 256, Percentage: 100}, nil))
		require.Zero(t, q.call(0x03, &kfdQueueID{ID: q.id}, nil))
	}
}

// TestPM4QueueErrors: the runtime receives each error, with its address.
func TestPM4QueueErrors(t *testing.T) {
	const nowhere = 0x7000_0000_0000
	for name, test := range map[string]struct {
		words []uint32
		page  uint64
		says  string
	}{
		"store nowhere": {packet(0x37, 5<<8|1<<20, low(nowhere), high(nowhere), 1), nowhere, "it writes 0x700000000000"},
		"unknown":       {packet(0xfe, 1, 2), sdmaRing, "no packet with opcode 0xfe is known"},
		"cut":           {packet(0x37, 5<<8|1<<20, 0, 0, 1)[:3], sdmaRing, "runs over the end of the buffer"},
	} {
		t.Run(name, func(t *testing.T) {
			faultsDMA(t, 256, kindPM4, test.words, test.page, test.says,
				"PM4 queue 1, submission 0: the queue executes nothing more")
		})
	}
}
