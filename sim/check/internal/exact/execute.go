package exact

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// Registers are the symbolic values in a wave's registers. A VGPR has one word for all lanes, which is a constant if
// all lanes have the same value. SCC is a [Condition].
type Registers struct {
	// At identifies the point of the program where these are the values. An unknown value is named by At, its
	// register, and the instruction that wrote it. Two points whose unknown values may differ must have different
	// numbers.
	At  uint64
	all [registers.NumRegs]Word // None is a register that was not used yet
}

// Instruction has the properties of an instruction that [Evaluator.Execute] needs.
type Instruction struct {
	PC      uint64
	Inst    *isa.Inst
	Effects []isa.Effect
	Execute executor.Exec // nil if the instruction is not executed
	SGPRs   int           // number of SGPRs of the wave, see [registers.Reg.Canonical]
}

// Evaluator executes instructions on [Registers].
type Evaluator struct {
	*Words
	wave   *state.Wave
	ports  executor.Ports
	access state.Access
	inputs []input
	order  []int   // for each effect that reads, its index in inputs
	bits   []input // the inputs that are not constant
	left   []result
}

// input is a value that an effect reads.
type input struct {
	first registers.Reg
	words [maxDwords]Word
	n     int
}

// result is a register that an effect writes.
type result struct {
	reg    registers.Reg // not canonical
	effect *isa.Effect
	dword  int
	word   Word
}

const (
	maxDwords = 16
	scc       = registers.FlagRegs + registers.Reg(isa.FlagSCC)
)

// NewEvaluator returns an evaluator for a processor.
func NewEvaluator(t gcn.Target) *Evaluator {
	return &Evaluator{Words: NewWords(), wave: state.NewWave(t, state.MaxVGPRs)}
}

// Reset forgets all words, and prepares e for a processor.
func (e *Evaluator) Reset(t gcn.Target) {
	e.Words = NewWords()
	e.wave.Reset(t)
}

// Get returns the value of a register, which must be canonical.
func (w *Words) Get(r *Registers, at registers.Reg) Word {
	if r.all[at] == None {
		r.all[at] = w.own(r, at)
	}
	return r.all[at]
}

// own returns the initial unknown word of a register.
func (w *Words) own(r *Registers, at registers.Reg) Word {
	key := owned{r.At, at}
	a, ok := w.owned[key]
	if !ok {
		a = w.unknown(at == scc)
		w.owned[key] = a
	}
	return a
}

// owned identifies the initial value of a register at a point of the program.
type owned struct {
	at  uint64
	reg registers.Reg
}

// Mask returns the value of a pair of registers.
func (w *Words) Mask(r *Registers, first registers.Reg) Mask {
	return Mask{w.Get(r, first), w.Get(r, first+1)}
}

// Set sets a register.
func (r *Registers) Set(at registers.Reg, value Word) { r.all[at] = value }

// SetMask sets a pair of registers.
func (r *Registers) SetMask(first registers.Reg, m Mask) { r.all[first], r.all[first+1] = m[0], m[1] }

// Join keeps the values that r's registers also have on another path. Others become unknown. A loop path that returns
// to r.At with the initial value of a scalar register does not change that register.
func (w *Words) Join(r, other *Registers) {
	for i, a := range r.all {
		switch b := other.all[i]; {
		case a == b:
		case i < int(registers.ScalarRegs):
			r.all[i] = None
		default:
			if own := w.own(r, registers.Reg(i)); b != own {
				r.all[i] = own
			}
		}
	}
}

// merge is a VGPR's value that has one value in some lanes and another one in the others.
type merge struct {
	inside, outside Word
	lanes           Mask
}

// merge returns the word of m.
func (w *Words) merge(m merge) Word {
	if m.inside == m.outside {
		return m.inside
	}
	a := w.Named(nameMerge, uint64(m.inside), uint64(m.outside), uint64(m.lanes[0]), uint64(m.lanes[1]))
	w.merges[a] = m
	return a
}

