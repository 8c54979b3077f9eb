//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/state"
)

const codeVA = 0x300000

// program maps code and returns the packets that make it the compute program. It has two user SGPRs, set to dataVA,
// and receives the work-group's numbers in s2, s3, s4.
func (q *queue) program(text string) []uint32 {
	q.t.Helper()
	p, err := asm.Assemble(q.f.dev.chip.Target, text, asm.LLVM)
	require.NoError(q.t, err)
	_, bytes := q.mapped(codeVA, 4096)
	for i, w := range p.Words {
		binary.LittleEndian.PutUint32(bytes[0x100+4*i:], w)
	}
	const (
		rsrc1 = 1 | 1<<6 // 8 VGPRs, 16 SGPRs
		rsrc2 = 2<<1 | 7<<7
	)
	words := packet(0x76, 0x20c, (codeVA+0x100)>>8, 0)
	words = append(words, packet(0x76, 0x212, rsrc1, rsrc2)...)
	words = append(words, packet(0x76, 0x240, low(dataVA), high(dataVA))...)
	return append(words, packet(0x76, 0x207, 64, 1, 1)...)
}

// storeGroup stores the work-group's number plus the lane at dword 64 x + lane of the buffer.
const storeGroup = `
	s_mov_b32 s5, 0
	s_mov_b32 s4, s0
	s_mov_b32 s5, s1
	s_mov_b32 s6, -1
	s_mov_b32 s7, 0xf000
	s_lshl_b32 s8, s2, 6
	v_mov_b32 v1, s8
	v_or_b32 v1, v1, v0
	v_lshlrev_b32 v2, 2, v1
	buffer_store_dword v1, v2, s[4:7], 0 offen
	s_endpgm`

// The same code works on every chip, dispatched directly and indirectly, on both kinds of rings.
func TestDispatch(t *testing.T) {
	for _, row := range chip.All() {
		for _, ip := range []ipType{ipGFX, ipCompute} {
			var records []*Dispatch
			c := newClient(t, Options{Chip: row.Name, Dispatched: func(d *Dispatch) { records = append(records, d) }})
			_, data := c.mapped(dataVA, 64<<10)
			_, args := c.mapped(otherVA, 4096)
			for i, v := range []uint32{3, 1, 1} {
				binary.LittleEndian.PutUint32(args[16+4*i:], v)
			}
			q := c.queue(ip, 0, commandsVA)
			words := q.program(storeGroup)
			q.submit(append(words, packet(0x15, 2, 1, 1, 5)...)...)
			for i := range 128 {
				require.EqualValues(t, i, dword(data, i), row.Name)
			}
			require.Zero(t, dword(data, 128), row.Name)
			indirect := packet(0x16, low(otherVA+16), high(otherVA), 5)
			if ip == ipGFX || row.Target.String() < "gfx700" {
				indirect = append(packet(0x11, 1, low(otherVA), high(otherVA)), packet(0x16, 16, 5)...)
			}
			q.submit(append(words, indirect...)...)
			require.EqualValues(t, 191, dword(data, 191), row.Name)
			require.Zero(t, dword(data, 192), row.Name)
			require.Len(t, records, 2)
			assert.Equal(t, 2, records[1].Number)
			assert.EqualValues(t, 3*11, records[1].Result.Instructions)
			assert.Equal(t, "buffer object 4 + 0x100", records[1].Code)
			assert.Less(t, records[0].End, records[1].Begin)
			// Without COMPUTE_SHADER_EN no wave starts.
			q.submit(append(words, packet(0x15, 4, 1, 1, 4)...)...)
			require.Len(t, records, 2)
		}
	}
}

