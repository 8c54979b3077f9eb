// Package sdma decodes packets of the system DMA engine (SDMA) of GCN 1.1 to 1.4, as far as user space may write
// them.
//
// Sources: ROCR-Runtime, sdma_registers.h and amd_blit_sdma.cpp; Linux, cik_sdma.c, tonga_sdma_pkt_open.h,
// vega10_sdma_pkt_open.h.
package sdma

import "fmt"

// Kind is the operation of a packet.
type Kind uint8

// The kinds.
const (
	Nop Kind = iota
	Copy
	Write      // stores the dwords that follow its header
	CopyWindow // copies a rectangle or a box of elements
	Fill
	Fence     // stores a dword
	Trap      // raises an interrupt
	Poll      // waits for a dword in memory
	Add       // adds 64 bits to memory
	Timestamp // stores the clock
)

// MaxDwords is the length in dwords of the longest packet, not counting the data of Write and the words that Nop
// skips.
const MaxDwords = 13

// WriteHeader is the length of a Write in bytes without its data.
const WriteHeader = 16

// Packet is one decoded packet. The comment of a field names the kinds that use it.
type Packet struct {
	Kind   Kind
	Name   string
	Dwords int

	Src   uint64 // Copy, CopyWindow
	Dst   uint64 // all kinds except Nop and Trap; Poll reads it
	Bytes uint64 // Copy, Write, Fill
	Data  uint64 // Fill and Fence store it, Poll compares with it, Add adds it
	Mask  uint32 // Poll
	Func  uint8  // Poll: the comparison function, coded as in WAIT_REG_MEM

	Window Window // CopyWindow
}

// Window is a box of elements. Pitches and offsets are also in elements.
type Window struct {
	ElementBytes         uint64
	X, Y, Z              uint64
	SrcPitch, DstPitch   uint64 // distance from one row to the next
	SrcSlice, DstSlice   uint64 // distance from one slice to the next
	SrcOffset, DstOffset uint64 // offset of the first element from Src and Dst
}

// Error is returned for a packet that cannot be executed.
type Error struct {
	Name   string // name of the packet, or its opcode
	Header uint32
	What   string
}

// Error returns the text with the packet's name.
func (e *Error) Error() string {
	return fmt.Sprintf("SDMA packet %s (header 0x%08x): %s", e.Name, e.Header, e.What)
}

// row describes a packet that can be decoded.
type row struct {
	kind   Kind
	name   string
	dwords int
	header uint32 // bits of the header that may be set besides opcode and sub-opcode
	read   func(p *Packet, w []uint32, last uint64) (problem string)
}

// rows are the packets, indexed by sub-opcode and opcode: the low half of the header.
var rows = map[uint16]row{
	0x0000: {Nop, "NOP", 1, 0x3fff << 16, readNop},
	0x0001: {Copy, "COPY_LINEAR", 7, 0, readCopy},
	0x0002: {Write, "WRITE_LINEAR", 5, 0, readWrite},
	0x0401: {CopyWindow, "COPY_LINEAR_SUB_WIN", 13, 7 << 29, readWindow},
	0x0005: {Fence, "FENCE", 4, 7 << 16, func(p *Packet, w []uint32, _ uint64) string {
		p.Dst, p.Data = wide(w[1:]), uint64(w[3])
		return ""
	}},
	0x0006: {Trap, "TRAP", 2, 0, func(*Packet, []uint32, uint64) string { return "" }},
	0x0008: {Poll, "POLL_REGMEM", 6, 15 << 28, readPoll},
	0x000a: {Add, "ATOMIC", 8, 127 << 25, readAtomic},
	0x000b: {Fill, "CONST_FILL", 5, 3 << 30, readFill},
	0x020d: {Timestamp, "TIMESTAMP_GET_GLOBAL", 3, 0, func(p *Packet, w []uint32, _ uint64) string {
		p.Dst = wide(w[1:])
		return ""
	}},
}

// refused names packets that are known and not supported.
var refused = map[uint8]string{
	1: "COPY of another kind", 2: "WRITE of another kind", 4: "INDIRECT_BUFFER", 7: "SEMAPHORE", 9: "COND_EXE",
	12: "GEN_PTEPDE",
	13: "TIMESTAMP of another kind", 14: "SRBM_WRITE", 15: "PRE_EXE", 16: "GPUVM_INV", 17: "GCR_REQ",
}

