package state

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// Space is the kind of memory that an access uses.
type Space uint8

// The spaces.
const (
	Global Space = iota
	LDS
	GDS
	Scratch
	numSpaces = iota
)

var spaceNames = [numSpaces]string{Global: "global", LDS: "lds", GDS: "gds", Scratch: "scratch"}

var _ = enum.Full[Space](spaceNames[:])

// String returns the name of the space.
func (s Space) String() string { return enum.Name(spaceNames[:], s) }

// Access is the record that an executor writes about one memory instruction. The next instruction overwrites it: a
// reader must copy what it keeps.
type Access struct {
	Op     gcn.MemOp // operation; NoMem if the instruction accessed no memory
	Space  Space     // memory that most lanes accessed; in a FLAT access see LDSLanes and ScratchLanes for the others
	Scalar bool      // one access for the whole wave; its address is Addr[0]
	Elem   uint8     // bytes of one element
	Count  uint8     // elements per lane
	Exec   uint64    // lanes that took part: EXEC at issue
	// Addr is the byte address of element 0 of each lane of Exec; other entries are stale. In LDS and GDS, and for the
	// lanes of LDSLanes, it is the offset in the storage. See [Access.At].
	Addr [NumLanes]uint64
	// Dense is set if Addr[lane] is known to be Addr[0]+4*lane in all 64 lanes.
	Dense bool
	// Split is set if the elements of a lane are not adjacent (ds_read2_b32, swizzled buffers, scratch). More then holds
	// the addresses of elements 1 to 3.
	Split bool
	More  [3][NumLanes]uint64
	// Out holds, for each of up to four elements, the lanes that were out of range: their loads returned 0, their stores
	// and atomics did nothing. With Scalar, bit i of Out[0] stands for element i.
	Out [4]uint64
	// Misaligned holds the lanes of Out whose address was misaligned, which raised MEMVIOL.
	Misaligned uint64
	// Cut holds the lanes whose address lost low bits to its alignment (rule L1), so that they accessed another address
	// than the program computed. It is set only if a check requests it.
	Cut uint64
	// Differs holds the lanes whose address or range check the other rule set (seed or driver) would decide differently.
	// Subject names what the rule sets disagree on. Both are set only if a check requests them.
	Differs uint64
	Subject string
	// LDSLanes and ScratchLanes are the lanes of a FLAT access that accessed LDS and private memory.
	LDSLanes, ScratchLanes uint64
	// LDSSlot is the LDS offset of lane 0's dword in a transfer between memory and LDS without registers. The dwords of
	// the other lanes follow it.
	LDSSlot uint64
	// Doubt names the part of the result that no source states for certain because of the resource, "" if there is no
	// such part. Doubts that follow from the instruction alone are in the notes of its row.
	Doubt string
	// Doubts[:NumDoubts] are further lists of such doubts: those of the T#, of the format or the S#, of the
	// instruction's form, and of the lanes' operands.
	Doubts    [4][]string
	NumDoubts uint8
	// Reg is the first data register: a VGPR, or an operand code if Scalar. Regs is the number of data registers. Right
	// after a load they contain the loaded values.
	Reg  uint16
	Regs uint8
	// Taps is the largest number of texels that a lane of an image instruction with a sampler read; 0 for other
	// instructions. Addr is the address of each lane's first texel.
	Taps uint8
	// Level is the last mip level that an image instruction with a sampler read, counted from BASE_LEVEL.
	Level uint8
}

// At returns the byte address of element i of a lane of Exec.
func (a *Access) At(i, lane int) uint64 {
	if a.Split && i > 0 {
		return a.More[i-1][lane]
	}
	return a.Addr[lane] + uint64(i)*uint64(a.Elem)
}

