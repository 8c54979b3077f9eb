//go:build linux && (amd64 || arm64)

package device

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// GPU addresses of an SDMA queue in tests.
const (
	sdmaRing  = 0x100700000
	sdmaIndex = 0x100800000 // the write index; the read index is 8 bytes behind it
)

// dmaQueue is a queue of SDMA or PM4 packets in a test.
type dmaQueue struct {
	*rocr
	id, kind    uint32
	size, write uint64 // in bytes
	gcn14       bool
}

// newDMA creates a queue with a ring of size bytes. The chip decides whether its indices wrap.
func newDMA(t testing.TB, o Options, size, kind uint32) *dmaQueue {
	t.Helper()
	r := newRuntime(t, o)
	r.alloc(sdmaRing, 64<<10, allocGTT)
	r.alloc(sdmaIndex, 4096, allocGTT)
	q := kfdCreateQueue{
		Ring: sdmaRing, RingBytes: size, WritePtr: sdmaIndex, ReadPtr: sdmaIndex + 8, GPU: gpuID, Kind: kind,
		Percentage: 100,
	}
	require.Zero(t, r.call(nrCreateQueue, &q, &q))
	return &dmaQueue{rocr: r, id: q.ID, kind: kind, size: uint64(size), gcn14: isa.TraitsOf(r.f.dev.chip.Target).Apertures}
}

// faultsDMA executes words in a queue. The runtime must receive a fault at page, with a text that contains all of
// says.
func faultsDMA(t *testing.T, size, kind uint32, words []uint32, page uint64, says ...string) {
	t.Helper()
	told := make(chan string, 1)
	o := Options{Chip: "vega10", MemoryBytes: 64 << 20, Faulted: func(f *Fault) { told <- f.Error() }}
	q := newDMA(t, o, size, kind)
	q.put(words...)
	result, list := q.wait(patience, 1<<31|1)
	require.Zero(t, result)
	assert.EqualValues(t, page, binary.LittleEndian.Uint64(list[0].Data[16:]))
	text := <-told
	for _, what := range says {
		assert.Contains(t, text, what)
	}
}

// count encodes a number of bytes as the chip's packets have it.
func (q *dmaQueue) count(n uint32) uint32 {
	if q.gcn14 {
		return n - 1
	}
	return n
}

// put writes words to the ring, and then the index.
func (q *dmaQueue) put(words ...uint32) {
	q.submitting.Lock()
	defer q.submitting.Unlock()
	for _, w := range words {
		binary.LittleEndian.PutUint32(q.gpu(sdmaRing+q.write%q.size), w)
		q.write += 4
	}
	q.put64(sdmaIndex, q.index(!q.gcn14))
}

// index returns the position of the next word. If wraps, it counts from the beginning of the ring.
func (q *dmaQueue) index(wraps bool) uint64 {
	at := q.write
	if wraps {
		at %= q.size
	}
	if q.kind == kindPM4 {
		at /= 4
	}
	return at
}

// done waits until all packets are executed. It reads memory that the packets write, because the race detector only
// sees the order of goroutines through such reads.
func (q *dmaQueue) done() {
	q.t.Helper()
	_, _ = q.wait(0, 1) // the call makes the device poll its rings
	require.Eventually(q.t, func() bool { return q.get64(sdmaIndex+8) == q.index(!q.gcn14 || q.kind == kindPM4) },
		time.Minute, 100*time.Microsecond)
}

