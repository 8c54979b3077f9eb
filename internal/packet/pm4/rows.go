package pm4

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Ranges of generations with a packet.
var (
	all    = gens{gcn.GCN10, gcn.NumGens}
	first  = gens{gcn.GCN10, gcn.GCN11}
	later  = gens{gcn.GCN11, gcn.NumGens} // generations from Sea Islands on, which have MEC and chained buffers
	before = gens{gcn.GCN10, gcn.GCN14}   // up to Volcanic Islands
	vega   = gens{gcn.GCN14, gcn.NumGens}
	never  = gens{}

	both      = [2]gens{all, all}
	bothLater = [2]gens{later, later}
	gfxOnly   = [2]gens{all, never}
	bothFirst = [2]gens{first, first}
	// me has the rings that PFP and ME read: the graphics ring, and the compute rings of GCN 1.0.
	me = [2]gens{all, first}
	// meBefore is me up to Volcanic Islands; mec has the remaining rings.
	meBefore = [2]gens{before, first}
	mec      = [2]gens{vega, later}
)

// anyLength is the largest number of words in a body.
const anyLength = 1 << 14

// The byte addresses of register 0 in the SET packets.
const (
	configBase  = 0x8000
	shBase      = 0xb000
	contextBase = 0x28000
	uconfigBase = 0x30000
)

