package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Outcomes watches runs of one program and records the outcomes of its comparisons: compares, class tests, minima,
// maxima, medians and branches. Code must be at the same addresses in each run.
type Outcomes struct {
	sim.NoWatcher

	// Operands has values that comparisons of the last run have read: in the first active lane, for the first maxTurns
	// executions of each comparison.
	Operands map[ComparedAt]Compared
	// Idle is the number of runs since the last run with a new outcome.
	Idle int

	sites  map[uint64]*comparer // by address; nil for an instruction that does not compare
	branch *comparer            // the branch that executes, nil for another instruction
	loads  bitmap               // pages that at least one run has loaded from
	base   uint64               // base of PCs in the file of the code object
}

// loadPage is the page size of Outcomes.loads in bytes. Buffers begin at multiples of it, or far from each other.
const loadPage = 256

// Loads reports whether a run has loaded from a buffer.
func (o *Outcomes) Loads(b *sim.Buffer) bool {
	return o.loads.count(b.Addr/loadPage, (b.Addr+b.Size-1)/loadPage+1) > 0
}

// Retire is part of [sim.Watcher].
func (o *Outcomes) Retire(e *sim.Event) {
	a, lanes := e.Access, e.Access.Exec
	if c := o.branch; c != nil {
		way := taken
		if e.Wave.PC == e.PC+uint64(e.Inst.Size) {
			way = isa.CondLess
		}
		o.see(c, 0, way)
	}
	if a.Op == gcn.NoMem || a.Op == gcn.Store || a.Space != state.Global {
		return
	}
	if a.Scalar {
		lanes = 1
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		o.loads.set(a.At(0, bits.TrailingZeros64(lanes))/loadPage, 1)
	}
}

// ComparedAt is one execution of a comparison, and the pair of sources.
type ComparedAt struct {
	PC         uint64
	Turn, Pair int
}

// Compared is a pair of compared values.
type Compared struct {
	Values [2]uint64
	Type   isa.Type
}

// Maximum numbers of executions per comparison and run: for Operands, and for outcomes.
const maxTurns, maxOutcomeTurns = 4, 128

// comparer is an instruction that compares, with the outcomes so far.
type comparer struct {
	in      isa.Inst
	cond    isa.Cond // outcomes that count as true; the others count as false
	wanted  isa.Cond // outcomes that a test needs to detect a wrong condition
	sources []isa.Operand
	pairs   [][2]int
	seen    []isa.Cond // outcomes of all runs, by pair
	turns   int        // executions in the last run
}

// taken is the outcome of a taken branch.
const taken = isa.CondEqual

// CondApart is the outcome of comparing two integers whose order depends on whether they are signed or unsigned.
const CondApart = isa.CondClass << 1

// isBranch reports whether an instruction is a conditional branch. A branch on EXECZ does not count: the code that it
// skips would have no effect.
func isBranch(in *isa.Inst) bool {
	return in.Row().Has(isa.Branch) && slices.ContainsFunc(in.Effects(nil), func(f isa.Effect) bool {
		return f.File == isa.FlagReg && f.Role == isa.RoleBranch && isa.Flag(f.Code) != isa.FlagEXECZ
	})
}

// comparerOf returns a comparer for an instruction, or nil if it does not compare or always has the same result.
func comparerOf(in *isa.Inst) *comparer {
	const unequal, ordered = isa.CondUnequal, isa.CondUnequal | isa.CondEqual
	row := in.Row()
	if isBranch(in) {
		return &comparer{in: *in, cond: taken, seen: make([]isa.Cond, 1)}
	}
	c := &comparer{in: *in, cond: row.Cond, sources: sourcesOf(in), pairs: [][2]int{{0, 1}, {0, 2}, {1, 2}}}
	if row.Has(isa.Chooses) {
		c.cond = isa.CondLess
	}
	if c.cond == 0 || c.cond&(ordered|isa.CondUnordered) == ordered|isa.CondUnordered || len(c.sources) < 2 {
		return nil
	}
	if len(c.sources) == 2 {
		c.pairs = c.pairs[:1]
	}
	c.seen = make([]isa.Cond, len(c.pairs))
	orders := c.cond&unequal != 0 && c.cond&unequal != unequal
	switch t := c.sources[0].Type; {
	case t.Info().Float && c.cond != isa.CondClass:
		c.wanted = isa.CondUnordered
	case orders && (isSigned(t) || t == isa.U16 || t == isa.U32 || t == isa.U64):
		c.wanted = CondApart
	}
	if orders && !row.Has(isa.Chooses) {
		c.wanted |= ordered
	}
	return c
}

