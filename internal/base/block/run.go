//go:build linux && amd64 && !purego

package block

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/vector"
)

// Bounds of a run; a longer run is split.
const (
	maxRun    = 64 // number of instructions
	maxMasks  = 8  // lane masks written
	maxSaved  = 24 // VGPRs read and written
	maxSpills = 48 // vectors spilled at a time
	maxLoads  = 12 // number of loads
)

// run is a sequence of vector instructions under one EXEC. It becomes one list of instructions on a vector of lanes,
// which the machine code executes for each strip of so many lanes. VGPRs and lane masks are values of the list;
// results are written once, at the end of the run.
type run struct {
	mode  modeKey
	first int // step of the first instruction
	n     int // number of instructions, at most longest

	longest int
	code    vector.Code
	inputs  []input // registers and constants that are the arguments of code
	vgprs   map[uint32]vector.Value
	masks   map[uint32]vector.Value // lane masks by operand code; a lane has all bits set or none
	// wroteVGPRs and wroteMasks are in the order of their first write.
	wroteVGPRs, wroteMasks []uint32
	read                   map[uint32]bool // VGPRs that were read before they were written
	watch                  vector.Value    // value whose signs are all 0 if the run is right; 0 if there is none
	// fused products that detect each NaN; a product that another one uses is left out
	products  []vector.Value
	loads     []*Load
	addresses []vector.Value // addresses of the loads, without their offsets
	loadsAt   []uint64       // the steps of the loads
	number    int            // number of the first load among the traced accesses
	alive     []bool         // which values of code the results need; set once the run is emitted
	final     bool           // the run cannot fail: no old values are saved
	ends      bool           // the run writes EXEC
	execFrom  uint32         // the mask that is also written to EXEC if ends is set
}

// input is an argument of the list.
type input struct {
	kind inputKind
	code uint32
}

type inputKind uint8

const (
	inVGPR   inputKind = iota
	inScalar           // a scalar register, in all lanes
	inExec             // all bits set in the active lanes
	inMask             // a pair of scalar registers: all bits set in the lanes whose bit is set
)

func newRun(mode modeKey, first, longest int) *run {
	return &run{mode: mode, first: first, longest: longest, vgprs: map[uint32]vector.Value{},
		masks: map[uint32]vector.Value{}, read: map[uint32]bool{}}
}

// input returns an argument and adds it if it is new.
func (r *run) input(kind inputKind, code uint32) vector.Value {
	in := input{kind, code}
	if n := slices.Index(r.inputs, in); n >= 0 {
		for v, i := range r.code.Instrs {
			if i.Op == vector.Arg && int(i.Imm) == n {
				return vector.Value(v)
			}
		}
	}
	r.inputs = append(r.inputs, in)
	return r.code.Arg(len(r.inputs) - 1)
}

// source returns the value of a source.
func (r *run) source(s *Source) (v vector.Value) {
	switch s.Kind {
	case VGPR:
		var known bool
		if v, known = r.vgprs[s.Code]; !known {
			v = r.input(inVGPR, s.Code)
			r.vgprs[s.Code], r.read[s.Code] = v, true
		}
	case SGPR:
		v = r.input(inScalar, s.Code)
	default:
		v = r.code.K(uint32(s.Value))
	}
	if s.Bits != 0 {
		down := vector.ShrBy
		if s.Signed {
			down = vector.SarBy
		}
		v = r.code.Emit(vector.Instr{Op: vector.ShlBy, X: v, Imm: uint32(32 - s.Shift - s.Bits)})
		v = r.code.Emit(vector.Instr{Op: down, X: v, Imm: uint32(32 - s.Bits)})
	}
	if s.Abs {
		v = r.two(vector.And, v, r.code.K(1<<31-1))
	}
	if s.Neg {
		v = r.two(vector.Xor, v, r.code.K(1<<31))
	}
	return v
}

func (r *run) two(op vector.Opcode, x, y vector.Value) vector.Value {
	return r.code.Emit(vector.Instr{Op: op, X: x, Y: y})
}

func (r *run) not(x vector.Value) vector.Value { return r.two(vector.Xor, x, r.code.K(0xffffffff)) }

