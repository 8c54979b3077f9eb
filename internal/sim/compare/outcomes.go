package compare

import (
	"cmp"
	"math"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Outcomes watches runs of one program and records what its comparisons came to: compares, tests of classes, minima,
// maxima and medians. Code must lie at the same addresses in each run.
type Outcomes struct {
	sim.NoWatcher

	// Operands are values that comparisons of the last run have read: in the first lane that was on, when they
	// executed for the first few times.
	Operands map[ComparedAt]Compared

	sites map[uint64]*comparer // by address; nil where an instruction does not compare
	loads map[uint64]bool      // pages of memory that all runs have loaded from
}

// loadPage is the size of a page of Outcomes.loads: buffers begin at multiples of it, or far from each other.
const loadPage = 256

// Loads reports whether a run has loaded from a buffer.
func (o *Outcomes) Loads(b *sim.Buffer) bool {
	for at := range o.loads {
		if at*loadPage < b.Addr+b.Size && b.Addr < (at+1)*loadPage {
			return true
		}
	}
	return false
}

// Retire is part of [sim.Watcher].
func (o *Outcomes) Retire(e *sim.Event) {
	a := e.Access
	if a.Op == gcn.NoMem || a.Op == gcn.Store || a.Space != state.Global {
		return
	}
	lanes := a.Exec
	if a.Scalar {
		lanes = 1
	}
	last := ^uint64(0)
	for ; lanes != 0; lanes &= lanes - 1 {
		if page := a.At(0, bits.TrailingZeros64(lanes)) / loadPage; page != last {
			o.loads[page], last = true, page
		}
	}
}

// ComparedAt is an execution of a comparison, and which two of its sources were compared.
type ComparedAt struct {
	PC         uint64
	Turn, Pair int
}

// Compared are two values that were compared.
type Compared struct {
	Values [2]uint64
	Type   isa.Type
}

// maxTurns is how many executions of a comparison have operands. Outcomes come from so many more.
const maxTurns, maxOutcomeTurns = 4, 256

// comparer is an instruction that compares.
type comparer struct {
	in      isa.Inst
	cond    isa.Cond // that makes the result 1; 0 of a minimum, a maximum or a median
	class   bool     // sources are a float and a mask of classes
	sources []isa.Operand
	pairs   [][2]int
	seen    []isa.Cond // by pair
	turns   int        // in the last run
}

// comparerOf returns nil if an instruction does not compare, or comes to the same for all operands.
func comparerOf(in *isa.Inst) *comparer {
	row := in.Row()
	c := &comparer{in: *in, cond: row.Cond, class: row.Cond == isa.CondClass, pairs: [][2]int{{0, 1}}}
	chooses := strings.HasPrefix(row.Name, "v_min_") || strings.HasPrefix(row.Name, "v_max_") ||
		strings.HasPrefix(row.Name, "s_min_") || strings.HasPrefix(row.Name, "s_max_")
	const all = isa.CondLess | isa.CondEqual | isa.CondGreater
	switch {
	case strings.HasPrefix(row.Name, "v_med3_"):
		c.pairs = [][2]int{{0, 1}, {0, 2}, {1, 2}}
	case c.class:
		c.cond = isa.CondLess
	case !chooses && (c.cond == 0 || c.cond&all == all && c.cond&isa.CondUnordered != 0):
		return nil
	}
	c.sources = sourcesOf(in)
	if len(c.sources) <= c.pairs[len(c.pairs)-1][1] {
		return nil
	}
	c.seen = make([]isa.Cond, len(c.pairs))
	return c
}

// sourcesOf returns the sources of an instruction of the ALU, with their types.
func sourcesOf(in *isa.Inst) (all []isa.Operand) {
	row := in.Row()
	for _, o := range in.Operands(nil) {
		if n := len(all); o.Read && n < row.Sig.NumSrc {
			o.Type = row.Sig.Src[n]
			all = append(all, o)
		}
	}
	if row.Enc == isa.SOPK && len(all) > 0 {
		all = append(all[:1], isa.Operand{Field: isa.SIMM16, Type: row.Sig.Src[1]})
	}
	return all
}

// both reports whether the comparison came out both ways. A median did if two of its pairs did: the two bounds of a
// range are always in one order.
func (c *comparer) both() bool {
	if c.cond != 0 {
		return c.seen[0]&c.cond != 0 && c.seen[0]&^c.cond != 0
	}
	n := 0
	for _, seen := range c.seen {
		if seen&isa.CondUnequal == isa.CondUnequal {
			n++
		}
	}
	return n >= min(len(c.seen), 2)
}

// Both returns how many comparisons came out both ways, and how many have executed.
func (o *Outcomes) Both() (both, all int) {
	for _, c := range o.sites {
		if c != nil {
			all++
			if c.both() {
				both++
			}
		}
	}
	return both, all
}

// Needs is part of [sim.Watcher].
func (o *Outcomes) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

// Start is part of [sim.Watcher].
func (o *Outcomes) Start(*sim.Run) error {
	o.Operands = map[ComparedAt]Compared{}
	if o.sites == nil {
		o.sites, o.loads = map[uint64]*comparer{}, map[uint64]bool{}
	}
	for _, c := range o.sites {
		if c != nil {
			c.turns = 0
		}
	}
	return nil
}

// Issue is part of [sim.Watcher].
func (o *Outcomes) Issue(e *sim.Event) {
	c, known := o.sites[e.PC]
	if !known {
		c = comparerOf((*isa.Inst)(e.Inst))
		o.sites[e.PC] = c
	}
	if c == nil || c.turns >= maxOutcomeTurns {
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
		if c.turns < maxTurns {
			lane := bits.TrailingZeros64(lanes)
			o.Operands[ComparedAt{e.PC, c.turns, p}] = Compared{[2]uint64{c.value(e.Wave, pair[0], lane),
				c.value(e.Wave, pair[1], lane)}, c.sources[pair[0]].Type}
		}
		for m := lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			c.seen[p] |= c.outcome(c.value(e.Wave, pair[0], lane), c.value(e.Wave, pair[1], lane))
		}
	}
	c.turns++
}