// Choices calls do for the values that lanes of a VGPR with value a may have, or that a may have under conditions, as
// far as they are distinguished.
func (w *Words) Choices(a Word, do func(Word)) {
	seen := map[Word]bool{}
	var visit func(a Word)
	visit = func(a Word) {
		m, isMerge := w.merges[a]
		of, isPicked := w.picked[a]
		switch n := w.nodes[a]; {
		case seen[a]:
			return
		case isMerge:
			visit(m.inside)
			visit(m.outside)
		case isPicked:
			visit(of)
		case n.unknown < 0:
			visit(n.no)
			visit(n.yes)
		default:
			do(a)
		}
		seen[a] = true
	}
	visit(a)
}

// InLanes returns a value of a VGPR with value a that is valid in some lanes. It may be more precise than a.
func (w *Words) InLanes(a Word, lanes Mask) Word {
	for {
		m, ok := w.merges[a]
		switch {
		case ok && w.Within(lanes, m.lanes):
			a = m.inside
		case ok && w.Apart(lanes, m.lanes):
			a = m.outside
		default:
			return a
		}
	}
}

// Execute executes an instruction on r.
func (e *Evaluator) Execute(x *Instruction, r *Registers) {
	all := e.Mask(r, registers.EXEC)
	lanes := e.KnownMask(all)
	e.results(x)
	if !isComputed(x.Inst) || !e.read(x, r, lanes) || !e.compute(x) {
		for i := range e.left {
			to := &e.left[i]
			to.word = e.named(to.reg == scc, []uint64{nameLeft, r.At, x.PC, uint64(to.reg)})
		}
	}
	for i := range e.left {
		to := &e.left[i]
		at := to.reg.Canonical(x.SGPRs)
		switch f := to.effect; {
		case f.File == isa.VReg && f.Lanes == isa.ActiveLanes && lanes != Mask{Ones, Ones}:
			to.word = e.merge(merge{to.word, e.Get(r, at), lanes})
		case isVector(x.Inst) && f.File == isa.SReg && f.Dwords == 2: // inactive lanes get 0
			to.word = e.And(to.word, all[to.dword])
		}
		r.Set(at, to.word)
	}
}

// Taken returns the condition under which a branch is taken. ok is false if it is unknown.
func (e *Evaluator) Taken(x *Instruction, r *Registers) (c Condition, ok bool) {
	row := x.Inst.Row()
	if x.Execute == nil || !row.Has(isa.Branch) {
		return None, false
	}
	isTaken := func(bit uint32) bool {
		e.wave.PC, e.wave.SCC = x.PC+uint64(x.Inst.Size), bit
		e.wave.SetScalar64(gcn.VCC, uint64(bit))
		e.wave.SetExec(uint64(bit))
		return x.Execute(e.wave, &e.ports, x.Inst, &e.access) == nil && e.wave.PC != x.PC+uint64(x.Inst.Size)
	}
	switch {
	case row.Has(isa.ReadsSCC):
		c = e.Get(r, scc)
	case row.Has(isa.ReadsVCCZ):
		m := e.Mask(r, registers.VCC)
		c = e.Nonzero(m[0], m[1])
	case row.Has(isa.ReadsEXECZ):
		m := e.Mask(r, registers.EXEC)
		c = e.Nonzero(m[0], m[1])
	default:
		return None, false
	}
	switch one, zero := isTaken(1), isTaken(0); {
	case one == zero:
		return None, false
	case zero:
		c = e.Not(c)
	}
	return c, true
}

// isVector reports whether an instruction is executed for each lane.
func isVector(in *isa.Inst) bool { return in.Row().Enc >= isa.VOP1 && in.Row().Enc != isa.SMEM }

// isComputed reports whether the results of an instruction only depend on the registers that it names.
func isComputed(in *isa.Inst) bool {
	r := in.Row()
	switch r.Enc {
	case isa.SOP1, isa.SOP2, isa.SOPC, isa.SOPK, isa.VOP1, isa.VOP2, isa.VOP3A, isa.VOP3B, isa.VOP3P, isa.VOPC:
	default:
		return false
	}
	for _, t := range r.Sig.Src {
		if t.Info().Float { // MODE matters, too
			return false
		}
	}
	return r.Mem.Op == gcn.NoMem && in.Get(isa.SRC0) != isa.LDSDirect && r.Control == isa.NoControl &&
		!r.Has(isa.Jumps) && !r.Has(isa.Branch) && !r.Has(isa.WritesMODE) && !r.Has(isa.WritesTRAPSTS) &&
		!r.Has(isa.WritesM0) && !registers.Moves(in) && (r.Imm != isa.HwregImm || r.Sig.Dst != isa.None)
}