// mask returns a lane mask.
func (r *run) mask(code uint32) vector.Value {
	v, known := r.masks[code]
	if !known {
		v = r.input(inMask, code)
		r.masks[code] = v
	}
	return v
}

// writeVGPR makes v the value of a VGPR.
func (r *run) writeVGPR(code uint32, v vector.Value) {
	if i := r.code.Instrs[v]; i.Op == vector.Arg && r.inputs[i.Imm].kind == inVGPR {
		v = r.two(vector.And, v, v) // a value in memory may be overwritten before this use
	}
	if !slices.Contains(r.wroteVGPRs, code) {
		r.wroteVGPRs = append(r.wroteVGPRs, code)
	}
	r.vgprs[code] = v
}

// writeMask makes v a lane mask.
func (r *run) writeMask(code uint32, v vector.Value) {
	if !slices.Contains(r.wroteMasks, code) {
		r.wroteMasks = append(r.wroteMasks, code)
	}
	r.masks[code] = v
	if code == gcn.EXEC {
		r.ends, r.execFrom = true, code
	}
}

// accepts reports whether in can be the next instruction.
func (r *run) accepts(in *Vector) bool {
	if r.ends || r.n >= r.longest || len(r.wroteMasks) >= maxMasks || len(r.saved()) >= maxSaved-4 ||
		len(r.loads) >= maxLoads {
		return false
	}
	for i := range in.N {
		if s := &in.Src[i]; s.Kind == SGPR && r.wroteScalar(s.Code) {
			return false
		}
	}
	// A mask that was written is a value only if it is read whole, at the code under which it was written.
	overlaps := func(code uint32) bool {
		_, same := r.masks[code]
		return !same && (r.wroteScalar(code) || r.wroteScalar(code+1))
	}
	return !(in.Masked && overlaps(in.MaskIn)) && !(in.Gives && overlaps(in.MaskOut))
}

// wroteScalar reports whether a scalar register is part of a lane mask that was written.
func (r *run) wroteScalar(code uint32) bool {
	return slices.ContainsFunc(r.wroteMasks, func(m uint32) bool { return code == m || code == m+1 })
}

// saved returns the VGPRs whose old values are needed to execute the instructions again.
func (r *run) saved() (all []uint32) {
	for _, code := range r.wroteVGPRs {
		if r.read[code] {
			all = append(all, code)
		}
	}
	return all
}

// add appends an instruction.
func (r *run) add(in *Vector) {
	r.n++
	var src [4]vector.Value
	for i := range in.N {
		src[i] = r.source(&in.Src[i])
	}
	switch {
	case in.Load != nil:
		r.load(in.Load)
	case in.Op != nil:
		v := in.Op.Body(&r.code, src[0], src[1], src[2])
		if in.Half {
			v = r.two(vector.And, v, r.code.K(0xffff))
		}
		r.writeVGPR(in.Dst, v)
	case in.Wide != nil:
		low, high, carry := in.Wide.Body(&r.code, src[0], src[1], src[2], src[3])
		r.writeVGPR(in.Dst, low)
		r.writeVGPR(in.Dst+1, high)
		if in.Gives {
			r.writeMask(in.MaskOut, carry)
		}
	case in.Float != nil:
		r.writeVGPR(in.Dst, r.float(in.Float, src))
	case in.Select:
		r.writeVGPR(in.Dst, r.code.Emit(vector.Instr{Op: vector.Blend, X: src[0], Y: src[1], Z: r.mask(in.MaskIn)}))
	case in.Carry != nil:
		r.carry(in, src)
	default:
		r.compare(in, src)
	}
}

// suits reports whether machine code computes v correctly in a mode. If the host flushes denormals, an operation that
// does not flush them must not compare them: minima and maxima of two compare numbers as integers, a median compares
// floats.
func (v *Vector) suits(mode modeKey) bool {
	if v.Float == nil || !mode.flushes() {
		return true
	}
	in, _ := v.Float.Flush(mode.mode())
	return in != 0 || v.Float.Extreme && !v.Float.Op.Eight
}

