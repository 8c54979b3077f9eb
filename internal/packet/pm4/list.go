package pm4

import (
	"bufio"
	"fmt"
	"io"
)

// List writes a line for each packet of a buffer, or sequence of padding, and a line for each register that the
// packet sets. An error in the buffer is the last line. The returned error comes from w.
func (s Stream) List(w io.Writer, words []uint32) error {
	b := bufio.NewWriter(w)
	for at := 0; at < len(words); {
		p, n, err := s.Next(words, at)
		if err != nil {
			fmt.Fprintf(b, "%5d  %08x  %v\n", at, words[at], err)
			break
		}
		run := 1
		for p.Body == nil && at+run < len(words) && words[at+run] == words[at] {
			run++
		}
		if run > 1 {
			fmt.Fprintf(b, "%5d  %08x  %s, %d times\n", at, p.Header, p.Name, run)
			at += run
			continue
		}
		p.list(b)
		at += n
	}
	return b.Flush()
}

// list writes the lines of one packet.
func (p *Packet) list(b *bufio.Writer) {
	fmt.Fprintf(b, "%5d  %08x  %s", p.At, p.Header, p.Name)
	if p.Predicated {
		b.WriteString(" predicated")
	}
	if p.Effect == SetRegisters {
		b.WriteByte('\n')
		first := p.Register()
		for i, v := range p.Payload() {
			fmt.Fprintf(b, "%17s%s = 0x%x\n", "", RegisterName(first+4*uint32(i)), v)
		}
		return
	}
	for _, f := range p.Fields() {
		if !p.Has(f) || f == Data && p.Effect == WriteData {
			continue
		}
		if v := p.Get(f); v < 10 {
			fmt.Fprintf(b, " %v=%d", f, v)
		} else {
			fmt.Fprintf(b, " %v=0x%x", f, v)
		}
	}
	if p.Effect == WriteData {
		b.WriteString(" DATA=")
		for i, v := range p.Payload() {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "%x", v)
		}
	}
	b.WriteByte('\n')
}

// Register returns the byte address of the first register that a SetRegisters or LoadRegisters packet sets.
func (p *Packet) Register() uint32 { return p.Base + 4*uint32(p.Get(Index)) }