// rows are the packets, in the order of their opcodes. If an opcode has several forms, the first form that exists in
// the stream and has the right length applies.
var rows = []Row{
	{"NOP", 0x10, Nothing, 0, both, 0, anyLength, nil},
	{"SET_BASE", 0x11, SetBase, 0, me, 3, 3, join(bits(Index, 0, 3, 0), dwords(Addr, 1, 2))},
	{"CLEAR_STATE", 0x12, ClearState, 0, gfxOnly, 1, 1, nil},
	{"INDEX_BUFFER_SIZE", 0x13, Nothing, 0, gfxOnly, 1, 1, nil},
	{"DISPATCH_DIRECT", 0x15, Dispatch, 0, both, 4, 4, join(word(DimX, 0), word(DimY, 1), word(DimZ, 2), word(Initiator, 3))},
	{"DISPATCH_INDIRECT", 0x16, DispatchIndirect, 0, me, 2, 2, join(word(Offset, 0), word(Initiator, 1))},
	{"DISPATCH_INDIRECT", 0x16, DispatchIndirect, 0, [2]gens{never, later}, 3, 3, join(dwords(Addr, 0, 1), word(Initiator, 2))},
	{"ATOMIC_MEM", 0x1e, Atomic, 0, bothLater, 8, 8, join(bits(Operation, 0, 6, 0), bits(Command, 0, 11, 8), address(Addr, 1, 2), words(Data, 3), words(Compare, 5))},
	{"SET_PREDICATION", 0x20, Predicate, 0, [2]gens{before, never}, 2, 2, join([]place{{Addr, 0, 31, 4, 4}, {Addr, 1, 7, 0, 32}}, bits(Operation, 1, 18, 16), bit(Condition, 1, 8))},
	{"SET_PREDICATION", 0x20, Predicate, 0, [2]gens{vega, never}, 3, 3, join(bits(Operation, 0, 18, 16), bit(Condition, 0, 8), []place{{Addr, 1, 31, 4, 4}, {Addr, 2, 15, 0, 32}})},
	{"COND_EXEC", 0x22, CondExec, 0, bothLater, 4, 4, join(dwords(Addr, 0, 1), bits(Dwords, 3, 13, 0))},
	{"DRAW_INDIRECT", 0x24, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"DRAW_INDEX_INDIRECT", 0x25, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"INDEX_BASE", 0x26, Nothing, 0, gfxOnly, 2, 2, nil},
	{"DRAW_INDEX_2", 0x27, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"CONTEXT_CONTROL", 0x28, Nothing, 0, gfxOnly, 2, 2, nil},
	{"INDEX_TYPE", 0x2a, Nothing, 0, gfxOnly, 1, 2, nil},
	{"DRAW_INDIRECT_MULTI", 0x2c, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"DRAW_INDEX_AUTO", 0x2d, Draw, 0, gfxOnly, 2, 2, join(word(Data, 0), word(Initiator, 1))},
	{"DRAW_INDEX_IMMD", 0x2e, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"NUM_INSTANCES", 0x2f, Instances, 0, gfxOnly, 1, 1, word(Data, 0)},
	{"DRAW_INDEX_MULTI_AUTO", 0x30, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"INDIRECT_BUFFER", 0x32, Call, 0, bothFirst, 3, 3, callFields},
	{"DRAW_INDEX_OFFSET_2", 0x35, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"WRITE_DATA", 0x37, WriteData, 0, both, 4, anyLength, join(bits(DstSel, 0, 11, 8), bit(OneTo, 0, 16), bits(Engine, 0, 31, 30), dwords(Dst, 1, 2), word(Data, 3))},
	{"DRAW_INDEX_INDIRECT_MULTI", 0x38, Draw, 0, gfxOnly, 0, anyLength, nil},
	{"WAIT_REG_MEM", 0x3c, WaitMemory, 0, both, 6, 6, join(bits(Function, 0, 2, 0), bit(Space, 0, 4), dwords(Addr, 1, 2), word(Reference, 3), word(Mask, 4))},
	{"INDIRECT_BUFFER", 0x3f, Call, 0, bothLater, 3, 3, callFields},
	{"COPY_DATA", 0x40, CopyData, 0, both, 5, 5, join(bits(SrcSel, 0, 3, 0), bits(DstSel, 0, 11, 8), bit(Wide, 0, 16), words(Src, 1), words(Dst, 3))},
	{"CP_DMA", 0x41, CopyMemory, 0, bothFirst, 5, 5, join(
		address(Src, 0, 1), bits(SrcSel, 1, 30, 29), bits(DstSel, 1, 21, 20), address(Dst, 2, 3), bits(Bytes, 4, 20, 0),
		bit(SrcSpace, 4, 26), bit(DstSpace, 4, 27))},
	{"PFP_SYNC_ME", 0x42, Nothing, 0, me, 1, 1, nil},
	{"SURFACE_SYNC", 0x43, Nothing, 0, meBefore, 4, 4, nil},
	{"EVENT_WRITE", 0x46, Event, 0, both, 1, 3, join(bits(EventType, 0, 5, 0), bits(EventIndex, 0, 11, 8), []place{{Addr, 1, 31, 3, 3}, {Addr, 2, 15, 0, 32}})},
	{"EVENT_WRITE_EOP", 0x47, EndOfPipe, 0, meBefore, 5, 5, join(
		bits(EventType, 0, 5, 0), bits(EventIndex, 0, 11, 8), dwords(Addr, 1, 2), bits(DataSel, 2, 31, 29), words(Data, 3))},
	{"EVENT_WRITE_EOS", 0x48, EndOfPipe, 0, meBefore, 4, 4, join(
		bits(EventType, 0, 5, 0), bits(EventIndex, 0, 11, 8), dwords(Addr, 1, 2), bits(Command, 2, 31, 29), word(Data, 3))},
	{"RELEASE_MEM", 0x49, EndOfPipe, 0, mec, 6, 7, join(
		bits(EventType, 0, 5, 0), bits(EventIndex, 0, 11, 8), bits(DataSel, 1, 31, 29), dwords(Addr, 2, 3), words(Data, 4))},
	{"DMA_DATA", 0x50, CopyMemory, 0, [2]gens{{gcn.GCN11, gcn.GCN14}, {gcn.GCN11, gcn.GCN14}}, 6, 6, dmaFields(20)},
	{"DMA_DATA", 0x50, CopyMemory, 0, [2]gens{vega, vega}, 6, 6, dmaFields(25)},
	{"ACQUIRE_MEM", 0x58, Nothing, 0, mec, 6, 6, nil},
	{"SET_CONFIG_REG", 0x68, SetRegisters, configBase, both, 2, anyLength, setFields},
	{"SET_CONTEXT_REG", 0x69, SetRegisters, contextBase, gfxOnly, 2, anyLength, setFields},
	{"SET_SH_REG", 0x76, SetRegisters, shBase, both, 2, anyLength, setFields},
	{"SET_UCONFIG_REG", 0x79, SetRegisters, uconfigBase, bothLater, 2, anyLength, setFields},
	{"SET_UCONFIG_REG_INDEX", 0x7a, SetRegisters, uconfigBase, bothLater, 2, anyLength, setFields},
	{"INCREMENT_CE_COUNTER", 0x84, Nothing, 0, gfxOnly, 1, 1, nil},
	{"INCREMENT_DE_COUNTER", 0x85, Nothing, 0, gfxOnly, 1, 1, nil},
	{"WAIT_ON_CE_COUNTER", 0x86, Nothing, 0, gfxOnly, 1, 1, nil},
	{"WAIT_ON_DE_COUNTER_DIFF", 0x88, Nothing, 0, gfxOnly, 1, 1, nil},
	{"SET_SH_REG_INDEX", 0x9b, SetRegisters, shBase, [2]gens{vega, vega}, 2, anyLength, setFields},
	{"LOAD_CONTEXT_REG_INDEX", 0x9f, LoadRegisters, contextBase, gfxOnly, 4, 4, join(dwords(Addr, 0, 1), bits(Index, 2, 15, 0), bits(Dwords, 3, 13, 0))},
}

var (
	setFields  = bits(Index, 0, 15, 0)
	callFields = join(dwords(Addr, 0, 1), bits(Dwords, 2, 19, 0), bit(Chain, 2, 20))
)

// dmaFields are the fields of DMA_DATA. Its byte count ends at bit last.
func dmaFields(last uint8) []place {
	return join(
		bits(SrcSel, 0, 30, 29), bits(DstSel, 0, 21, 20), address(Src, 1, 2), address(Dst, 3, 4),
		bits(Bytes, 5, last, 0), bit(SrcSpace, 5, 26), bit(DstSpace, 5, 27))
}

func join(fields ...[]place) []place { return slices.Concat(fields...) }

// byOp maps an opcode to its rows.
var byOp = func() (t [256][]*Row) {
	for i := range rows {
		r := &rows[i]
		t[r.Op] = append(t[r.Op], r)
	}
	return t
}()