// float returns the result of an operation on floats.
func (r *run) float(f *Float, src [4]vector.Value) vector.Value {
	in, out := f.Flush(r.mode.mode())
	if f.Extreme && r.mode.ieee() {
		r.watchNaNs(src[:f.Op.N])
	}
	if f.Op.Plain != nil && in == out && (in != 0) == r.mode.flushes() {
		from := len(r.code.Instrs)
		v := f.Op.Plain(&r.code, src[0], src[1], src[2])
		r.noteProducts(from)
		return v
	}
	if !f.Extreme && !r.mode.ieee() { // the result may be a signalling NaN
		r.watchNaNs(src[:f.Op.N])
	}
	var flush vector.Flush
	if in != 0 {
		flush.In = r.code.K(in)
	}
	if out != 0 {
		flush.Out = r.code.K(out)
	}
	return f.Op.Full(&r.code, flush, src[0], src[1], src[2])
}

// unordered is the predicate of VCMPPS that holds if an operand is a NaN.
const unordered = 3

// watchNaNs makes the run wrong if one of values is a NaN.
func (r *run) watchNaNs(values []vector.Value) {
	for len(values) > 0 {
		x, y := values[0], values[min(1, len(values)-1)]
		values = values[min(2, len(values)):]
		v := r.code.Emit(vector.Instr{Op: vector.ComparePS, X: x, Y: y, Imm: unordered})
		if r.watch != 0 {
			v = r.two(vector.Or, r.watch, v)
		}
		r.watch = v
	}
}

// noteProducts records the fused products of the list, from instruction from on, that are in notes: MXCSR does not
// show a NaN among their operands. A product that another one uses is left out, since the other one shows the NaN.
func (r *run) noteProducts(from int) {
	for _, note := range r.code.Instrs[from:] {
		i := r.code.Instrs[note.X]
		if note.Op != vector.NoteFinite || i.Op != vector.FMA {
			continue
		}
		r.products = slices.DeleteFunc(r.products, func(v vector.Value) bool { return v == i.X || v == i.Y || v == i.Z })
		r.products = append(r.products, note.X)
	}
}

func (r *run) carry(in *Vector, src [4]vector.Value) {
	var sum, out vector.Value
	if in.Masked {
		sum, out = in.Carry.With(&r.code, src[0], src[1], r.mask(in.MaskIn))
		out = r.code.Emit(vector.Instr{Op: vector.SarBy, X: out, Imm: 31})
	} else {
		sum, out = in.Carry.Without(&r.code, src[0], src[1])
		out = r.not(out)
	}
	r.writeVGPR(in.Dst, sum)
	if in.Gives {
		r.writeMask(in.MaskOut, out)
	}
}

func (r *run) compare(in *Vector, src [4]vector.Value) {
	c, v := in.Compare, r.code.K(0)
	invert := c.Invert
	if c.Op != nil {
		a, b := c.Op.Operand(&r.code, src[0], 0), c.Op.Operand(&r.code, src[1], 0) // MXCSR flushes denormals
		if c.Swap {
			a, b = b, a
		}
		v = c.Op.Holds(&r.code, a, b)
		invert = invert != c.Op.Inverted
	}
	if invert {
		v = r.not(v)
	}
	r.writeMask(in.MaskOut, v)
	if in.Exec {
		r.ends, r.execFrom = true, in.MaskOut
	}
}

// isChecked reports whether the results of the run are right only if the host raised no exception.
func (r *run) isChecked(live []bool) bool {
	for v, i := range r.code.Instrs {
		switch i.Op {
		case vector.AddPS, vector.SubPS, vector.MulPS, vector.FMA:
			if live[v] {
				return true
			}
		}
	}
	return false
}

