package compare

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// Maximum numbers of differences and lanes that [Divergence.Write] shows.
const (
	shownDiffs = 4 // differences
	shownLanes = 6 // lanes of each difference
)

// Write writes the divergence as text: the instructions around it in both runs, then the differences.
// PCs are relative to base.
func (d *Divergence) Write(w io.Writer, base uint64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "wave %d of work-group %d,%d,%d, after %d instructions that agree:\n", d.Wave, d.Group[0],
		d.Group[1], d.Group[2], d.Step)
	d.writeTrail(t, base)
	switch {
	case d.Got == nil && d.Err != nil:
		fmt.Fprintf(t, "the actual run stops: %v\n", d.Err)
	case d.Got == nil:
		fmt.Fprintln(t, "the actual run has ended")
	case d.Want == nil:
		fmt.Fprintln(t, "the expected run has ended")
	}
	for i := range d.Diffs {
		if i == shownDiffs {
			fmt.Fprintf(t, "\nand %d more differences\n", len(d.Diffs)-i)
			break
		}
		fmt.Fprintln(t)
		d.writeDiff(t, &d.Diffs[i], base)
	}
	return t.Flush()
}

// writeTrail writes the instructions of both runs side by side.
func (d *Divergence) writeTrail(w io.Writer, base uint64) {
	trail := func(m *Moment) ([]Line, int) {
		if m == nil {
			return nil, 0
		}
		return m.Trail, m.At
	}
	want, at := trail(d.Want)
	got, gotAt := trail(d.Got)
	if want == nil {
		at = gotAt
	}
	fmt.Fprintln(w, "  \tpc\texpected\tactual")
	for i := range max(len(want), len(got)) {
		mark, expected, actual := "  ", "", ""
		if i == at {
			mark = "=>"
		}
		var pc string
		switch {
		case i < len(want):
			pc, expected = fmt.Sprintf("0x%04x", want[i].PC-base), asm.Format(gcn.Inst(want[i].Inst), asm.LLVM)
			if i < len(got) {
				actual = asm.Format(gcn.Inst(got[i].Inst), asm.LLVM)
				if got[i].PC != want[i].PC {
					actual = fmt.Sprintf("0x%04x: %s", got[i].PC-base, actual)
				} else if actual == expected {
					actual = "the same"
				}
			}
		default:
			pc, actual = fmt.Sprintf("0x%04x", got[i].PC-base), asm.Format(gcn.Inst(got[i].Inst), asm.LLVM)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", mark, pc, expected, actual)
	}
}

func (d *Divergence) writeDiff(w io.Writer, diff *Diff, base uint64) {
	if diff.mask() || diff.Lanes == 0 {
		want, got := diff.Want[0], diff.Got[0]
		if strings.HasSuffix(diff.Name, "pc") {
			want, got = want-base, got-base
		}
		fmt.Fprintf(w, "%s: expected %s, actual %s", diff.Name, show(want, diff), show(got, diff))
		if diff.mask() {
			which := "the bits"
			if bits.OnesCount64(diff.Lanes) == 1 {
				which = "the bit"
			}
			fmt.Fprintf(w, "; %s of lanes %s", which, plural.Lanes(diff.Lanes, 8))
		}
		fmt.Fprintln(w)
		if diff.mask() {
			d.writeLanes(w, diff)
		}
		return
	}
	n := bits.OnesCount64(diff.Lanes)
	fmt.Fprintf(w, "%s differs in %d of 64 lanes, %d of them active (lanes %s):\n", diff.Name, n,
		bits.OnesCount64(diff.Lanes&d.Want.After.Exec()), plural.Lanes(diff.Lanes, 8))
	d.writeLanes(w, diff)
}

// writeLanes writes the first lanes that differ, and the values that the instruction read in these lanes.
func (d *Divergence) writeLanes(w io.Writer, diff *Diff) {
	sources := d.sources()
	fmt.Fprint(w, "  \tlane")
	for _, o := range sources {
		fmt.Fprintf(w, "\t%s was", asm.FormatOperand(gcn.Inst(d.Want.Inst), o))
	}
	fmt.Fprintln(w, "\texpected\tactual")
	n := 0
	for m := diff.Lanes; m != 0; m &= m - 1 {
		if n++; n > shownLanes {
			fmt.Fprintf(w, "  \tand %d more\n", bits.OnesCount64(m))
			return
		}
		lane := bits.TrailingZeros64(m)
		fmt.Fprintf(w, "  \t%d", lane)
		for _, o := range sources {
			s := Diff{Type: o.Type, Dwords: int(o.Dwords)}
			fmt.Fprintf(w, "\t%s", show(laneValue(d.Want.Before, o, lane), &s))
		}
		want, got := show(diff.Want[lane], diff), show(diff.Got[lane], diff)
		if diff.mask() {
			want, got = fmt.Sprint(diff.Want[0]>>lane&1), fmt.Sprint(diff.Got[0]>>lane&1)
		}
		fmt.Fprintf(w, "\t%s\t%s\n", want, got)
	}
}

// sources returns the registers of one or two dwords that the two instructions read. It returns none for a
// memory instruction, since the addresses and data that differ already show their contents.
func (d *Divergence) sources() (all []isa.Operand) {
	if d.Want.Before == nil || d.Want.Access.Op != gcn.NoMem {
		return nil
	}
	for _, in := range []isa.Inst{d.Want.Inst, d.Got.Inst} {
	next:
		for _, o := range in.Operands(nil) {
			if !o.Read || o.File == isa.NotReg || o.Dwords > 2 {
				continue
			}
			for _, have := range all {
				if have.File == o.File && have.Code == o.Code && have.Dwords == o.Dwords {
					continue next
				}
			}
			all = append(all, o)
		}
	}
	return all
}

// show formats a value of d: in hexadecimal and in its type. A value of unknown type is shown as an
// integer and, if it looks like a float, also as a float.
func show(v uint64, d *Diff) string {
	digits := 8 * max(d.Dwords, 1)
	hex := fmt.Sprintf("0x%0*x", digits, v)
	single := math.Float32frombits(uint32(v))
	switch {
	case d.Type == isa.Mask, d.Dwords == 2 && !d.Type.Info().Float && d.Type != isa.I64:
		return hex
	case d.Type == isa.F64:
		return fmt.Sprintf("%s %g", hex, math.Float64frombits(v))
	case d.Type == isa.I64:
		return fmt.Sprintf("%s %d", hex, int64(v))
	case d.Type == isa.F32:
		return fmt.Sprintf("%s %g", hex, single)
	case d.Type == isa.F16 || d.Type.Info().Halves:
		return hex
	case d.Type == isa.U32 || d.Type == isa.U16 || d.Type == isa.B16:
		return fmt.Sprintf("%s %d", hex, v)
	}
	if abs := math.Abs(float64(single)); abs >= 1e-6 && abs < 1e9 {
		return fmt.Sprintf("%s %d or %g", hex, int32(v), single)
	}
	return fmt.Sprintf("%s %d", hex, int32(v))
}