// A wave's fault is reported with all details, the client receives the error, and later work continues.
func TestFaultOfAWave(t *testing.T) {
	var (
		log    strings.Builder
		faults []*Fault
	)
	c := newClient(t, Options{Chip: "fiji", Log: &log, Workers: 1, Faulted: func(f *Fault) { faults = append(faults, f) }})
	c.mapped(dataVA, 64<<10)
	q, done := c.queue(ipCompute, 2, commandsVA), c.syncobj(0)
	words := q.program(storeGroup)
	_, errno := q.cs(q.ib(append(words, packet(0x15, 300, 1, 1, 5)...)...), chunk{chunkSyncobjOut, done})
	assert.Equal(t, syscall.ECANCELED, errno)
	_, errno = c.waitFor(0, 0, done)
	assert.Zero(t, errno)
	require.Len(t, faults, 1)
	var wave *state.Fault
	require.ErrorAs(t, faults[0], &wave)
	assert.Equal(t, state.FaultMemory, wave.Kind)
	assert.EqualValues(t, dataVA+64<<10, wave.Addr)
	assert.Equal(t, 1, faults[0].Dispatch)
	for _, part := range []string{
		"fiji, file 1: compute ring 2 of context 1, submission 1, dispatch 1: the context is lost",
		"buffer_store_dword v1, v2, s[4:7], 0 offen", "group 256,0,0", "lane 0", "0 bytes beyond the end of buffer object 1",
		"instruction: buffer object 3 + 0x128", "packet: before dword 22 of the command buffer at buffer object 2 + 0x0",
	} {
		assert.Contains(t, log.String(), part)
	}
}

// A store to a mapping that the driver made read-only is a fault.
func TestReadOnlyMapping(t *testing.T) {
	c := newClient(t, Options{Chip: "vega10"})
	handle, _ := c.buffer(4096)
	c.must(nrGemVA, &gemVA{Handle: handle, Operation: vaMap, Flags: pageReadable, Addr: dataVA, Size: 4096}, nil)
	q := c.queue(ipCompute, 0, commandsVA)
	_, errno := q.cs(q.ib(append(q.program(storeGroup), packet(0x15, 1, 1, 1, 5)...)...))
	assert.Equal(t, syscall.ECANCELED, errno)
	other := c.queue(ipCompute, 0, commandsVA+1<<20)
	_, errno = other.cs(other.ib(packet(0x37, 5<<8, low(dataVA), high(dataVA), 7)...))
	assert.Equal(t, syscall.ECANCELED, errno)
}

// Unbound ranges read as 0, and stores to them are dropped.
func TestSparse(t *testing.T) {
	c := newClient(t, Options{Chip: "hawaii"})
	c.must(nrGemVA, &gemVA{Operation: vaMap, Flags: pagePRT, Addr: dataVA, Size: 4 << 30}, nil)
	q := c.queue(ipCompute, 0, commandsVA)
	words := q.program(storeGroup)
	q.submit(append(words, packet(0x15, 2, 1, 1, 5)...)...)
	_, back := c.mapped(otherVA+8<<30, 4096)
	copyBack := packet(0x50, 0, low(dataVA+4), high(dataVA), low(otherVA), high(otherVA+8<<30), 8)
	back[0] = 9
	q.submit(copyBack...)
	assert.Zero(t, back[0])
	// A page in the middle is bound, and then unbound again.
	handle, bytes := c.buffer(4096)
	c.must(nrGemVA, &gemVA{Handle: handle, Operation: vaReplace, Flags: pageReadable | pageWriteable, Addr: dataVA,
		Size: 4096}, nil)
	q.submit(append(words, packet(0x15, 32, 1, 1, 5)...)...)
	assert.EqualValues(t, 1023, dword(bytes, 1023))
	q.submit(copyBack...)
	assert.EqualValues(t, 1, back[0])
	c.must(nrGemVA, &gemVA{Operation: vaReplace, Flags: pagePRT, Addr: dataVA, Size: 4096}, nil)
	q.submit(copyBack...)
	assert.Zero(t, back[0])
	c.must(nrGemVA, &gemVA{Operation: vaUnmap, Flags: pagePRT, Addr: dataVA, Size: 4 << 30}, nil)
	_, errno := q.cs(q.ib(copyBack...))
	assert.Equal(t, syscall.ECANCELED, errno)
}
