package pm4

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
)

// Stream says who reads a command buffer.
type Stream struct {
	Gen  gcn.Gen
	Ring Ring
}

// Packet is a packet of a command buffer.
type Packet struct {
	*Row
	At     int // index of its header in the buffer
	Header uint32
	Body   []uint32 // part of the buffer

	Predicated bool // skipped while predication is false
}

// Error says what is wrong with a command buffer.
type Error struct {
	Stream Stream
	At     int // index of the word
	Header uint32
	What   string
}

// Error names the place.
func (e *Error) Error() string {
	return fmt.Sprintf("0x%08x at dword %d of a buffer of the %v ring of %v: %s", e.Header, e.At, e.Stream.Ring,
		e.Stream.Gen, e.What)
}

// Headers. Bits 31:30 are the type, of type 3 bits 29:16 are the words of the body less
// one, 15:8 the opcode, 1 the shader type and 0 whether predication applies.
const (
	typeShift   = 30
	padding     = 2          // type 2 is one word without effect
	packet      = 3          // type 3 is a packet
	shortNop    = 0xffff1000 // one word, although its count says otherwise
	headerFlags = 3          // shader type and predication
)

var nop = byOp[0x10][0]

// Next reads the packet at words[at] and returns how many words it takes; words of padding
// are a NOP without a body. The error is an *[Error].
func (s Stream) Next(words []uint32, at int) (p Packet, n int, err error) {
	h := words[at]
	fail := func(format string, args ...any) (Packet, int, error) {
		return Packet{}, 0, &Error{s, at, h, fmt.Sprintf(format, args...)}
	}
	if h>>typeShift == padding || h&^headerFlags == shortNop {
		return Packet{Row: nop, At: at, Header: h, Predicated: h&1 != 0}, 1, nil
	}
	if h>>typeShift != packet {
		return fail("a packet of type %d; drivers write type 3 alone", h>>typeShift)
	}
	op, count := uint8(h>>8), int(h>>16&0x3fff)+1
	if count > len(words)-at-1 {
		return fail("a body of %d dwords runs over the end of the buffer, which has %d", count, len(words))
	}
	var known *Row
	for _, r := range byOp[op] {
		if !r.in(s) {
			known = r
			continue
		}
		if r.min <= count && count <= r.max {
			return Packet{Row: r, At: at, Header: h, Body: words[at+1 : at+1+count], Predicated: h&1 != 0}, 1 + count, nil
		}
		err = &Error{s, at, h, fmt.Sprintf("%s has %d dwords, not %s", r.Name, count, lengths(r))}
	}
	switch {
	case err != nil:
		return Packet{}, 0, err
	case known != nil:
		return fail("%s is no packet of this ring", known.Name)
	}
	return fail("no packet with opcode 0x%02x is known", op)
}

func lengths(r *Row) string {
	switch r.max {
	case r.min:
		return fmt.Sprint(r.min)
	case anyLength:
		return fmt.Sprintf("%d or more", r.min)
	}
	return fmt.Sprintf("%d to %d", r.min, r.max)
}

// Has reports whether the packet has a field: not all have one, and bodies may be short.
func (p *Packet) Has(f Field) bool {
	for _, place := range p.places {
		if place.field == f {
			return int(place.word) < len(p.Body)
		}
	}
	return false
}

// Get returns the value of a field, 0 if the packet does not have it.
func (p *Packet) Get(f Field) (v uint64) {
	for _, place := range p.places {
		if place.field == f && int(place.word) < len(p.Body) {
			piece := p.Body[place.word] >> place.lo & (1<<(place.hi-place.lo+1) - 1)
			v |= uint64(piece) << place.at
		}
	}
	return v
}

// Payload returns the words after the fields: the values of SET packets, the data of
// WRITE_DATA.
func (p *Packet) Payload() []uint32 {
	switch p.Effect {
	case SetRegisters:
		return p.Body[1:]
	case WriteData:
		return p.Body[3:]
	}
	return nil
}
