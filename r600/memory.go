package r600

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// ratOp is an operation on a resource that programs write: a RAT (rule FS11).
type ratOp struct {
	name   string
	result func(old, x, w uint32) uint32 // of X and W of the data; nil if the operation is not modelled
}

// rat are the operations by RAT_INST. Those that end in _RTN give the value before to [Machine.Returns] as well.
var rat = [64]ratOp{
	0: {"NOP", nil}, ratTyped: {"STORE_TYPED", second}, ratRaw: {"STORE_RAW", second}, 3: {"STORE_RAW_FDENORM", nil},
	4: {"CMPXCHG_INT", exchangeIf}, 5: {"CMPXCHG_FLT", nil}, 6: {"CMPXCHG_FDENORM", nil}, 7: {"ADD", addInt},
	8: {"SUB", subInt}, 9: {"RSUB", reverseSub}, 10: {"MIN_INT", minInt}, 11: {"MIN_UINT", minUint},
	12: {"MAX_INT", maxInt}, 13: {"MAX_UINT", maxUint}, 14: {"AND", and}, 15: {"OR", or}, 16: {"XOR", xor},
	17: {"MSKOR", maskedBits}, 18: {"INC_UINT", increment}, 19: {"DEC_UINT", decrement}, ratDword: {"STORE_DWORD", second},
	21: {"STORE_SHORT", nil}, 22: {"STORE_BYTE", nil}, 32: {"NOP_RTN", first}, 34: {"XCHG_RTN", second},
	35: {"XCHG_FDENORM_RTN", nil}, 36: {"CMPXCHG_INT_RTN", exchangeIf}, 37: {"CMPXCHG_FLT_RTN", nil},
	38: {"CMPXCHG_FDENORM_RTN", nil}, 39: {"ADD_RTN", addInt}, 40: {"SUB_RTN", subInt}, 41: {"RSUB_RTN", reverseSub},
	42: {"MIN_INT_RTN", minInt}, 43: {"MIN_UINT_RTN", minUint}, 44: {"MAX_INT_RTN", maxInt}, 45: {"MAX_UINT_RTN", maxUint},
	46: {"AND_RTN", and}, 47: {"OR_RTN", or}, 48: {"XOR_RTN", xor}, 49: {"MSKOR_RTN", maskedBits},
	50: {"INC_UINT_RTN", increment}, 51: {"DEC_UINT_RTN", decrement},
}

func exchangeIf(old, data, expected uint32) uint32 { return compareStore(old, expected, data) }
func maskedBits(old, data, mask uint32) uint32     { return maskedOr(old, mask, data) }

// Operations that store, and the first one that returns a value.
const ratTyped, ratRaw, ratDword, firstRTN = 1, 2, 20, 32

// ratNames are the names of RAT_INST.
var ratNames = func() (names []string) {
	for _, r := range rat {
		if r.name != "" {
			r.name = "EXPORT_RAT_INST_" + r.name
		}
		names = append(names, r.name)
	}
	return names
}()

// checkMemory returns a fault if the export to memory is not modelled.
func (in *Inst) checkMemory(fault func(state.FaultKind, string) error) error {
	indexed := in.get(fieldMemoryType)&1 != 0
	switch {
	case in.get(fieldRWGPR)+in.get(fieldBurstCount) >= gprs:
		return fault(noRegister, "BURST_COUNT goes beyond the last register")
	case in.does == doStream && indexed:
		return fault(unsupported, fieldMemoryType.text(in.Family, in.get(fieldMemoryType))+" of a stream is not modelled")
	case in.class == classMemory && in.Family < Evergreen && in.get(fieldMemoryType) >= 2:
		return fault(unsupported, "a read from memory is not modelled")
	case in.class != classRAT:
		return nil
	}
	op := rat[in.get(fieldRATInst)]
	switch {
	case op.result == nil:
		return fault(unsupported, fieldRATInst.text(in.Family, in.get(fieldRATInst))+" is not modelled")
	case !indexed:
		return fault(unsupported, "an export to a RAT without an index is not modelled; set TYPE(SQ_EXPORT_WRITE_IND)")
	case in.get(fieldRATInst) == ratTyped && in.get(fieldCompMask) != 0xf:
		return fault(unsupported, fmt.Sprintf("COMP_MASK %d of a typed store is not modelled; only 15 is",
			in.get(fieldCompMask)))
	}
	return nil
}