// TestSDMA executes every kind of packet that ROCr writes, in a ring that wraps.
func TestSDMA(t *testing.T) {
	for i, name := range []string{"vega10", "fiji", "hawaii"} {
		if effort.LeavesOut(i) && i > 1 {
			continue
		}
		q := newDMA(t, Options{Chip: name, MemoryBytes: 64 << 20}, 256, kindSDMA)
		const src, dst, event = kfdData, kfdData + 0x8001, kfdEvents + 8
		for i := range 5000 {
			q.gpu(src)[i] = byte(i * 7)
		}
		q.put64(src+0x7000, 5)
		for range 5 { // five times 220 bytes of packets, more than the ring holds
			q.put(1, q.count(5000), 0, low(src), high(src), low(dst), high(dst))
			q.put(0x8000_000b, low(src+0x6000), high(src), 0xabcd1234, q.count(16)&^3)
			q.put(47<<25|10, low(src+0x7000), high(src), ^uint32(0), ^uint32(0), 0, 0, 0)
			q.put(2, low(src+0x7018), high(src), q.count(5), 11, 12, 13, 14, 15) // once in five, the data wraps
			q.put(12<<16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)                 // a NOP with 12 words
			q.put(0x020d, low(src+0x7008), high(src))
			q.put(8, 0, 0x80000000, 0, 0, 0) // flushes the HDP
			q.put(5, low(src+0x7010), high(src), 99)
			q.done()
		}
		assert.True(t, bytes.Equal(q.gpu(src)[:5000], q.gpu(dst)[:5000]), "a copy to an odd address")
		assert.Zero(t, q.gpu(dst)[5000])
		for i, want := range []uint32{0xabcd1234, 0xabcd1234, 0xabcd1234, 0xabcd1234, 0} {
			assert.Equal(t, want, dword(q.gpu(src+0x6000), i))
		}
		assert.Zero(t, q.get64(src+0x7000), "five times less one")
		assert.NotZero(t, q.get64(src+0x7008))
		assert.EqualValues(t, 99, q.get64(src+0x7010))
		for i, want := range []uint32{11, 12, 13, 14, 15, 0} {
			assert.Equal(t, want, dword(q.gpu(src+0x7018), i))
		}
		q.put(3<<28|1<<31|8, low(src+0x7040), high(src), 3, 0xff, 0) // waits for 3
		q.put(5, low(event), high(event), 1, 6, 0)
		result, _ := q.wait(20, 1)
		assert.EqualValues(t, 1, result, "it must wait")
		q.put64(src+0x7040, 0x103)
		result, _ = q.wait(patience, 1)
		assert.Zero(t, result, "the trap raises the event")
		q.done()
		require.Zero(t, q.call(0x03, &kfdQueueID{ID: 1}, nil))
	}
}

// TestSDMAWindow copies a box of elements, and compares it with loops over bytes.
func TestSDMAWindow(t *testing.T) {
	q := newDMA(t, Options{Chip: "vega20", MemoryBytes: 64 << 20}, 1024, kindSDMA)
	const src, dst, size = kfdData, kfdData + 0x8000, 0x4000
	b := q.gpu(src)
	for i := range size {
		b[i] = byte(i * 11)
	}
	// Copy 5 x 3 x 2 elements of 2 bytes from (3, 1, 1), with rows of 20 and slices of 200 elements, to (1, 2, 0),
	// with rows of 31 and slices of 155.
	q.put(1<<29|0x0401, low(src), high(src), 1<<16|3, 19<<13|1, 199, low(dst), high(dst), 2<<16|1, 30<<13, 154,
		2<<16|4, 1)
	q.done()
	want := make([]byte, size)
	for z := range 2 {
		for y := range 3 {
			for x := range 10 {
				want[2*((z)*155+(y+2)*31+1)+x] = byte(11 * (2*((z+1)*200+(y+1)*20+3) + x))
			}
		}
	}
	assert.Equal(t, want, q.gpu(dst)[:size])
}

// TestSDMAUserMemory: copies and fills reach memory of the process itself, and a kernel later sees what they wrote.
func TestSDMAUserMemory(t *testing.T) {
	q := newDMA(t, Options{Chip: "vega10", MemoryBytes: 64 << 20}, 1024, kindSDMA)
	const there, at = arenaBase + 0x80000, 0x100600000
	a := kfdAlloc{VA: at, Size: 16384, GPU: gpuID, Flags: allocUserptr | allocWritable, Offset: there}
	require.Zero(t, q.call(nrAlloc, &a, &a))
	require.Zero(t, q.call(nrMap, &kfdMap{Handle: a.Handle, Count: 1}, nil))
	require.NoError(t, q.WriteAt([]byte("from here"), there+5))
	q.put(1, q.count(9), 0, low(at+5), high(at), low(kfdData), high(kfdData))
	q.put(1, q.count(9), 0, low(kfdData), high(kfdData), low(at+4090), high(at))
	q.put(1, q.count(9), 0, low(at+5), high(at), low(at+0x2001), high(at))
	q.put(0x8000_000b, low(at+0x3000), high(at), 0x01020304, q.count(8)&^3)
	q.done()
	assert.Equal(t, "from here", string(q.gpu(kfdData)[:9]))
	got := make([]byte, 9)
	for _, off := range []uint64{4090, 0x2001} {
		require.NoError(t, q.ReadAt(got, there+off))
		assert.Equal(t, "from here", string(got))
	}
	require.NoError(t, q.ReadAt(got[:8], there+0x3000))
	assert.Equal(t, []byte{4, 3, 2, 1, 4, 3, 2, 1}, got[:8])
	giveBack := q.f.borrow()
	assert.Equal(t, "from here", string(q.gpu(at + 4090)[:9]), "what a dispatch sees")
	giveBack()
	require.Zero(t, q.call(nrFree, &kfdHandle{a.Handle}, nil))
}

