package device

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// Sources and destinations of a DMA packet: SRC_SEL and DST_SEL.
const (
	dmaMemory  = 0
	dmaGDS     = 1
	dmaData    = 2 // SRC_SEL: an immediate value
	dmaNowhere = 2 // DST_SEL: the data is discarded
)

// copyMemory executes a DMA packet that copies or fills bytes.
func (p *processor) copyMemory(f *File, packet *pm4.Packet) error {
	src, dst, n := packet.Get(pm4.Src), packet.Get(pm4.Dst), packet.Get(pm4.Bytes)
	from, to := packet.Get(pm4.SrcSel), packet.Get(pm4.DstSel)
	switch {
	case from == dmaGDS || to == dmaGDS:
		return refuse("%s of the GDS is not modelled", packet.Name)
	case packet.Get(pm4.SrcSpace) != 0 && from != dmaData || packet.Get(pm4.DstSpace) != 0:
		return refuse("%s of registers is not modelled", packet.Name)
	case to == dmaNowhere || from != dmaData && src == dst:
		return nil // a prefetch, which may reach beyond the end of a buffer object
	case from == dmaData:
		return f.space.fill(dst, n, uint32(src))
	}
	return f.space.copy(dst, src, n)
}

// maxPiece is the number of bytes that are copied or filled before the next check whether the file was closed.
const maxPiece = 1 << 20

// copy copies n bytes in pieces. A piece ends where a mapping of either side ends, and has at most maxPiece bytes.
func (s *space) copy(dst, src, n uint64) error {
	for n > 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		from, err := s.span(src, min(n, maxPiece), false)
		if err != nil {
			return err
		}
		to, err := s.span(dst, uint64(len(from)), true)
		if err != nil {
			return err
		}
		done := uint64(copy(to, from))
		src, dst, n = src+done, dst+done, n-done
	}
	return nil
}

// fill stores the dword v repeatedly into the n bytes at dst. The last one may be cut.
func (s *space) fill(dst, n uint64, v uint32) error {
	n &^= 3
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], v)
	for n > 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		to, err := s.span(dst, min(n, maxPiece), true)
		if err != nil {
			return err
		}
		repeat(to, word)
		// A mapping ends at a page boundary. If dst is not aligned, the next piece therefore starts in the middle of
		// the dword.
		k := uint64(len(to)) & 3
		word = [4]byte{word[k&3], word[(k+1)&3], word[(k+2)&3], word[(k+3)&3]}
		dst, n = dst+uint64(len(to)), n-uint64(len(to))
	}
	return nil
}

// repeat fills b with copies of word. The last one may be cut.
func repeat(b []byte, word [4]byte) {
	for done := copy(b, word[:]); done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}