// results sets e.left to the result registers of x.
func (e *Evaluator) results(x *Instruction) {
	e.left = e.left[:0]
	for i := range x.Effects {
		f := &x.Effects[i]
		first, n := registers.Span(f)
		for k := range n {
			if f.Write {
				e.left = append(e.left, result{first + registers.Reg(k), f, k, None})
			}
		}
	}
}

// read sets e.inputs and e.bits to the inputs of x. It returns false if x has an input without a word.
func (e *Evaluator) read(x *Instruction, r *Registers, lanes Mask) bool {
	e.inputs, e.order, e.bits = e.inputs[:0], e.order[:0], e.bits[:0]
	each := isLaneByLane(x)
	for i := range x.Effects {
		f := &x.Effects[i]
		first, n := registers.Span(f)
		// it overwrites the register completely
		if f.Write && (f.Bytes == 0xf && !x.Inst.Has(isa.DPPCTRL) || f.File != isa.VReg) ||
			each && f.Role == isa.RoleExec {
			continue
		}
		if n > maxDwords || f.File == isa.FlagReg && first < registers.FlagRegs { // VCCZ and EXECZ
			return false
		}
		in := input{first: first, n: n}
		known := true
		for k := range n {
			a := e.Get(r, (first + registers.Reg(k)).Canonical(x.SGPRs))
			switch {
			case each && f.File == isa.VReg:
				a = e.InLanes(a, lanes)
			case isVector(x.Inst):
				a = e.Known(a)
			}
			_, constant := e.Number(a)
			in.words[k], known = a, known && constant
		}
		at := slices.Index(e.inputs, in)
		if at < 0 {
			at, e.inputs = len(e.inputs), append(e.inputs, in)
		}
		e.order = append(e.order, at)
		if !known && !slices.Contains(e.bits, in) {
			e.bits = append(e.bits, in)
		}
	}
	return true
}

// isLaneByLane reports whether each lane of the results only depends on the same lane of the sources.
func isLaneByLane(x *Instruction) bool {
	if !isVector(x.Inst) {
		return false
	}
	for i := range x.Effects {
		if f := &x.Effects[i]; f.File == isa.VReg && f.Lanes != isa.ActiveLanes {
			return false
		}
	}
	return !x.Inst.Has(isa.DPPCTRL)
}

// compute computes the results of x from the inputs in e. ok is false if nothing is known about them.
func (e *Evaluator) compute(x *Instruction) (ok bool) {
	r := x.Inst.Row()
	switch {
	case len(e.bits) == 0 && !x.Inst.Has(isa.DPPCTRL) && e.runs(x, 0):
		return true
	case r.Imm == isa.HwregImm:
		return false
	case e.combines(x), e.chooses(x):
		return true
	case r.Cond != 0 && !isVector(x.Inst) && e.compare(x):
		return true
	}
	e.depend(x)
	return true
}

// runs executes x with constants: input n of e.bits is all ones if bit n of some is set, and 0 otherwise. It returns
// false if the results differ between lanes.
func (e *Evaluator) runs(x *Instruction, some int) bool {
	if x.Execute == nil {
		return false
	}
	w := e.wave
	w.SetExec(state.FullExec)
	for i := range e.inputs {
		in := &e.inputs[i]
		at := slices.Index(e.bits, *in)
		for k := range in.n {
			n, _ := e.Number(in.words[k])
			if at >= 0 {
				n = -uint32(some >> at & 1)
			}
			e.set(in.first+registers.Reg(k), n)
		}
	}
	w.PC = x.PC + uint64(x.Inst.Size)
	if x.Execute(w, &e.ports, x.Inst, &e.access) != nil {
		return false
	}
	for i := range e.left {
		n, ok := e.get(e.left[i].reg)
		if !ok {
			return false
		}
		e.left[i].word = e.Constant(n)
	}
	return true
}

// set sets a register of the wave, in all lanes.
func (e *Evaluator) set(r registers.Reg, n uint32) {
	switch w := e.wave; {
	case r < registers.ScalarRegs:
		lanes := &w.V[r]
		for lane := range lanes {
			lanes[lane] = n
		}
	case r < registers.FlagRegs:
		w.S[r-registers.ScalarRegs] = n
	case r == scc:
		w.SCC = n & 1
	}
}

