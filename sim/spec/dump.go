package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// View selects the state after an [Exec] that an answer shows.
type View struct {
	SGPR [][2]uint64 `json:"sgpr"` // first register and number of registers
	VGPR [][2]uint64 `json:"vgpr"`
	Mem  []Range     `json:"mem"`
	LDS  [][2]uint64 `json:"lds"` // offset and number of bytes
	GDS  [][2]uint64 `json:"gds"`
	Regs bool        `json:"regs"`
}

// Range is a range of memory.
type Range struct {
	Addr uint64  `json:"addr"`
	Size *uint64 `json:"size"` // size in bytes
}

// Dump requests the memory of an argument after a dispatch: in a file, as hex digits in the answer, or both.
type Dump struct {
	Arg  uint32 `json:"arg"`
	File string `json:"file"`
	Hex  bool   `json:"hex"`
}

// shown is the state in the answer to an [Exec].
type shown struct {
	SGPR registers    `json:"sgpr,omitempty"`
	VGPR registers    `json:"vgpr,omitempty"`
	Mem  []memoryDump `json:"mem,omitempty"`
	LDS  []memoryDump `json:"lds,omitempty"`
	GDS  []memoryDump `json:"gds,omitempty"`
	Regs *regsDump    `json:"regs,omitempty"`
	beforeReply
	Waves []waveDump `json:"waves,omitempty"` // for several waves, the registers of each
}

// memoryDump is a range of memory. Addr is an [address], or an offset within LDS or GDS.
type memoryDump struct {
	Addr any   `json:"addr"`
	Hex  views `json:"hex"`
}

type regsDump struct {
	Exec    hex64  `json:"exec"`
	VCC     hex64  `json:"vcc"`
	M0      hex32  `json:"m0"`
	SCC     uint32 `json:"scc"`
	Mode    hex32  `json:"mode"`
	Status  hex32  `json:"status"`
	TrapSts hex32  `json:"trapsts"`
}

// maxDumpBytes is the largest number of bytes that one reply shows as hex.
const maxDumpBytes = 1 << 30

// outside reports whether r, a first element and a count, extends beyond size.
func outside(r [2]uint64, size int) bool {
	return r[0] > uint64(size) || r[1] > uint64(size)-r[0]
}

// check returns an error, before execution, if the requested state does not exist.
func (v *View) check(m *sim.Machine, w *state.Wave) error {
	for i, r := range v.SGPR {
		if outside(r, isa.TraitsOf(w.Target).SGPRs) {
			return fmt.Errorf("dump.sgpr[%d]: %d registers from %d on are not within s0 to s%d", i, r[1], r[0],
				isa.TraitsOf(w.Target).SGPRs-1)
		}
	}
	for i, r := range v.VGPR {
		if outside(r, w.NumVGPRs) {
			return fmt.Errorf("dump.vgpr[%d]: %d registers from %d on are not within v0 to v%d", i, r[1], r[0], w.NumVGPRs-1)
		}
	}
	left := uint64(maxDumpBytes)
	for i, r := range v.Mem {
		if r.Size == nil {
			return fmt.Errorf("dump.mem[%d]: it has no size", i)
		}
		if _, err := view(m, r.Addr, *r.Size); err != nil {
			return fmt.Errorf("dump.mem[%d]: %w", i, err)
		}
		if err := spend(&left, *r.Size); err != nil {
			return fmt.Errorf("dump.mem[%d]: %w", i, err)
		}
	}
	for _, s := range []struct {
		name   string
		ranges [][2]uint64
		size   int
	}{{"lds", v.LDS, m.LDSSize}, {"gds", v.GDS, m.GDSSize}} {
		for i, r := range s.ranges {
			if outside(r, s.size) {
				return fmt.Errorf("dump.%s[%d]: %d bytes from %d on are not within its %d bytes", s.name, i, r[1], r[0], s.size)
			}
			if err := spend(&left, r[1]); err != nil {
				return fmt.Errorf("dump.%s[%d]: %w", s.name, i, err)
			}
		}
	}
	return nil
}

// spend subtracts size from the rest of maxDumpBytes, or returns an error.
func spend(left *uint64, size uint64) error {
	if size > *left {
		return fmt.Errorf("with these %d bytes the answer would show more than the %d that it may", size,
			uint64(maxDumpBytes))
	}
	*left -= size
	return nil
}

// errWraps is the error for a range that ends beyond the address space.
var errWraps = errors.New("it wraps around the end of the address space")

// view returns the size bytes at addr, which may extend over adjacent ranges. The slices are views, not copies.
func view(m *sim.Machine, addr, size uint64) ([][]byte, error) {
	if addr+size < addr {
		return nil, errWraps
	}
	var parts [][]byte
	for size > 0 {
		part := m.View(addr)
		if len(part) == 0 {
			return nil, fmt.Errorf("no mapped range holds 0x%x", addr)
		}
		part = part[:min(uint64(len(part)), size)]
		parts = append(parts, part)
		addr, size = addr+uint64(len(part)), size-uint64(len(part))
	}
	return parts, nil
}