// value returns source n in a lane.
func (c *comparer) value(w *state.Wave, n, lane int) uint64 {
	if n > 0 && c.class {
		return sourceValue(&c.in, w, &c.sources[n], n, lane, 32)
	}
	return sourceValue(&c.in, w, &c.sources[n], n, lane, widthOf(c.sources[0].Type))
}

// sourceValue returns source n of an instruction, which has so many bits, in a lane as the instruction sees it. DPP is
// left out: the value comes from the lane itself.
func sourceValue(in *isa.Inst, w *state.Wave, o *isa.Operand, n, lane, width int) (v uint64) {
	switch {
	case o.File != isa.NotReg:
		v = laneValue(w, *o, lane)
	case o.Field == isa.SIMM16 && o.Type == isa.U16:
		v = uint64(uint16(in.Get(isa.SIMM16)))
	case o.Field == isa.SIMM16:
		v = uint64(in.Int(isa.SIMM16))
	case o.Code == isa.Literal:
		if v = uint64(in.Get(isa.LITERAL)); o.Type == isa.F64 {
			v <<= 32
		}
	default:
		v, _ = isa.InlineConstant(uint32(o.Code), o.Type)
	}
	if in.Row().Enc >= isa.VOP1 {
		v = modified(in.Modifiers(n), v, width)
	}
	return v & (math.MaxUint64 >> (64 - width))
}

// exact are sums, differences and products of 32 bits as numbers without a bound, by mnemonic. A sum of 64 bits has
// its upper half in an addition with carry.
var exact = map[string]func(a [3]int64) int64{
	"v_add_u32": sum, "v_add_i32": sum, "s_add_i32": sum, "v_add_lshl_u32": sum, "v_addc_u32": sum, "v_addc_co_u32": sum,
	"v_sub_u32": difference, "v_sub_i32": difference, "s_sub_i32": difference, "v_subb_u32": difference,
	"v_subb_co_u32": difference,
	"v_subrev_u32":  func(a [3]int64) int64 { return a[1] - a[0] },
	"v_mul_lo_u32":  product, "v_mul_lo_i32": product, "s_mul_i32": product,
	"v_add3_u32":     func(a [3]int64) int64 { return a[0] + a[1] + a[2] },
	"v_lshl_add_u32": func(a [3]int64) int64 { return a[0]<<(a[1]&31) + a[2] },
	"v_mad_u64_u32":  func(a [3]int64) int64 { return a[0]*a[1] + a[2] },
}

func sum(a [3]int64) int64        { return a[0] + a[1] }
func difference(a [3]int64) int64 { return a[0] - a[1] }
func product(a [3]int64) int64    { return a[0] * a[1] }

// overflows reports whether an instruction computes a sum, a difference or a product in a lane that no signed number
// of 32 bits is.
func overflows(in *isa.Inst, w *state.Wave, lane int) bool {
	of, ok := exact[in.Row().Name]
	if !ok {
		return false
	}
	var a [3]int64
	for n, o := range sourcesOf(in) {
		a[n] = int64(int32(sourceValue(in, w, &o, n, lane, 32)))
	}
	v := of(a)
	return v != int64(int32(v))
}

// modified returns what an instruction sees of a value with so many bits.
func modified(m isa.Modifiers, v uint64, width int) uint64 {
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
	return v
}

// widthOf returns how many bits of a number are compared.
func widthOf(t isa.Type) int {
	if t.Info().Bits16 {
		return 16
	}
	return 32 * min(t.Info().Dwords, 2)
}

// outcome returns how two values compare.
func (c *comparer) outcome(a, b uint64) isa.Cond {
	t := c.sources[0].Type
	order := cmp.Compare(a, b)
	switch shift := 64 - widthOf(t); {
	case c.class && b>>FloatOf(t).Class(a)&1 != 0:
		return isa.CondLess
	case c.class:
		return isa.CondGreater
	case t.Info().Float:
		x, y := FloatOf(t).Float(a), FloatOf(t).Float(b)
		if x != x || y != y {
			return isa.CondUnordered
		}
		order = cmp.Compare(x, y)
	case t == isa.I16 || t == isa.I32 || t == isa.I64:
		order = cmp.Compare(int64(a<<shift), int64(b<<shift))
	}
	return [3]isa.Cond{isa.CondLess, isa.CondEqual, isa.CondGreater}[order+1]
}

// FloatOf returns how elements are stored that have the format of a float operand.
func FloatOf(t isa.Type) *element.Type {
	switch t {
	case isa.F16:
		return element.Of(element.F16)
	case isa.F64:
		return element.Of(element.F64)
	}
	return element.Of(element.F32)
}