// get returns the value that an instruction wrote to a register. ok is false if it differs between lanes.
func (e *Evaluator) get(r registers.Reg) (n uint32, ok bool) {
	switch w := e.wave; {
	case r < registers.ScalarRegs:
		lanes := &w.V[r]
		return lanes[0], !slices.ContainsFunc(lanes[1:], func(n uint32) bool { return n != lanes[0] })
	case r < registers.FlagRegs:
		return w.S[r-registers.ScalarRegs], true
	default:
		return -w.SCC, r == scc
	}
}

// combines computes the results of x if x combines its sources bit by bit. It executes x on zeros and ones.
func (e *Evaluator) combines(x *Instruction) bool {
	const most = 3 // greatest number of sources
	r := x.Inst.Row()
	if !isBitwise(x) || len(e.bits) > most || e.overlap() {
		return false
	}
	var table [1 << most][]result
	for some := range 1 << len(e.bits) {
		if !e.runs(x, some) {
			return false
		}
		table[some] = slices.Clone(e.left)
	}
	var words []Word
	for i := range e.left {
		to := &e.left[i]
		if to.reg == scc {
			continue
		}
		to.word = e.pick(len(e.bits), to.dword, func(some int) Word { return table[some][i].word })
		if !r.Has(isa.WritesEXEC) || to.reg&^1 == registers.EXEC {
			words = append(words, to.word)
		}
	}
	for i := range e.left {
		if e.left[i].reg == scc {
			e.left[i].word = e.Nonzero(words...)
		}
	}
	return true
}

// pick selects results by the first n of e.bits: result m is used where exactly the inputs in bit set m have their
// bit set.
func (e *Evaluator) pick(n, dword int, result func(some int) Word) Word {
	if n == 0 {
		return result(0)
	}
	in := &e.bits[n-1]
	yes := func(some int) Word { return result(some | 1<<(n-1)) }
	return e.Choose(in.words[min(dword, in.n-1)], e.pick(n-1, dword, yes), e.pick(n-1, dword, result))
}

// overlap reports whether two of e.bits share a register, or have different lengths and are not conditions.
func (e *Evaluator) overlap() bool {
	for i := range e.bits {
		a := &e.bits[i]
		for k := range i {
			b := &e.bits[k]
			if a.first < b.first+registers.Reg(b.n) && b.first < a.first+registers.Reg(a.n) ||
				a.n != b.n && a.first != scc && b.first != scc {
				return true
			}
		}
	}
	return false
}

// isBitwise reports whether bit n of each result of x except SCC only depends on bit n of the sources and on SCC.
func isBitwise(x *Instruction) bool {
	r, each := x.Inst.Row(), isLaneByLane(x)
	if isVector(x.Inst) && (!each || isModified(x)) {
		return false
	}
	switch r.Flow[0] {
	case isa.FlowCopy, isa.FlowXor, isa.FlowAnd, isa.FlowAndNot, isa.FlowNotAnd, isa.FlowOr, isa.FlowOrNot,
		isa.FlowNotOr:
	case isa.FlowSelect:
		return !each
	case isa.FlowInsert:
	default:
		return false
	}
	switch r.Flow[1] {
	case isa.FlowAny, isa.FlowXor, isa.FlowAnd, isa.FlowOr:
		return true
	}
	return false
}

// chooses computes the result of v_cndmask_b32.
func (e *Evaluator) chooses(x *Instruction) bool {
	if x.Inst.Row().Flow[0] != isa.FlowSelect || !isLaneByLane(x) || isModified(x) {
		return false
	}
	second := isa.SRC1
	if !x.Inst.Has(second) {
		second = isa.VSRC1
	}
	no, ok := e.source(x, isa.SRC0, 0)
	yes, too := e.source(x, second, 1)
	mask := slices.IndexFunc(x.Effects, func(f isa.Effect) bool { return f.Role == isa.RoleMask })
	if !ok || !too || mask < 0 {
		return false
	}
	first, _ := registers.Span(&x.Effects[mask])
	in := &e.inputs[slices.IndexFunc(e.inputs, func(in input) bool { return in.first == first })]
	e.left[0].word = e.merge(merge{yes[0], no[0], e.KnownMask(Mask(in.words[:2]))})
	return true
}