// writing calls visit for each thread that writes: active, not killed.
func (w *wave) writing(visit func(t int) error) error {
	for t := range w.count {
		if w.Active&w.Valid>>t&1 != 0 {
			if err := visit(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeRAT executes an operation on a RAT: INDEX_GPR counts dwords, or has the coordinates of a typed store. What an
// operation returns goes to the dword that Y of the data counts.
func (w *wave) writeRAT(s *step) error {
	in := &s.in
	id, op := in.get(fieldRATID), rat[in.get(fieldRATInst)].result
	if in.get(fieldRATInst) == ratTyped {
		return w.writeTexels(s)
	}
	if int(id) >= len(w.m.RATs) {
		return faultAt(noMemory, s.slot, in.Name, "there is no RAT %d", id)
	}
	code, second := in.get(fieldRATInst), 3
	if in.Family == Cayman && (code == 4 || code == 36) { // what CMPXCHG expects is in Z there
		second = 2
	}
	return w.writing(func(t int) error {
		index, data := uint64(w.GPR[t][in.get(fieldIndexGPR)][0]), w.GPR[t][in.get(fieldRWGPR)]
		w.touch(t, 4*index, 4)
		if code != ratRaw && code != ratDword {
			var before uint32
			modify(w.m.RATs[id], 4*index, func(old uint32) uint32 { before = old; return op(old, data[0], data[second]) })
			if code >= firstRTN && int(id) < len(w.m.Returns) {
				modify(w.m.Returns[id], 4*uint64(data[1]), func(uint32) uint32 { return before })
			}
			return nil
		}
		w.Bytes = 4 * bits.Len32(in.get(fieldCompMask))
		for c, v := range data {
			if in.get(fieldCompMask)>>c&1 != 0 {
				modify(w.m.RATs[id], 4*(index+uint64(c)), func(uint32) uint32 { return v })
			}
		}
		return nil
	})
}

// modify changes a dword of memory. Beyond its end nothing happens.
func modify(memory []byte, at uint64, change func(old uint32) uint32) {
	if at+4 <= uint64(len(memory)) {
		binary.LittleEndian.PutUint32(memory[at:], change(binary.LittleEndian.Uint32(memory[at:])))
	}
}

// writeTexels stores texels of a target, which is the RAT of the same number.
func (w *wave) writeTexels(s *step) error {
	in := &s.in
	out := newElements(w.count)
	at := make([][2]int, w.count)
	for t := range w.count {
		index := &w.GPR[t][in.get(fieldIndexGPR)]
		at[t] = [2]int{int(index[0]), int(index[1])}
		for c := range out {
			out[c][t] = w.GPR[t][in.get(fieldRWGPR)][c]
		}
	}
	return w.colour(s, in.get(fieldRATID), at, &out)
}

// writeRecords writes the components of COMP_MASK to the record of each vertex in a stream, or each thread in a ring:
// ARRAY_BASE dwords from its beginning, and as many elements as INDEX_GPR says.
func (w *wave) writeRecords(s *step, buffers []Buffer, kind string) error {
	in := &s.in
	if s.buffer >= len(buffers) {
		return faultAt(noMemory, s.slot, in.Name, "there is no %s %d", kind, s.buffer)
	}
	b := &buffers[s.buffer]
	if b.Stride < 0 {
		return faultAt(noMemory, s.slot, in.Name, "%s %d has a stride of %d", kind, s.buffer, b.Stride)
	}
	element := uint64(in.get(fieldElemSize)+1) * 4
	return w.writing(func(t int) error {
		at := uint64(w.number*Threads+t)*uint64(b.Stride) + 4*uint64(in.get(fieldArrayBase))
		if in.get(fieldMemoryType)&1 != 0 {
			index := w.GPR[t][in.get(fieldIndexGPR)][0]
			if index > in.get(fieldArraySize) { // the array ends
				return nil
			}
			at += element * uint64(index)
		}
		w.touch(t, at, int(element*uint64(in.get(fieldBurstCount)+1)))
		for i := range in.get(fieldBurstCount) + 1 {
			for c, v := range w.GPR[t][in.get(fieldRWGPR)+i] {
				if in.get(fieldCompMask)>>c&1 != 0 {
					modify(b.Data, at+4*uint64(c), func(uint32) uint32 { return v })
				}
			}
			at += element
		}
		return nil
	})
}
