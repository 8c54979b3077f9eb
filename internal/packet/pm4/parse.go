package pm4

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
)

// Stream identifies the generation and the ring that read a command buffer.
type Stream struct {
	Gen  gcn.Gen
	Ring Ring
}

// Packet is a packet of a command buffer.
type Packet struct {
	*Row
	At     int // index of the packet's header in the buffer
	Header uint32
	Body   []uint32 // a slice of the buffer

	Predicated bool // the packet is skipped while predication is false
}

// Error is an error in a command buffer.
type Error struct {
	Stream Stream
	At     int // index of the wrong word
	Header uint32
	What   string
}

// Error returns the text with the index.
func (e *Error) Error() string {
	return fmt.Sprintf("0x%08x at dword %d of a buffer of the %v ring of %v: %s", e.Header, e.At, e.Stream.Ring,
		e.Stream.Gen, e.What)
}

// Bits of packet headers. Bits 31:30 are the type. In type 3, bits 29:16 are the number of body words minus 1, 15:8
// the opcode, 1 the shader type, and 0 enables predication.
const (
	typeShift   = 30
	padding     = 2          // type 2 is one word without an effect
	packet      = 3          // type 3 is a packet
	shortNop    = 0xffff1000 // a NOP of one word, although its count says otherwise
	headerFlags = 3          // shader type and predication
)

var nop = byOp[0x10][0]

// Next decodes the packet at words[at] and returns the number of its words. Words of padding are a NOP without a
// body. The error is an *[Error].
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

// Has reports whether the packet has the field. Packets have different fields, and a short body may lack the last
// ones.
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

// Payload returns the words after the fields, for example the values of SET packets or the data of WRITE_DATA.
func (p *Packet) Payload() []uint32 {
	switch p.Effect {
	case SetRegisters:
		return p.Body[1:]
	case WriteData:
		return p.Body[3:]
	}
	return nil
}
