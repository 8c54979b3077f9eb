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
	Graphics Ring = iota // PFP and ME
	Compute              // on GCN 1.0 of the kind of ME, later MEC
)

// String names the ring.
func (r Ring) String() string {
	if r == Graphics {
		return "graphics"
	}
	return "compute"
}

// Effect is the effect of a packet.
type Effect uint8

// The effects.
const (
	Nothing          Effect = iota // where everything completes in order and caches are coherent
	SetRegisters                   // values to registers that follow one another
	SetBase                        // an address for offsets of later packets
	Dispatch                       // start work-groups
	DispatchIndirect               // the same with sizes in memory
	Predicate                      // make later packets depend on memory
	CondExec                       // skip words that follow
	WriteData                      // words to memory or registers
	CopyData                       // a word or two from somewhere to somewhere
	WaitMemory                     // wait until memory compares as asked
	Call                           // continue in another buffer
	CopyMemory                     // copy or fill bytes
	Atomic                         // an atomic operation on memory
	Event                          // a pipeline event, which may write counts
	EndOfPipe                      // write a value or the time when all before is done
	Draw                           // graphics
	ClearState                     // sets the graphics registers to their initial values
	Instances                      // how often later draws are repeated
	LoadRegisters                  // values in memory to registers that follow one another
)

// Field is a part of the body of a packet.
type Field uint8

// The fields. Not every packet has every one.
const (
	DimX Field = iota
	DimY
	DimZ
	Initiator
	Index    // of a register or a base
	Addr     // in memory
	Offset   // from a base
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
	Function // of a comparison
	Space    // 1 if memory is compared
	Reference
	Mask
	Dwords
	Chain
	Operation
	Condition
	Command
	Compare
	Wide   // 64 bits, not 32
	OneTo  // all data to one address
	Engine // engine that reads the packet's operands
	numFields
)

// Names of fields in listings.
var fieldNames = [numFields]string{
	"DIM_X", "DIM_Y", "DIM_Z", "DISPATCH_INITIATOR", "INDEX", "ADDR", "OFFSET", "SRC", "DST", "SRC_SEL", "DST_SEL",
	"SAS", "DAS",
	"BYTE_COUNT", "DATA", "DATA_SEL", "EVENT_TYPE", "EVENT_INDEX", "FUNCTION", "MEM_SPACE", "REFERENCE", "MASK",
	"SIZE", "CHAIN", "OP", "CONDITION", "COMMAND", "COMPARE", "COUNT_SEL", "WR_ONE_ADDR", "ENGINE",
}

var _ = enum.Full[Field](fieldNames[:])

// String names the field as listings do.
func (f Field) String() string { return enum.Name(fieldNames[:], f) }

// place is where bits of a field are: word of the body, bits hi:lo of it, put at bit
// position at of the value.
type place struct {
	field      Field
	word       uint8
	hi, lo, at uint8
}

// word is a field of a whole word.
func word(f Field, n uint8) []place { return []place{{f, n, 31, 0, 0}} }

// bit and bits are fields within a word.
func bit(f Field, n, b uint8) []place       { return bits(f, n, b, b) }
func bits(f Field, n, hi, lo uint8) []place { return []place{{f, n, hi, lo, 0}} }

// words is a field of 64 bits, the low half first.
func words(f Field, n uint8) []place { return []place{{f, n, 31, 0, 0}, {f, n + 1, 31, 0, 32}} }

// address is an address of bytes, dwords one of dwords, whose low two bits are flags.
func address(f Field, lo, hi uint8) []place { return []place{{f, lo, 31, 0, 0}, {f, hi, 15, 0, 32}} }
func dwords(f Field, lo, hi uint8) []place  { return []place{{f, lo, 31, 2, 2}, {f, hi, 15, 0, 32}} }

// gens is a range of generations, empty if it is the zero value.
type gens struct{ from, end gcn.Gen }

// Row is one packet, or one form of it.
type Row struct {
	Name   string
	Op     uint8
	Effect Effect
	// Base is the byte address of register 0 of those that a SetRegisters packet sets.
	Base uint32

	rings    [2]gens // by Ring
	min, max int     // words of the body
	places   []place
}

// in reports whether a stream can hold the packet.
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