// fold replaces instructions on constants by their results, because lists are written for unknown operands.
func (r *run) fold() {
	list := r.code.Instrs
	same := make([]vector.Value, len(list)) // the value equal to value i, often i itself
	for v := range list {
		i := &list[v]
		i.X, i.Y, i.Z = same[i.X], same[i.Y], same[i.Z]
		same[v] = vector.Value(v)
		x, y := list[i.X], list[i.Y]
		value := constantOf[i.Op]
		known := value != nil && x.Op == vector.Const
		if i.Y == 0 && known { // a shift by a constant
			*i = vector.Instr{Op: vector.Const, Imm: value(x.Imm, i.Imm)}
		}
		if i.X == 0 || i.Y == 0 || i.Z != 0 {
			continue
		}
		if commutes[i.Op] && x.Op == vector.Const && y.Op != vector.Const {
			i.X, i.Y, x, y, known = i.Y, i.X, y, x, false
		}
		if y.Op != vector.Const {
			continue
		}
		k := y.Imm
		switch by := shiftBy[i.Op]; {
		case known:
			*i = vector.Instr{Op: vector.Const, Imm: value(x.Imm, k)}
		case i.Op == vector.And && k == 0 || (i.Op == vector.Shl || i.Op == vector.Shr) && k >= 32:
			*i = vector.Instr{Op: vector.Const}
		case i.Op == vector.And && k == 0xffffffff && i.X != i.Y || k == 0 && isNeutral[i.Op]:
			same[v] = i.X
		case by != 0:
			*i = vector.Instr{Op: by, X: i.X, Imm: min(k, 31)}
		}
	}
	// A value equal to a VGPR is read before that VGPR is written, unless it is a result.
	result := func(v vector.Value) vector.Value {
		if list[same[v]].Op == vector.Arg {
			return v
		}
		return same[v]
	}
	for _, of := range [...]map[uint32]vector.Value{r.vgprs, r.masks} {
		for code, v := range of {
			of[code] = result(v)
		}
	}
	for code, v := range r.masks { // only their signs are used
		if i := list[v]; i.Op == vector.SarBy {
			r.masks[code] = i.X
		}
	}
	if r.watch != 0 {
		r.watch = result(r.watch)
	}
}

// Properties of instructions on two vectors, for fold: whether the operands can be swapped, whether the result is the
// left operand if the right one is 0, and the result for constants.
var (
	commutes = [numOpcodes]bool{vector.Add: true, vector.And: true, vector.Or: true, vector.Xor: true}

	isNeutral = [numOpcodes]bool{
		vector.Add: true, vector.Sub: true, vector.Or: true, vector.Xor: true, vector.AndNot: true,
		vector.Shl: true, vector.Shr: true, vector.Sar: true,
	}

	constantOf = [numOpcodes]func(x, y uint32) uint32{
		vector.Add: func(x, y uint32) uint32 { return x + y },
		vector.Sub: func(x, y uint32) uint32 { return x - y },
		vector.And: func(x, y uint32) uint32 { return x & y },
		vector.Or:  func(x, y uint32) uint32 { return x | y },
		vector.Xor: func(x, y uint32) uint32 { return x ^ y },
		vector.Shl: func(x, y uint32) uint32 { return x << y },
		vector.Shr: func(x, y uint32) uint32 { return x >> y },
		vector.Sar: func(x, y uint32) uint32 { return uint32(int32(x) >> y) },

		vector.ShlBy: func(x, y uint32) uint32 { return x << y },
		vector.ShrBy: func(x, y uint32) uint32 { return x >> y },
		vector.SarBy: func(x, y uint32) uint32 { return uint32(int32(x) >> y) },
		vector.Greater: func(x, y uint32) uint32 {
			if int32(x) > int32(y) {
				return 0xffffffff
			}
			return 0
		},
	}
)

// shiftBy maps a shift to the shift by a constant.
var shiftBy = [numOpcodes]vector.Opcode{
	vector.Shl: vector.ShlBy, vector.Shr: vector.ShrBy, vector.Sar: vector.SarBy,
}

// needed returns which values the results need.
func (r *run) needed() []bool {
	live := make([]bool, len(r.code.Instrs))
	for v, i := range r.code.Instrs {
		live[v] = i.Op == placesOf
	}
	for _, v := range r.results() {
		live[v] = true
	}
	for v := len(live) - 1; v > 0; v-- {
		if i := r.code.Instrs[v]; live[v] {
			live[i.X], live[i.Y], live[i.Z] = true, true, true
		}
	}
	return live
}

// results returns the values that the run writes or watches, in that order.
func (r *run) results() (all []vector.Value) {
	if r.watch != 0 {
		all = append(all, r.watch)
	}
	for _, code := range r.wroteMasks {
		all = append(all, r.masks[code])
	}
	for _, code := range r.wroteVGPRs {
		all = append(all, r.vgprs[code])
	}
	return all
}