// isModified reports whether a vector instruction modifies its sources or results, or uses bytes of them.
func isModified(x *Instruction) bool {
	in := x.Inst
	return in.Enc >= isa.VOP1SDWA || in.Get(isa.ABS)|in.Get(isa.NEG)|in.Get(isa.CLAMP)|in.Get(isa.OMOD) != 0 ||
		slices.ContainsFunc(x.Effects, func(f isa.Effect) bool { return f.Bytes != 0xf })
}

// compare computes SCC for a comparison.
func (e *Evaluator) compare(x *Instruction) bool {
	r := x.Inst.Row()
	a, ok := e.source(x, isa.SSRC0, 0)
	b, too := e.source(x, isa.SSRC1, 1)
	if x.Inst.Enc == isa.SOPK {
		n := x.Inst.Get(isa.SIMM16)
		if r.Sig.Src[1] == isa.I16 {
			n = uint32(int32(int16(n))) //nolint:gosec // sign-extended
		}
		a, ok = e.source(x, isa.SDST, 0)
		b, too = []Word{e.Constant(n)}, true
	}
	if !ok || !too {
		return false
	}
	less := func(a, b []Word) Condition {
		name := []uint64{nameLess, uint64(r.Sig.Src[0])}
		for _, w := range append(slices.Clip(a), b...) {
			name = append(name, uint64(w))
		}
		return e.named(true, name)
	}
	var c Condition
	switch r.Cond {
	case isa.CondEqual:
		c = e.Equal(a, b)
	case isa.CondUnequal:
		c = e.Not(e.Equal(a, b))
	case isa.CondLess:
		c = less(a, b)
	case isa.CondGreater:
		c = less(b, a)
	case isa.CondLessEqual:
		c = e.Not(less(b, a))
	case isa.CondGreaterEqual:
		c = e.Not(less(a, b))
	default:
		return false
	}
	e.left[0].word = c
	return true
}

// source returns source n of x, from a field. ok is false if it is neither a register nor a constant.
func (e *Evaluator) source(x *Instruction, f isa.Field, n int) (words []Word, ok bool) {
	t := x.Inst.Row().Sig.Src[n]
	dwords, code := t.Info().Dwords, x.Inst.Get(f)
	for i := range x.Effects {
		if g := &x.Effects[i]; g.Named && !g.Write && g.Field == f {
			first, _ := registers.Span(g)
			at := slices.IndexFunc(e.inputs, func(in input) bool { return in.first == first })
			return e.inputs[at].words[:dwords], true
		}
	}
	if code == isa.SCC || code == isa.VCCZ || code == isa.EXECZ {
		return nil, false
	}
	c := executor.Source64(e.wave, code, x.Inst.Get(isa.LITERAL), t)
	return []Word{e.Constant(uint32(c)), e.Constant(uint32(c >> 32))}[:dwords], true
}

// Loaded returns the dword of constant memory at base + off.
func (w *Words) Loaded(base Mask, off uint32) Word {
	return w.Named(nameLoaded, uint64(base[0]), uint64(base[1]), uint64(off))
}

// depend names the results of x by the values on which they depend.
func (e *Evaluator) depend(x *Instruction) {
	bare := *x.Inst // without the register numbers
	for i := range x.Effects {
		if f := &x.Effects[i]; f.Named {
			if other, err := bare.Set(f.Field, 0); err == nil {
				bare = other
			}
		}
	}
	for i := range e.left {
		to := &e.left[i]
		name := []uint64{nameResult, uint64(bare.Op), uint64(bare.Enc), bare.Words, uint64(to.effect.File), uint64(to.dword)}
		for _, k := range e.order {
			for _, a := range e.inputs[k].words[:e.inputs[k].n] {
				name = append(name, uint64(a))
			}
		}
		to.word = e.named(to.reg == scc, name)
		if to.effect.File == isa.SReg && isVector(x.Inst) && x.Inst.Row().Flow[0] == isa.FlowCopy {
			for _, k := range e.order {
				if in := &e.inputs[k]; in.first < registers.ScalarRegs {
					e.picked[to.word] = in.words[0]
				}
			}
		}
	}
}
