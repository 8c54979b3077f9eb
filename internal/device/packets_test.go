//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	dataVA     = 0x100000000
	otherVA    = 0x200000000
	commandsVA = 0x400000
)

// Each packet has its effect on memory, on the rings that support it.
func TestPackets(t *testing.T) {
	le := binary.LittleEndian
	for _, test := range []struct {
		name  string
		chip  string
		ip    ipType
		words []uint32
		want  map[int]uint32 // dwords of the buffer afterwards; it held 100, 101, ...
	}{
		{"write data", "tahiti", ipGFX, packet(0x37, 5<<8, low(dataVA), high(dataVA), 7, 8), map[int]uint32{0: 7, 1: 8, 2: 102}},
		{"write data to one address", "fiji", ipCompute, packet(0x37, 5<<8|1<<16, low(dataVA), high(dataVA), 7, 8), map[int]uint32{0: 8, 1: 101}},
		{"copy", "hawaii", ipCompute, packet(0x50, 3<<29|3<<20, low(dataVA), high(dataVA), low(dataVA+64), high(dataVA), 8), map[int]uint32{16: 100, 17: 101, 18: 118}},
		{"copy of bytes", "vega10", ipCompute, packet(0x50, 0, low(dataVA), high(dataVA), low(dataVA+65), high(dataVA), 1), map[int]uint32{16: 116 | 100<<8}},
		{"copy on gfx6", "tahiti", ipCompute, packet(0x41, low(dataVA), high(dataVA), low(dataVA+64), high(dataVA), 4), map[int]uint32{16: 100, 17: 117}},
		{"fill", "fiji", ipGFX, packet(0x50, 2<<29, 5, 0, low(dataVA), high(dataVA), 11), map[int]uint32{0: 5, 1: 5, 2: 102}},
		{"fill off a dword", "fiji", ipGFX, packet(0x50, 2<<29, 0x04030201, 0, low(dataVA+1), high(dataVA), 8), map[int]uint32{0: 0x03020164, 1: 0x03020104, 2: 4}},
		{"prefetch", "vega10", ipCompute, packet(0x50, 3<<29|2<<20, low(dataVA+1<<20), high(dataVA), 0, 0, 4096), map[int]uint32{0: 100}},
		{"copy of a dword", "fiji", ipCompute, packet(0x40, 1|5<<8, low(dataVA), high(dataVA), low(dataVA+8), high(dataVA)), map[int]uint32{2: 100, 3: 103}},
		{"copy of a quadword", "fiji", ipGFX, packet(0x40, 5|1<<8|1<<16, 1, 2, low(dataVA+8), high(dataVA)), map[int]uint32{2: 1, 3: 2}},
		{"register round trip", "tahiti", ipCompute, slices.Concat(
			packet(0x76, 0x240, 77), packet(0x40, 0|5<<8, 0xb900/4, 0, low(dataVA), high(dataVA))), map[int]uint32{0: 77}},
		{"nested buffer", "fiji", ipCompute, slices.Concat(
			packet(0x3f, low(commandsVA+256), 0, 5), packet(0x37, 5<<8, low(dataVA), high(dataVA), 1)),
			map[int]uint32{0: 1, 1: 9}},
		{"chained buffer", "fiji", ipGFX, slices.Concat(
			packet(0x3f, low(commandsVA+256), 0, 5|1<<20), packet(0x37, 5<<8, low(dataVA), high(dataVA), 1)),
			map[int]uint32{0: 100, 1: 9}},
		{"nested buffer on gfx6", "tahiti", ipGFX, packet(0x32, low(commandsVA+256), 0, 5), map[int]uint32{1: 9}},
		{"condition holds", "hawaii", ipCompute, slices.Concat(
			packet(0x22, low(dataVA), high(dataVA), 0, 5), packet(0x37, 5<<8, low(dataVA), high(dataVA), 1)),
			map[int]uint32{0: 1}},
		{"condition does not hold", "hawaii", ipCompute, slices.Concat(
			packet(0x22, low(dataVA+4096), high(dataVA), 0, 5), packet(0x37, 5<<8, low(dataVA), high(dataVA), 1)),
			map[int]uint32{0: 100}},
		{"predicated out", "fiji", ipGFX, slices.Concat(
			packet(0x20, low(dataVA), 4<<16|high(dataVA)), predicated(packet(0x37, 5<<8, low(dataVA), high(dataVA), 1)),
			packet(0x37, 5<<8, low(dataVA+4), high(dataVA), 1)), map[int]uint32{0: 100, 1: 1}},
		{"predicated in", "vega10", ipGFX, slices.Concat(
			packet(0x20, 3<<16|1<<8, low(dataVA), high(dataVA)),
			predicated(packet(0x37, 5<<8, low(dataVA), high(dataVA), 1))), map[int]uint32{0: 1}},
		{"predication ends", "vega10", ipGFX, slices.Concat(
			packet(0x20, 3<<16, low(dataVA), high(dataVA)), packet(0x20, 0, 0, 0),
			predicated(packet(0x37, 5<<8, low(dataVA), high(dataVA), 1))), map[int]uint32{0: 1}},
		{"atomic add", "fiji", ipCompute, packet(0x1e, 0x4f, low(dataVA), high(dataVA), 5, 0, 0, 0, 0), map[int]uint32{0: 105}},
		{"atomic add of 64 bits", "fiji", ipCompute, packet(0x1e, 0x6f, low(dataVA), high(dataVA), 5, 6, 0, 0, 0), map[int]uint32{0: 105, 1: 107}},
		{"atomic swap if equal", "fiji", ipCompute, packet(0x1e, 8, low(dataVA), high(dataVA), 5, 0, 100, 0, 0), map[int]uint32{0: 5}},
		{"atomic swap if not equal", "fiji", ipCompute, packet(0x1e, 8|1<<8, low(dataVA), high(dataVA), 5, 0, 100, 0, 0), map[int]uint32{0: 5}},
		{"signed minimum", "fiji", ipCompute, packet(0x1e, 17, low(dataVA), high(dataVA), 0xffffffff, 0, 0, 0, 0), map[int]uint32{0: 0xffffffff}},
		{"end of pipe", "tahiti", ipGFX, packet(0x47, 0x14|5<<8, low(dataVA), high(dataVA)|1<<29, 42, 43), map[int]uint32{0: 42, 1: 101}},
		{"end of pipe of 64 bits", "hawaii", ipCompute, packet(0x49, 0x14|5<<8, 2<<29, low(dataVA), high(dataVA), 42, 43), map[int]uint32{0: 42, 1: 43}},
		{"end of pipe on gfx9", "vega10", ipGFX, packet(0x49, 0x14|5<<8, 1<<29, low(dataVA), high(dataVA), 42, 43, 0), map[int]uint32{0: 42, 1: 101}},
		{"end of shader", "fiji", ipGFX, packet(0x48, 0x2f|6<<8, low(dataVA), high(dataVA)|2<<29, 42), map[int]uint32{0: 42}},
		{"occlusion counts", "verde", ipGFX, packet(0x46, 0x15|1<<8, low(dataVA), high(dataVA)), map[int]uint32{0: 0, 1: 1 << 31, 2: 102, 4: 0, 5: 1 << 31, 16: 116}},
		{"event without memory", "verde", ipGFX, packet(0x46, 7|4<<8), map[int]uint32{0: 100}},
		{"wait that holds", "fiji", ipCompute, slices.Concat(
			packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 4, 0xf, 4), packet(0x37, 5<<8, low(dataVA), high(dataVA), 1)),
			map[int]uint32{0: 1}},
		{"padding", "tahiti", ipCompute, []uint32{0x80000000, 0xffff1000, 0xc0001000, 1}, map[int]uint32{0: 100}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClient(t, Options{Chip: test.chip})
			_, data := c.mapped(dataVA, 64<<10)
			for i := range 256 {
				le.PutUint32(data[4*i:], 100+uint32(i))
			}
			q := c.queue(test.ip, 0, commandsVA)
			for i, w := range packet(0x37, 5<<8, low(dataVA+4), high(dataVA), 9) {
				le.PutUint32(q.bytes[256+4*i:], w)
			}
			q.submit(test.words...)
			for i, want := range test.want {
				assert.Equal(t, want, dword(data, i), "dword %d", i)
			}
		})
	}
}