// isSigned reports whether t is a type of signed integers.
func isSigned(t isa.Type) bool { return t == isa.I16 || t == isa.I32 || t == isa.I64 }

// sourcesOf returns the sources of an ALU instruction, with their types.
func sourcesOf(in *isa.Inst) (all []isa.Operand) {
	row := in.Row()
	for _, o := range in.Operands(nil) {
		if n := len(all); o.Read && n < row.Sig.NumSrc {
			o.Type = row.Sig.Src[n]
			all = append(all, o)
		}
	}
	if row.Enc == isa.SOPK && len(all) > 0 {
		all = append(all[:1], isa.Operand{Field: isa.SIMM16, Type: row.Sig.Src[0]})
	}
	return all
}

// Unseen is an outcome that a comparison or branch never had, although the instruction executed.
type Unseen struct {
	PC    jsonout.Address `json:"pc"` // address in the file
	Text  string          `json:"text"`
	Never string          `json:"never"` // the missing outcome: "true", "taken", "with S0 < S1", "equal"
	Rank  int             `json:"-"`     // higher for outcomes that hide fewer compiler mistakes
}

// String returns the mnemonic, the address and the outcome.
func (u *Unseen) String() string {
	name, _, _ := strings.Cut(u.Text, " ")
	return fmt.Sprintf("%s at %#x never %s", name, uint64(u.PC), u.Never)
}

// unseenNames has the outcomes of comparer.wanted, by rank, and their names.
var unseenNames = []struct {
	outcome isa.Cond
	name    string
}{{CondApart, "in another order as unsigned"}, {isa.CondUnordered, "of a NaN"}, {isa.CondEqual, "equal"},
	{isa.CondLess, "less"}, {isa.CondGreater, "greater"}}

// Ways returns the number of comparisons and branches that have executed. oneWay has those that always had the same
// result, in the order of the code. unseen has the missing outcomes of the others.
func (o *Outcomes) Ways() (all int, oneWay, unseen []Unseen) {
	pcs := slices.Sorted(maps.Keys(o.sites))
	of := func(pc uint64, never string, rank int) Unseen {
		return Unseen{jsonout.Address(pc - o.base), asm.Format(gcn.Inst(o.sites[pc].in), asm.LLVM), never, rank}
	}
	for _, pc := range pcs {
		c := o.sites[pc]
		if c == nil {
			continue
		}
		all++
		if !c.both() {
			oneWay = append(oneWay, of(pc, c.never(), 0))
		}
	}
	for rank, u := range unseenNames {
		for _, pc := range pcs {
			c := o.sites[pc]
			if c == nil || !c.both() || c.missing()&u.outcome == 0 {
				continue
			}
			if u.outcome == CondApart && !isSigned(c.sources[0].Type) {
				u.name = strings.Replace(u.name, " unsigned", " signed", 1)
			}
			unseen = append(unseen, of(pc, u.name, rank))
		}
	}
	return all, oneWay, unseen
}

// missing returns the wanted outcomes that no pair of a comparison had.
func (c *comparer) missing() isa.Cond {
	var seen isa.Cond
	for _, s := range c.seen {
		seen |= s
	}
	return c.wanted &^ seen
}

// Lacks returns the outcomes that the comparison at has not had in any run.
func (o *Outcomes) Lacks(at ComparedAt) isa.Cond {
	c := o.sites[at.PC]
	if !c.both() && c.isOneWay(c.seen[at.Pair]) {
		return isa.CondEqual | c.missing()
	}
	return c.missing()
}

// isOneWay reports whether a pair with the outcomes seen was always true or always false.
func (c *comparer) isOneWay(seen isa.Cond) bool {
	seen &^= CondApart
	return seen&c.cond == 0 || seen&^c.cond == 0
}