// waveDump is the requested state of a wave.
type waveDump struct {
	SGPR registers `json:"sgpr,omitempty"`
	VGPR registers `json:"vgpr,omitempty"`
	Regs *regsDump `json:"regs,omitempty"`
}

// fill adds the requested state to reply. check has returned no error for v.
func (v *View) fill(m *sim.Machine, waves []*state.Wave, reply *Reply) error {
	if len(waves) == 1 {
		w := v.wave(waves[0])
		reply.SGPR, reply.VGPR, reply.Regs = w.SGPR, w.VGPR, w.Regs
	} else if len(v.SGPR) > 0 || len(v.VGPR) > 0 || v.Regs {
		for _, w := range waves {
			reply.Waves = append(reply.Waves, v.wave(w))
		}
	}
	for _, r := range v.Mem {
		parts, err := view(m, r.Addr, *r.Size)
		if err != nil {
			return err
		}
		reply.Mem = append(reply.Mem, memoryDump{address(r.Addr), parts})
	}
	reply.LDS, reply.GDS = storageDump(v.LDS, m.LDS), storageDump(v.GDS, m.GDS)
	return nil
}

// wave returns the requested state of w.
func (v *View) wave(w *state.Wave) (out waveDump) {
	for _, r := range v.SGPR {
		if out.SGPR == nil {
			out.SGPR = registers{}
		}
		if first := int(r[0]); len(out.SGPR[first]) < int(r[1]) {
			out.SGPR[first] = hex32s(w.S[first : first+int(r[1])])
		}
	}
	for _, r := range v.VGPR {
		if out.VGPR == nil {
			out.VGPR = registers{}
		}
		for reg := int(r[0]); reg < int(r[0]+r[1]); reg++ {
			lanes := w.VGPR(reg)
			out.VGPR[reg] = hex32s(lanes[:])
		}
	}
	if v.Regs {
		out.Regs = &regsDump{
			Exec: hex64(w.Exec()), VCC: hex64(w.Scalar64(gcn.VCC)), M0: hex32(w.S[gcn.M0]), SCC: w.SCC,
			Mode: hex32(w.Mode), Status: hex32(w.Status()), TrapSts: hex32(w.TrapSts),
		}
	}
	return out
}

func hex32s(values []uint32) []hex32 {
	all := make([]hex32, len(values))
	for i, v := range values {
		all[i] = hex32(v)
	}
	return all
}

func storageDump(ranges [][2]uint64, get func() *sim.Buffer) []memoryDump {
	var dumps []memoryDump
	for _, r := range ranges {
		dumps = append(dumps, memoryDump{r[0], views{get().Bytes()[r[0] : r[0]+r[1]]}})
	}
	return dumps
}

// MemoryBytes returns the number of bytes of memory in the reply.
func (r *Reply) MemoryBytes() int {
	n := 0
	for _, d := range r.Mem {
		n += d.Hex.size()
	}
	for _, d := range slices.Concat(r.LDS, r.GDS) {
		n += d.Hex.size()
	}
	return n
}

// dump adds buffers and images to the answer and writes their files.
func (d *Dispatch) dump(reply *Reply, memory []*Memory, files Files) error {
	for _, dump := range d.Dump {
		h := memory[dump.Arg]
		data, err := h.contents()
		if err != nil {
			return fmt.Errorf("dump: argument %d: %w", dump.Arg, err)
		}
		out := Dumped{Arg: dump.Arg, File: dump.File}
		if dump.Hex {
			out.Hex = views{data}
		}
		if h.Image != nil && strings.HasSuffix(strings.ToLower(dump.File), ".png") {
			if data, err = writePNG(h.Image); err != nil {
				return fmt.Errorf("dump: argument %d: %w", dump.Arg, err)
			}
		}
		if dump.File != "" {
			if err := files.WriteFile(dump.File, data); err != nil {
				return err
			}
		}
		reply.Dump = append(reply.Dump, out)
	}
	return nil
}

// checkDumps returns an error, before execution, for a dump of an argument without memory, or without a destination.
func (d *Dispatch) checkDumps(memory []*Memory) error {
	left := uint64(maxDumpBytes)
	for i, dump := range d.Dump {
		if uint64(dump.Arg) >= uint64(len(memory)) || memory[dump.Arg] == nil {
			return fmt.Errorf("dump: argument %d is not a buffer", dump.Arg)
		}
		if dump.File == "" && !dump.Hex {
			return fmt.Errorf("dump: argument %d goes nowhere; give file or hex", dump.Arg)
		}
		if !dump.Hex {
			continue
		}
		if err := spend(&left, memory[dump.Arg].Size()); err != nil {
			return fmt.Errorf("dump[%d]: %w; give file instead of hex", i, err)
		}
	}
	return nil
}