func predicated(p []uint32) []uint32 { p[0] |= 1; return p }

// A refusal names the packet, and the context is lost.
func TestRefusals(t *testing.T) {
	// A draw of rectangles, with PA_SC_AA_CONFIG loaded from memory.
	samples := slices.Concat(packet(0x79, 0x242, 0x11), packet(0x37, 5<<8, low(dataVA), high(dataVA), 2),
		packet(0x9f, low(dataVA), high(dataVA), 0x2f8, 1), packet(0x2f, 1), packet(0x2d, 3, 2))
	for _, test := range []struct {
		name, chip string
		ip         ipType
		words      []uint32
		want       string
	}{
		{"draw", "fiji", ipGFX, packet(0x2d, 3, 2), "(WebGPU and OpenGL leave no choice)"},
		{"draw with indices", "fiji", ipGFX, packet(0x27, 0, 0, 0, 0, 0), "of draws only those that copy, clear or scale images are modelled, not indices"},
		{"draw with samples", "fiji", ipGFX, samples, "not 4 samples a pixel"},
		{"draw of a clear state", "fiji", ipGFX, slices.Concat(samples[:len(samples)-3], packet(0x12, 0), packet(0x2d, 3, 2)), "not a viewport transform in parts"},
		{"unknown packet", "fiji", ipCompute, packet(0xee, 3), "0xc000ee00 at dword 0 of a buffer of the compute ring of gcn1.2: no packet with opcode 0xee is known"},
		{"packet of another ring", "fiji", ipCompute, packet(0x12, 3), "CLEAR_STATE is no packet of this ring"},
		{"packet of another generation", "tahiti", ipCompute, packet(0x50, 0, 0, 0, 0, 0, 0), "DMA_DATA is no packet of this ring"},
		{"short packet", "fiji", ipCompute, packet(0x15, 1, 1, 1), "DISPATCH_DIRECT has 3 dwords, not 4"},
		{"over the end", "fiji", ipCompute, packet(0x15, 1, 1, 1)[:3], "a body of 3 dwords runs over the end of the buffer, which has 3"},
		{"type 0", "fiji", ipCompute, []uint32{1, 2}, "a packet of type 0; drivers write type 3 alone"},
		{"DMA outside", "fiji", ipCompute, packet(0x50, 0, low(dataVA), high(dataVA), low(dataVA), 9, 8), "it writes 0x900000000, 34359672832 bytes beyond the end of buffer object 1 (0x100000000 to 0x10000ffff, 65536 bytes)"},
		{"GDS", "fiji", ipCompute, packet(0x50, 1<<20, low(dataVA), high(dataVA), 0, 0, 8), "DMA_DATA of the GDS is not modelled"},
		{"circle", "fiji", ipCompute, packet(0x3f, low(commandsVA), 0, 4|1<<20), "its buffers chain in a circle"},
		{"nesting", "fiji", ipCompute, packet(0x3f, low(commandsVA), 0, 4), "command buffers are nested more than 8 deep"},
		{"unmapped buffer", "fiji", ipCompute, packet(0x3f, 0x800000, 0, 4), "a command buffer of 4 dwords at 0x800000: it reads 0x800000"},
		{"predication", "fiji", ipGFX, packet(0x20, 0, 1<<16), "SET_PREDICATION with operation 1"},
		{"atomic", "fiji", ipCompute, packet(0x1e, 1, low(dataVA), high(dataVA), 0, 0, 0, 0, 0), "ATOMIC_MEM with operation 0x1 is not modelled"},
		{"condition over the end", "fiji", ipCompute, packet(0x22, low(dataVA), high(dataVA), 0, 5), "COND_EXEC skips 5 dwords, over the end of the buffer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var faults []*Fault
			c := newClient(t, Options{Chip: test.chip, Faulted: func(f *Fault) { faults = append(faults, f) }})
			c.mapped(dataVA, 64<<10)
			q := c.queue(test.ip, 0, commandsVA)
			_, errno := q.cs(q.ib(test.words...))
			assert.Equal(t, syscall.ECANCELED, errno)
			require.Len(t, faults, 1)
			assert.ErrorContains(t, faults[0].Err, test.want)
			assert.Contains(t, faults[0].Error(), "context 1")
			_, errno = q.cs(q.ib(packet(0x10, 0)...))
			assert.Equal(t, syscall.ECANCELED, errno, "the context is lost")
			var state ctxOut
			c.must(nrCtx, &ctxIn{Op: ctxQuery2, ID: q.context}, &state)
			assert.EqualValues(t, 5, state.First)
			c.must(nrCtx, &ctxIn{Op: ctxQuery, ID: q.context}, &state)
			assert.EqualValues(t, 1, state.ResetStatus)
			// Other contexts continue.
			other := c.queue(test.ip, 0, commandsVA+1<<20)
			other.submit(packet(0x10, 0)...)
		})
	}
}