// both reports whether an instruction was both true and false. For a median, two of the three pairs suffice: the two
// bounds of a range always have the same order.
func (c *comparer) both() bool {
	missing := 0
	for _, seen := range c.seen {
		if c.isOneWay(seen) {
			missing++
		}
	}
	return missing <= max(len(c.seen)-2, 0)
}

// never returns the name of the missing result, true or false, of the first pair that always had the same result.
func (c *comparer) never() string {
	p := slices.IndexFunc(c.seen, c.isOneWay)
	ways := [2]string{"true", "false"}
	switch {
	case c.pairs == nil:
		ways = [2]string{"taken", "passed"}
	case c.in.Row().Has(isa.Chooses):
		a, b := c.pairs[p][0], c.pairs[p][1]
		ways = [2]string{fmt.Sprintf("with S%d < S%d", a, b), fmt.Sprintf("with S%d > S%d", a, b)}
	}
	if c.seen[p]&c.cond == 0 {
		return ways[0]
	}
	return ways[1]
}

// Needs is part of [sim.Watcher].
func (o *Outcomes) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

// Start is part of [sim.Watcher].
func (o *Outcomes) Start(r *sim.Run) error {
	o.Idle++
	o.Operands, o.base = map[ComparedAt]Compared{}, r.Launch.Module.Base
	if o.sites == nil {
		o.sites = map[uint64]*comparer{}
	}
	for _, c := range o.sites {
		if c != nil {
			c.turns = 0
		}
	}
	return nil
}

// see records an outcome of a pair.
func (o *Outcomes) see(c *comparer, pair int, outcome isa.Cond) {
	if c.seen[pair]|outcome != c.seen[pair] {
		c.seen[pair] |= outcome
		o.Idle = 0
	}
}

// Issue is part of [sim.Watcher].
func (o *Outcomes) Issue(e *sim.Event) {
	c, known := o.sites[e.PC]
	if !known {
		c = comparerOf((*isa.Inst)(e.Inst))
		o.sites[e.PC] = c
	}
	o.branch = nil
	if c == nil || c.turns >= maxOutcomeTurns || c.turns >= maxTurns && c.both() && c.missing() == 0 {
		return
	}
	if c.pairs == nil {
		o.branch = c
		c.turns++
		return
	}
	lanes := e.Wave.Exec()
	if c.in.Row().Enc < isa.VOP1 {
		lanes = 1
	}
	if lanes == 0 {
		return
	}
	for p, pair := range c.pairs {
		for m := lanes; m != 0; m &= m - 1 {
			var v [2]uint64
			for i, n := range pair {
				v[i] = sourceValue(&c.in, e.Wave, &c.sources[n], n, bits.TrailingZeros64(m))
			}
			if c.turns < maxTurns && m == lanes {
				o.Operands[ComparedAt{e.PC, c.turns, p}] = Compared{v, c.sources[pair[0]].Type}
			}
			o.see(c, p, c.outcome(v[0], v[1]))
		}
	}
	c.turns++
}

// sourceValue returns source n of an instruction in a lane, with its modifiers. It ignores DPP: the value comes from
// the lane itself.
func sourceValue(in *isa.Inst, w *state.Wave, o *isa.Operand, n, lane int) (v uint64) {
	switch {
	case o.File != isa.NotReg:
		v = laneValue(w, *o, lane)
	case o.Field == isa.SIMM16:
		v = uint64(in.Int(isa.SIMM16))
		if o.Type == isa.U32 {
			v = uint64(uint16(v))
		}
	default:
		v = executor.Source64(w, uint32(o.Code), in.Get(isa.LITERAL), o.Type)
	}
	width := WidthOf(o.Type)
	if in.Row().Enc < isa.VOP1 {
		return v & (math.MaxUint64 >> (64 - width))
	}
	m := in.Modifiers(n)
	if m.Select != isa.SelectDword {
		shift, n := m.Select.Bits()
		v = v >> shift & (1<<n - 1)
		if m.Sext {
			v = uint64(int64(v<<(64-n)) >> (64 - n))
		}
	}
	if m.High {
		v >>= 16
	}
	if m.Abs {
		v &^= 1 << (width - 1)
	}
	if m.Neg {
		v ^= 1 << (width - 1)
	}
	return v & (math.MaxUint64 >> (64 - width))
}

