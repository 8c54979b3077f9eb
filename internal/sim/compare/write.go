package compare

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/state"
)

// shownSteps is the number of instructions that [Difference.Write] shows at each end of a slice.
const shownSteps = 8

// Write writes the difference as text.
func (d *Difference) Write(w io.Writer) error {
	var b strings.Builder
	switch {
	case d.Faulted:
		b.WriteString("different: one faults, or both fault\n")
		for i, name := range sideNames {
			if f := d.half(i).Fault; f != nil {
				fmt.Fprintf(&b, "%s: %v\n", name, f)
			} else {
				fmt.Fprintf(&b, "%s: runs to its end\n", name)
			}
		}
	default:
		fmt.Fprintf(&b, "different: argument %d, byte %d, element %d: a has %s, b has %s; %d of %d elements differ\n",
			d.Arg, d.Offset, d.Offset/uint64(max(d.Size, 1)), showValue(d.A.Value), showValue(d.B.Value), d.Elements, d.Of)
		for i, name := range sideNames {
			if s := d.half(i).Store; s != nil {
				fmt.Fprintf(&b, "%s: stored by %s with %s\n", name, s.who(), s.place())
			} else {
				fmt.Fprintf(&b, "%s: nothing stored it\n", name)
			}
		}
	}
	d.writeFirst(&b)
	for i, name := range sideNames {
		if err := d.half(i).writeSlice(&b, name); err != nil {
			return err
		}
	}
	for _, n := range d.Notes {
		fmt.Fprintf(&b, "\nnote: %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *Difference) half(i int) *Half { return [2]*Half{&d.A, &d.B}[i] }

// writeFirst writes the first instruction whose result differs.
func (d *Difference) writeFirst(b *strings.Builder) {
	one := d.Culprit[0]
	if one == nil {
		one = d.Culprit[1]
	}
	if one == nil {
		return
	}
	fmt.Fprintf(b, "\nthe first instruction whose result differs, in wave %d of work-group %d,%d,%d:\n", one.Wave,
		one.Group[0], one.Group[1], one.Group[2])
	for i, name := range sideNames {
		if s := d.Culprit[i]; s != nil {
			fmt.Fprintf(b, "  %s: %s\n", name, s.place())
			s.writeValues(b)
		} else {
			fmt.Fprintf(b, "  %s: has no such instruction here\n", name)
		}
	}
}

// writeValues writes the values that s reads and writes.
func (s *Step) writeValues(b *strings.Builder) {
	if len(s.Reads)+len(s.Writes) == 0 {
		return
	}
	b.WriteString("     ")
	if s.Lane != state.NoLane {
		fmt.Fprintf(b, " lane %d:", s.Lane)
	}
	if len(s.Reads) > 0 {
		fmt.Fprintf(b, " reads %s", operandList(s.Reads))
	}
	if len(s.Writes) > 0 {
		fmt.Fprintf(b, " writes %s", operandList(s.Writes))
	}
	b.WriteByte('\n')
}

// shownOperands is the maximum number of values shown of an instruction.
const shownOperands = 6

func operandList(all []Operand) string {
	var parts []string
	for i, o := range all {
		if i == shownOperands {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, o.Name+" = "+o.String())
	}
	return strings.Join(parts, ", ")
}

// String formats the value: 64 bits in hexadecimal, 32 bits also as an integer and, if it looks like one, as a float.
func (o Operand) String() string {
	if o.Bits == 64 {
		return fmt.Sprintf("0x%016x", o.Value)
	}
	return show(o.Value, &Diff{Dwords: 1})
}

// who returns the work-item for which the instruction executed.
func (s *Step) who() string {
	return fmt.Sprintf("work-item %d,%d,%d (lane %d of wave %d, work-group %d,%d,%d)", s.Item[0], s.Item[1], s.Item[2],
		s.Lane, s.Wave, s.Group[0], s.Group[1], s.Group[2])
}

// place returns the text of the instruction and its location.
func (s *Step) place() string {
	text := fmt.Sprintf("0x%04x  %s", uint64(s.PC), s.Text)
	if s.Source != "" {
		text += "  (" + s.Source + ")"
	}
	return text
}

// writeSlice writes the slice of program name.
func (h *Half) writeSlice(b *strings.Builder, name string) error {
	if len(h.Slice) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\nwhere the value of %s comes from, as far as it does not agree with the other program:\n", name)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i := range h.Slice {
		s := &h.Slice[i]
		if left := len(h.Slice) - 2*shownSteps; left > 0 && i >= shownSteps && i < shownSteps+left {
			if i == shownSteps {
				fmt.Fprintf(t, "\t...\t%d more\n", left)
			}
			continue
		}
		mark := "  "
		switch {
		case s.Parts:
			mark = "=>"
		case s.Agrees:
			mark = " ="
		}
		wrote := operandList(s.Writes)
		if len(s.Writes) == 0 {
			wrote = "reads " + operandList(s.Reads)
		}
		for _, m := range s.Memory {
			wrote += fmt.Sprintf("  from argument %d, byte %d", m.Arg, m.Offset)
		}
		source := ""
		if s.Source != "" {
			source = "  (" + s.Source + ")"
		}
		fmt.Fprintf(t, "%s\t0x%04x\t%s%s\t%s\n", mark, uint64(s.PC), s.Text, source, wrote)
	}
	return t.Flush()
}

// showValue formats the bytes of an element, little-endian, in hexadecimal and, if it looks like one, as a float.
func showValue(b []byte) string {
	var all [8]byte
	copy(all[:], b)
	v := binary.LittleEndian.Uint64(all[:])
	text := fmt.Sprintf("0x%0*x", 2*len(b), v)
	switch f := math.Float32frombits(uint32(v)); {
	case len(b) == 4 && math.Abs(float64(f)) >= 1e-6 && math.Abs(float64(f)) < 1e9:
		text += fmt.Sprintf(" (%g)", f)
	case len(b) == 8 && v>>52 != 0 && v>>52 != 0xfff:
		text += fmt.Sprintf(" (%g)", math.Float64frombits(v))
	}
	return text
}