// TestSDMAErrors: the runtime receives each error, with its address.
func TestSDMAErrors(t *testing.T) {
	const nowhere = 0x7000_0000_0000
	for name, test := range map[string]struct {
		words []uint32
		page  uint64
		says  string
	}{
		"copy from nowhere": {[]uint32{1, 99, 0, low(nowhere), high(nowhere), low(kfdData), high(kfdData)}, nowhere,
			"it reads 0x700000000000"},
		"fence nowhere":   {[]uint32{5, low(nowhere), high(nowhere), 1}, nowhere, "it writes 0x700000000000"},
		"fence unaligned": {[]uint32{5, low(kfdData + 1), high(kfdData), 1}, 0, "0x100400001 is not a multiple of 4"},
		"unknown":         {[]uint32{0x77}, sdmaRing, "SDMA packet with opcode 119 (header 0x00000077): it is not executed"},
		"refused":         {[]uint32{0x102, 0, 0, 0, 0}, sdmaRing, "SDMA packet WRITE of another kind (header 0x00000102)"},
		"data cut":        {[]uint32{2, low(kfdData), high(kfdData), 2, 0}, sdmaRing, "it has 7 dwords, of which 5 are in"},
		"data swapped":    {[]uint32{2, 0, 0, 1 << 24, 0}, sdmaRing, "stores that swap"},
		"nothing cut":     {[]uint32{9 << 16}, sdmaRing, "it has 10 dwords, of which 1 are in the ring"},
		"swapped":         {[]uint32{1, 99, 1 << 16, 0, 0, 0, 0}, sdmaRing, "COPY_LINEAR (header 0x00000001): copies that swap"},
		"tiled":           {[]uint32{0x0101, 0, 0, 0, 0, 0, 0}, sdmaRing, "COPY of another kind"},
		"cut":             {[]uint32{1, 99}, sdmaRing, "it has 7 dwords, of which 2 are in the ring"},
		"register":        {[]uint32{3<<28 | 8, 0, 0, 0, 0, 0}, sdmaRing, "polls of registers"},
		"atomic":          {[]uint32{15<<25 | 10, 0, 0, 0, 0, 0, 0, 0}, sdmaRing, "operation 15 is not modelled"},
		"fill of bytes":   {[]uint32{11, 0, 0, 0, 0}, sdmaRing, "only fills of dwords"},
		"function":        {[]uint32{7<<28 | 1<<31 | 8, 0, 0, 0, 0, 0}, 0, "the reserved function 7"},
	} {
		t.Run(name, func(t *testing.T) {
			faultsDMA(t, 1024, kindSDMA, test.words, test.page, test.says,
				"SDMA queue 1, submission 0: the queue executes nothing more")
		})
	}
	q := newDMA(t, Options{Chip: "vega10", MemoryBytes: 64 << 20}, 1024, kindSDMA)
	q.put64(sdmaIndex, 2048) // behind the ring's end
	result, _ := q.wait(patience, 1<<31|1)
	require.Zero(t, result)
}

// FuzzRings: whatever a ring of SDMA or PM4 packets contains, the device continues, and the queue can be destroyed
// while it executes.
func FuzzRings(f *testing.F) {
	for kind, rings := range [][][]uint32{
		kindPM4: {packet(0x37, 5<<8|1<<20, 1<<22, 1, 7), packet(0x3c, 3|1<<4, 1<<22, 1, 3, 0xff, 4), packet(0x15, 1, 1, 1, 1),
			packet(0x3f, 7<<20, 1, 64|1<<20)},
		kindSDMA: {{1, 99, 0, 1 << 22, 1, 2 << 22, 1}, {0x0401, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, ^uint32(0), 2047},
			{2, 1 << 22, 1, 1, 5, 6}, {0x8000_000b, 1 << 22, 1, 5, 1 << 20}, {8}, {5, 4}, {10 | 47<<25}, {0x020d}},
	} {
		for _, words := range rings {
			var b []byte
			for _, w := range words {
				b = binary.LittleEndian.AppendUint32(b, w)
			}
			f.Add(b, uint16(len(b)), false, uint8(kind))
		}
	}
	f.Fuzz(func(t *testing.T, ring []byte, write uint16, old bool, kind uint8) {
		o := fuzzOptions("vega10")
		if old {
			o = fuzzOptions("fiji")
		}
		q := newDMA(t, o, 1024, uint32(kind%2))
		q.submitting.Lock()
		copy(q.gpu(sdmaRing)[:1024], ring)
		q.put64(sdmaIndex, uint64(write))
		q.submitting.Unlock()
		_, _ = q.wait(1, 1)
		require.Zero(t, q.call(0x03, &kfdQueueID{ID: q.id}, nil))
	})
}