// overflows reports whether an instruction computes a sum, difference or product in a lane that does not fit a signed
// number of 32 bits. A left shift before a sum counts. Scalar unsigned sums do not count. A sum with a carry out does
// not count on processors that also have one without: it is the lower half of a 64-bit sum.
func overflows(in *isa.Inst, w *state.Wave, lane int) bool {
	row := in.Row()
	halves := row.Has(isa.CarryOut) && !row.Has(isa.CarryIn) && row.Code[isa.GCN14] >= 0
	if t := row.Sig.Dst; t != isa.I32 && (t != isa.U32 || row.Enc < isa.VOP1 || halves) && t != isa.U64 {
		return false
	}
	var a [3]int64
	for n, o := range sourcesOf(in) {
		a[n] = int64(int32(sourceValue(in, w, &o, n, lane)))
	}
	if row.Has(isa.Reversed) {
		a[0], a[1] = a[1], a[0]
	}
	v, flow := int64(0), row.Flow
	if flow[1] == isa.FlowAdd {
		v = a[2]
	}
	switch {
	case flow[0] == isa.FlowAdd:
		v += a[0] + a[1]
	case flow[0] == isa.FlowSub:
		v = a[0] - a[1]
	case flow[0] == isa.FlowMul:
		v += a[0] * a[1]
	case flow == [2]isa.Flow{isa.FlowShl, isa.FlowAdd}:
		v += a[0] << (a[1] & 31)
	default:
		return false
	}
	return v != int64(int32(v))
}

// Overflow returns the first instruction of a program that computes a sum, difference or product in a lane that does
// not fit a signed number of 32 bits. It returns "" if there is no such instruction.
func Overflow(ctx context.Context, program Setup) string {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	found := &overflowing{stop: cancel}
	_, _ = perform(short, program, nil, found) // the text tells the result; a fault does not matter
	return found.text
}

// overflowing is the watcher of Overflow.
type overflowing struct {
	sim.NoWatcher

	text string
	stop context.CancelFunc
}

// Needs is part of [sim.Watcher].
func (o *overflowing) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

// Issue is part of [sim.Watcher].
func (o *overflowing) Issue(e *sim.Event) {
	in, lanes := (*isa.Inst)(e.Inst), e.Wave.Exec()
	if in.Row().Enc < isa.VOP1 {
		lanes = 1
	}
	for ; o.text == "" && lanes != 0; lanes &= lanes - 1 {
		if overflows(in, e.Wave, bits.TrailingZeros64(lanes)) {
			o.text = asm.Format(*e.Inst, asm.LLVM)
			o.stop()
		}
	}
}

// WidthOf returns the number of compared bits of a value.
func WidthOf(t isa.Type) int {
	if t.Info().Bits16 {
		return 16
	}
	return 32 * min(t.Info().Dwords, 2)
}

// outcome compares two values. It returns no CondEqual for an instruction that chooses one of the values.
func (c *comparer) outcome(a, b uint64) (outcome isa.Cond) {
	t := c.sources[0].Type
	order, shift := cmp.Compare(a, b), 64-WidthOf(t)
	switch {
	case c.cond == isa.CondClass:
		return [2]isa.Cond{isa.CondLess, isa.CondClass}[b>>FloatOf(t).Class(a)&1]
	case t.Info().Float:
		x, y := FloatOf(t).Float(a), FloatOf(t).Float(b)
		if x != x || y != y {
			return isa.CondUnordered
		}
		order = cmp.Compare(x, y)
	default:
		signed := cmp.Compare(int64(a<<shift), int64(b<<shift))
		if signed != order {
			outcome = CondApart
		}
		if isSigned(t) {
			order = signed
		}
	}
	if order == 0 && c.in.Row().Has(isa.Chooses) {
		return 0
	}
	return outcome | [3]isa.Cond{isa.CondLess, isa.CondEqual, isa.CondGreater}[order+1]
}

// FloatTypes has the element format of each type of float operand.
var FloatTypes = map[isa.Type]element.Element{isa.F16: element.F16, isa.F32: element.F32, isa.F64: element.F64}

// FloatOf returns the element type of a float type, single precision for other types.
func FloatOf(t isa.Type) *element.Type {
	if as, ok := FloatTypes[t]; ok {
		return element.Of(as)
	}
	return element.Of(element.F32)
}
