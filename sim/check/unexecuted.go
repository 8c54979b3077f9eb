package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
)

// Unexecuted is an instruction that no wave executed, and that therefore nothing is said
// about.
type Unexecuted struct {
	PC   uint64
	Inst gcn.Inst
	Text string // Inst in LLVM syntax
	// Source is the line that the instruction was compiled from, as in "k.cl:12", "" if that
	// is not known.
	Source string
}

// Unexecuted returns the instructions that no wave executed, by PC: those of kernels and
// functions of which a wave executed some, and of programs that are not parts of code
// objects all. Only the latest programs are looked at, 8 of them. more is how many there are
// beyond the first 65536, which are not returned.
func (c *Checker) Unexecuted() (all []Unexecuted, more int) {
	executed := map[siteKey]bool{}
	for _, p := range c.code {
		for _, s := range p.sites {
			if s != nil {
				executed[s.key()] = true
			}
		}
	}
	for _, p := range c.code {
		for _, f := range p.Functions() {
			if p.entered(f.VAddr, f.VAddr+f.Size) {
				var left int
				all, left = p.without(executed, f.VAddr, f.VAddr+f.Size, all)
				more += left
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Unexecuted) int { return cmp.Compare(a.PC, b.PC) })
	return slices.CompactFunc(all, func(a, b Unexecuted) bool { return a.PC == b.PC && a.Inst.Words == b.Inst.Words }), more
}

// maxUnexecuted is how many instructions that no wave executed are kept apart.
const maxUnexecuted = 1 << 16

// key tells s apart from the instructions of other programs, whatever SGPRs are allocated.
func (s *site) key() siteKey { return siteKey{pc: s.at, words: s.inst.Words, target: s.inst.Target} }

// entered reports whether a wave executed an instruction from start to below end.
func (p *code) entered(start, end uint64) bool {
	return slices.ContainsFunc(p.sites[(start-p.Base)/4:(end-p.Base)/4], func(s *site) bool { return s != nil })
}

// without appends to all the instructions from start to below end that are not among those
// executed, and returns how many there was no room for. Words that are no instruction are
// data.
func (p *code) without(executed map[siteKey]bool, start, end uint64, all []Unexecuted) (_ []Unexecuted, more int) {
	for pc := start; pc < end; {
		in, ok := p.Inst(pc)
		if !ok {
			pc += 4
			continue
		}
		switch {
		case executed[siteKey{pc: pc, words: in.Words, target: in.Target}]:
		case len(all) == maxUnexecuted:
			more++
		default:
			all = append(all, Unexecuted{pc, in, asm.Format(in, asm.LLVM), p.Source(pc)})
		}
		pc += uint64(in.Size)
	}
	return all, more
}

// WriteUnexecuted writes for people which instructions no wave executed, those that follow
// each other as one, and how many more there are. PCs count from base. It writes nothing if
// there are none.
func WriteUnexecuted(w io.Writer, missed []Unexecuted, more int, base uint64) error {
	if len(missed) == 0 {
		return nil
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "never executed, and so not judged: %s\n", plural(len(missed)+more, "instruction"))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for len(missed) > 0 {
		n := 1
		for n < len(missed) && missed[n].PC == missed[n-1].PC+uint64(missed[n-1].Inst.Size) {
			n++
		}
		first, last := &missed[0], &missed[n-1]
		pcs, text, source := fmt.Sprintf("0x%x", first.PC-base), first.Text, first.Source
		if n > 1 {
			pcs += fmt.Sprintf(" to 0x%x", last.PC-base)
			text += " to " + last.Text
			if last.Source != first.Source {
				source += " to " + last.Source
			}
		}
		fmt.Fprintf(t, "  %s\t%d\t%s", pcs, n, text)
		if source != "" {
			fmt.Fprintf(t, "\t%s", source)
		}
		fmt.Fprintln(t)
		missed = missed[n:]
	}
	_ = t.Flush() // to a string
	if more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