// The command processor accesses adjacent mappings as one range.
func TestCopyOverMappings(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji"})
	_, a := c.mapped(dataVA, 64<<10)
	_, b := c.mapped(dataVA+64<<10, 64<<10)
	_, to := c.mapped(otherVA, 128<<10)
	for i := range a {
		a[i], b[i] = byte(i), byte(i*3)
	}
	q := c.queue(ipCompute, 0, commandsVA)
	q.submit(packet(0x50, 0, low(dataVA+5), high(dataVA), low(otherVA+1), high(otherVA), 128<<10-7)...)
	assert.Equal(t, append(append([]byte{}, a...), b...)[5:128<<10-2], to[1:128<<10-6])
	q.submit(packet(0x50, 2<<29, 0x04030201, 0, low(dataVA+1), high(dataVA), 128<<10-4)...)
	assert.Equal(t, []byte{1, 2, 3, 4, 1, 2, 3}, a[1:8])
	assert.Equal(t, []byte{4, 1, 2, 3, 4}, b[0:5], "the word goes on where the first mapping ends")
	assert.Equal(t, byte(4), b[len(b)-4])
}

// failing is a writer that always fails.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Buffers are listed before they are executed. A write error is reported once, and work continues.
func TestCommandListing(t *testing.T) {
	var list, log strings.Builder
	c := newClient(t, Options{Chip: "fiji", Commands: &list})
	q := c.queue(ipCompute, 1, commandsVA)
	q.submit(packet(0x10, 1, 2)...)
	assert.Equal(t, "file 1, compute ring 1 of context 1, submission 1: 3 dwords at buffer object 1 + 0x0\n    0  "+
		"c0011000  NOP\n", list.String())

	c = newClient(t, Options{Chip: "fiji", Commands: failing{}, Log: &log})
	q = c.queue(ipCompute, 1, commandsVA)
	q.submit(packet(0x10, 1, 2)...)
	q.submit(packet(0x10, 1, 2)...)
	assert.Equal(t, "no listing of command buffers from here on: no space left on device\n", log.String())
}
