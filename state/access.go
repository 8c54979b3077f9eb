package state

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Space is the kind of memory an access goes to.
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

// Access is the record that an executor writes about one memory instruction. It is reused
// from instruction to instruction: a reader copies what it keeps.
type Access struct {
	Op     gcn.MemOp // NoMem: the instruction touched no memory
	Space  Space     // where most lanes went; FLAT lanes may differ, see LDSLanes
	Scalar bool      // one access for the wave, in Addr[0]
	Elem   uint8     // bytes of one element
	Count  uint8     // elements a lane
	Exec   uint64    // lanes that took part: EXEC at issue
	// Addr is the byte address of element 0 of each lane of Exec; others are stale. Of
	// LDS and GDS, and of LDSLanes, it is the offset in the storage. See [Access.At].
	Addr [NumLanes]uint64
	// Dense is set if Addr[lane] is known to be Addr[0]+4*lane in all 64 lanes.
	Dense bool
	// Split is set where the elements of a lane do not follow one another (ds_read2_b32,
	// swizzled buffers, scratch): More holds the addresses of elements 1 to 3.
	Split bool
	More  [3][NumLanes]uint64
	// Out holds, for element i of at most four, the lanes that were out of range:
	// loads gave 0, stores and atomics did nothing. With Scalar bit i of Out[0] is
	// element i.
	Out [4]uint64
	// Misaligned holds the lanes of Out whose address was misaligned, which raised MEMVIOL.
	Misaligned uint64
	// Cut holds the lanes whose address lost low bits to its alignment (rule L1): they went
	// elsewhere than the program says. It is filled where a check asks for it.
	Cut uint64
	// Differs holds the lanes whose addresses or range would have come out differently by the
	// driver rules under the seed rules, by the seed rules under the driver rules, and
	// Subject what the two disagree on. They are filled where a check asks for them.
	Differs uint64
	Subject string
	// LDSLanes and ScratchLanes are the lanes of a FLAT access that went there.
	LDSLanes, ScratchLanes uint64
	// LDSSlot is the offset in LDS where a transfer between memory and LDS without registers
	// has the dword of lane 0; those of the other lanes follow.
	LDSSlot uint64
	// Doubt says what of the result no source states for certain because of the resource,
	// "" if nothing: what follows from the instruction alone is in the notes of its row.
	Doubt string
	// Doubts[:NumDoubts] are lists of more of the same: that of a T#, that of the format or of
	// the S#, that of the instruction's form, that of what the lanes asked for.
	Doubts    [4][]string
	NumDoubts uint8
	// Reg is the first data register, a VGPR or with Scalar an operand code, and Regs
	// how many there are. Right after a load they hold what was returned.
	Reg  uint16
	Regs uint8
	// Taps is how many texels the lanes of an image instruction with a sampler fetched at
	// most, 0 of others. Addr is the address of the first one of each lane.
	Taps uint8
	// Level is the last level of detail that an image instruction with a sampler took
	// texels of, counted from BASE_LEVEL.
	Level uint8
}

// At returns the byte address of element i of a lane of Exec.
func (a *Access) At(i, lane int) uint64 {
	if a.Split && i > 0 {
		return a.More[i-1][lane]
	}
	return a.Addr[lane] + uint64(i)*uint64(a.Elem)
}

// Bytes returns how many bytes were moved between memory and registers: elements that
// were out of range do not count.
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

// OutMask returns the lanes with an element out of range; with Scalar bit 0.
func (a *Access) OutMask() uint64 {
	switch {
	case a.Op == gcn.NoMem:
		return 0
	case a.Scalar:
		return min(a.Out[0], 1)
	}
	return (a.Out[0] | a.Out[1] | a.Out[2] | a.Out[3]) & a.Exec
}