// Bytes returns how many bytes were moved between memory and registers. Elements out of range do not count.
func (a *Access) Bytes() int {
	if a.Scalar {
		return int(a.Elem) * (int(a.Count) - bits.OnesCount64(a.Out[0]))
	}
	n := 0
	for i := range int(a.Count) {
		n += bits.OnesCount64(a.Exec &^ a.Out[min(i, 3)])
	}
	return n * int(a.Elem)
}

// OutMask returns the lanes with an element out of range. With Scalar the result is bit 0.
func (a *Access) OutMask() uint64 {
	switch {
	case a.Op == gcn.NoMem:
		return 0
	case a.Scalar:
		return min(a.Out[0], 1)
	}
	return (a.Out[0] | a.Out[1] | a.Out[2] | a.Out[3]) & a.Exec
}

var memOpNames = [...]string{gcn.NoMem: "none", gcn.Load: "load", gcn.Store: "store", gcn.Atomic: "atomic",
	gcn.Special: "special"}

var _ = enum.Full[gcn.MemOp](memOpNames[:])

// String returns the access as one line for golden files: the operation, the space, the data registers, the bytes per
// lane and the addresses. An example is "load global v1: 4 bytes, lanes 0-63 at 0x1000 + 4*lane". Irregular addresses
// are listed per lane, and per element if they are not adjacent. Lanes out of range are named.
func (a *Access) String() string {
	if a.Op == gcn.NoMem {
		return "no access"
	}
	var s strings.Builder
	s.WriteString(memOpNames[a.Op] + " " + a.Space.String())
	kind := "v"
	if a.Scalar {
		kind = "s"
	}
	switch {
	case a.Regs == 1:
		fmt.Fprintf(&s, " %s%d", kind, a.Reg)
	case a.Regs > 1:
		fmt.Fprintf(&s, " %s[%d:%d]", kind, a.Reg, a.Reg+uint16(a.Regs)-1)
	}
	elements, bytes := 1, fmt.Sprint(int(a.Elem)*int(a.Count))
	if a.Split {
		elements, bytes = int(a.Count), fmt.Sprintf("%d times %d", a.Count, a.Elem)
	}
	s.WriteString(": " + bytes + " bytes")
	if a.Scalar {
		fmt.Fprintf(&s, " at %#x", a.Addr[0])
	} else {
		for i := range elements {
			s.WriteString(a.places(i))
		}
	}
	if out := a.OutMask(); out != 0 {
		s.WriteString("; out of range: " + lanesOf(out))
	}
	return s.String()
}

// places returns the addresses of element i as text: a formula if the active lanes are equally far apart.
func (a *Access) places(i int) string {
	if a.Exec == 0 {
		return ", no lane"
	}
	at := func(lane int) uint64 {
		if a.Dense && !a.Split {
			return a.Addr[0] + 4*uint64(lane) + uint64(i)*uint64(a.Elem)
		}
		return a.At(i, lane)
	}
	first := bits.TrailingZeros64(a.Exec)
	rest := a.Exec &^ (1 << first)
	step, even := uint64(0), true
	if rest != 0 {
		second := bits.TrailingZeros64(rest)
		step = (at(second) - at(first)) / uint64(second-first)
	}
	base := at(first) - step*uint64(first)
	for m := rest; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		even = even && at(lane) == base+step*uint64(lane)
	}
	switch {
	case even && (step == 0 || rest == 0):
		return fmt.Sprintf(", %s at %#x", lanesOf(a.Exec), at(first))
	case even && int64(step) > 0:
		return fmt.Sprintf(", %s at %#x + %d*lane", lanesOf(a.Exec), base, step)
	}
	var s strings.Builder
	for m := a.Exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		fmt.Fprintf(&s, ", lane %d at %#x", lane, at(lane))
	}
	return s.String()
}

// lanesOf returns the lanes of a mask as text: "lane 3", "lanes 0-3, 8".
func lanesOf(mask uint64) string {
	if bits.OnesCount64(mask) == 1 {
		return "lane " + plural.Lanes(mask, NumLanes)
	}
	return "lanes " + plural.Lanes(mask, NumLanes)
}
