package pm4

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Ring is a kind of command processor.
type Ring uint8

// The rings.
const (
	Graphics Ring = iota // read by PFP and ME
	Compute              // read by ME on GCN 1.0, later by MEC
)

// String returns the name of the ring.
func (r Ring) String() string {
	if r == Graphics {
		return "graphics"
	}
	return "compute"
}

// Effect is the effect of a packet.
type Effect uint8

// The effects of packets.
const (
	Nothing          Effect = iota // no effect, because everything completes in order and caches are coherent
	SetRegisters                   // write values to consecutive registers
	SetBase                        // set a base address for offsets in later packets
	Dispatch                       // start work-groups
	DispatchIndirect               // start work-groups whose number is in memory
	Predicate                      // make later packets depend on a value in memory
	CondExec                       // skip the words that follow, depending on memory
	WriteData                      // write words to memory or registers
	CopyData                       // copy one or two words
	WaitMemory                     // wait until a value in memory satisfies a condition
	Call                           // continue in another buffer
	CopyMemory                     // copy or fill bytes
	Atomic                         // perform an atomic operation on memory
	Event                          // signal a pipeline event, which may write counts
	EndOfPipe                      // write a value or the time when all earlier work has completed
	Draw                           // a graphics packet
	ClearState                     // set the graphics registers to their initial values
	Instances                      // set how often later draws are repeated
	LoadRegisters                  // load consecutive registers from memory
)

// Field is a field in the body of a packet.
type Field uint8

// The fields. Different packets have different ones.
const (
	DimX Field = iota
	DimY
	DimZ
	Initiator
	Index    // number of a register or a base
	Addr     // address in memory
	Offset   // offset from a base
	Src      // address, register or data
	Dst      // address or register
	SrcSel   // kind of Src
	DstSel   // kind of Dst
	SrcSpace // 1 if Src is a register
	DstSpace
	Bytes
	Data
	DataSel
	EventType
	EventIndex
	Function // comparison function
	Space    // 1 if the comparison is with memory
	Reference
	Mask
	Dwords
	Chain
	Operation
	Condition
	Command
	Compare
	Wide   // 1 for 64 bits, 0 for 32
	OneTo  // 1 if all data go to one address
	Engine // engine that executes the packet
	numFields
)

// Names of the fields in listings.
var fieldNames = [numFields]string{
	"DIM_X", "DIM_Y", "DIM_Z", "DISPATCH_INITIATOR", "INDEX", "ADDR", "OFFSET", "SRC", "DST", "SRC_SEL", "DST_SEL",
	"SAS", "DAS",
	"BYTE_COUNT", "DATA", "DATA_SEL", "EVENT_TYPE", "EVENT_INDEX", "FUNCTION", "MEM_SPACE", "REFERENCE", "MASK",
	"SIZE", "CHAIN", "OP", "CONDITION", "COMMAND", "COMPARE", "COUNT_SEL", "WR_ONE_ADDR", "ENGINE",
}

var _ = enum.Full[Field](fieldNames[:])

// String returns the name of the field in listings.
func (f Field) String() string { return enum.Name(fieldNames[:], f) }

// place is the position of some bits of a field: bits hi:lo of a word of the body are bits from at on of the value.
type place struct {
	field      Field
	word       uint8
	hi, lo, at uint8
}

// word returns the place of a field that is a whole word.
func word(f Field, n uint8) []place { return []place{{f, n, 31, 0, 0}} }

// bit and bits return the place of a field within a word.
func bit(f Field, n, b uint8) []place       { return bits(f, n, b, b) }
func bits(f Field, n, hi, lo uint8) []place { return []place{{f, n, hi, lo, 0}} }

// words returns the places of a 64-bit field whose low half comes first.
func words(f Field, n uint8) []place { return []place{{f, n, 31, 0, 0}, {f, n + 1, 31, 0, 32}} }

// address returns the places of a byte address. dwords returns those of a dword-aligned address, whose low two bits
// are flags.
func address(f Field, lo, hi uint8) []place { return []place{{f, lo, 31, 0, 0}, {f, hi, 15, 0, 32}} }
func dwords(f Field, lo, hi uint8) []place  { return []place{{f, lo, 31, 2, 2}, {f, hi, 15, 0, 32}} }

// gens is a range of generations; the zero value is empty.
type gens struct{ from, end gcn.Gen }

// Row describes one packet, or one form of it.
type Row struct {
	Name   string
	Op     uint8
	Effect Effect
	// Base is the byte address of the register with number 0, for a SetRegisters packet.
	Base uint32

	rings    [2]gens // the generations that have it, indexed by Ring
	min, max int     // smallest and largest number of words in the body
	places   []place
}

// in reports whether the packet exists in a stream.
func (r *Row) in(s Stream) bool {
	g := r.rings[s.Ring]
	return g.from <= s.Gen && s.Gen < g.end
}

// Fields returns the fields that a packet can have, in the order of its words.
func (r *Row) Fields() []Field {
	var fields []Field
	for _, p := range r.places {
		if !slices.Contains(fields, p.field) {
			fields = append(fields, p.field)
		}
	}
	return fields
}