// Parse decodes the packet at the start of words. The ring has left words, at least len(words). On GCN 1.4 size
// fields hold the number of the last byte; on older generations they hold the number of bytes.
func Parse(words []uint32, left int, gcn14 bool) (Packet, error) {
	header := words[0]
	r, ok := rows[uint16(header)]
	if !ok {
		name, known := refused[uint8(header)]
		if !known {
			name = fmt.Sprintf("with opcode %d", uint8(header))
		}
		return Packet{}, &Error{name, header, "it is not executed"}
	}
	fail := func(what string) (Packet, error) { return Packet{}, &Error{r.name, header, what} }
	switch {
	case header&^(r.header|0xffff) != 0:
		return fail("bits of its header are set that are not modelled")
	case len(words) < r.dwords:
		return fail(fmt.Sprintf("it has %d dwords, of which %d are in the ring", r.dwords, left))
	case r.kind == CopyWindow && !gcn14:
		return fail("it is not executed before GCN 1.4")
	}
	p := Packet{Kind: r.kind, Name: r.name, Dwords: r.dwords}
	last := uint64(0)
	if gcn14 {
		last = 1
	}
	if problem := r.read(&p, words, last); problem != "" {
		return fail(problem)
	}
	if p.Dwords > left {
		return fail(fmt.Sprintf("it has %d dwords, of which %d are in the ring", p.Dwords, left))
	}
	return p, nil
}

func wide(w []uint32) uint64 { return uint64(w[0]) | uint64(w[1])<<32 }

// readNop includes the dwords that the NOP skips.
func readNop(p *Packet, w []uint32, _ uint64) string {
	p.Dwords += int(w[0] >> 16 & 0x3fff)
	return ""
}

const countMask = 1<<22 - 1

func readCopy(p *Packet, w []uint32, last uint64) string {
	if w[2] != 0 {
		return "copies that swap bytes are not modelled"
	}
	p.Bytes, p.Src, p.Dst = uint64(w[1]&countMask)+last, wide(w[3:]), wide(w[5:])
	return ""
}

func readWrite(p *Packet, w []uint32, last uint64) string {
	if w[3]&^uint32(countMask) != 0 {
		return "stores that swap bytes are not modelled"
	}
	count := uint64(w[3]) + last
	p.Dst, p.Bytes, p.Dwords = wide(w[1:]), 4*count, WriteHeader/4+int(count)
	return ""
}

func readWindow(p *Packet, w []uint32, _ uint64) string {
	const xy, z, pitch, slice = 1<<14 - 1, 1<<11 - 1, 1<<19 - 1, 1<<28 - 1
	if w[12]&^uint32(z) != 0 {
		return "copies that swap bytes are not modelled"
	}
	field := func(v uint32, shift int, mask uint32) uint64 { return uint64(v >> shift & mask) }
	size := uint64(1) << (w[0] >> 29)
	if size > 16 {
		return fmt.Sprintf("elements of %d bytes are not modelled", size)
	}
	p.Src, p.Dst = wide(w[1:]), wide(w[6:])
	b := Window{
		ElementBytes: size, X: field(w[11], 0, xy) + 1, Y: field(w[11], 16, xy) + 1, Z: field(w[12], 0, z) + 1,
		SrcPitch: field(w[4], 13, pitch) + 1, SrcSlice: field(w[5], 0, slice) + 1,
		DstPitch: field(w[9], 13, pitch) + 1, DstSlice: field(w[10], 0, slice) + 1,
	}
	offset := func(a, c uint32, rows, slices uint64) uint64 {
		return field(a, 0, xy) + field(a, 16, xy)*rows + field(c, 0, z)*slices
	}
	b.SrcOffset = offset(w[3], w[4], b.SrcPitch, b.SrcSlice)
	b.DstOffset = offset(w[8], w[9], b.DstPitch, b.DstSlice)
	p.Window = b
	return ""
}

func readPoll(p *Packet, w []uint32, _ uint64) string {
	const always, memory = 0, 1 << 31
	p.Func, p.Dst, p.Data, p.Mask = uint8(w[0]>>28&7), wide(w[1:]), uint64(w[3]), w[4]
	if p.Func != always && w[0]&memory == 0 { // ROCr flushes the HDP with a register poll whose condition is always true
		return "polls of registers are not modelled"
	}
	return ""
}

func readAtomic(p *Packet, w []uint32, _ uint64) string {
	const add64 = 47
	if op := w[0] >> 25; op != add64 {
		return fmt.Sprintf("operation %d is not modelled: only 47, 64-bit addition, is", op)
	}
	p.Dst, p.Data = wide(w[1:]), wide(w[3:])
	return ""
}

// readFill decodes a fill with dwords. GCN 1.4 ignores the low bits of the count.
func readFill(p *Packet, w []uint32, last uint64) string {
	const dwords = 2
	if w[0]>>30 != dwords {
		return "only fills of dwords are modelled"
	}
	p.Dst, p.Data, p.Bytes = wide(w[1:]), uint64(w[3]), uint64(w[4]&countMask)
	if last != 0 {
		p.Bytes += 4
	}
	p.Bytes &^= 3
	return ""
}
