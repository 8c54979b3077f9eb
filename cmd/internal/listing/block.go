package listing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

// Block returns what becomes of the instructions of the block of an ELF file that has the instruction at a place, as
// [Explain] takes it: each of them, and the instructions on vectors of lanes that the machine code executes
// for them. The error says what [Explain] says, or that there are no blocks.
func Block(src []byte, at string) (string, error) {
	if !codeobj.IsObject(src) {
		return "", errors.New("it is no ELF file")
	}
	t, texts, err := codeobj.ReadText(src)
	if err != nil {
		return "", err
	}
	for i := range texts {
		p := newBlockText(t, &texts[i], at)
		if p.at < 0 {
			continue
		}
		made, err := block.Explain(p.does, p.sizes, state.DefaultMode)
		if err != nil {
			return "", err
		}
		for _, m := range made {
			if slices.Contains(m.Steps, p.at) {
				return p.text(&m), nil
			}
		}
		return "", fmt.Errorf("the instruction at %q is in no block: an executor executes it", at)
	}
	return "", fmt.Errorf("no instruction begins at %q; give its address in the file as gcnsim dis --addresses shows it, "+
		"as in 0x100, or a symbol, as in kernel+0x10", at)
}

// blockText is the code of a section, by dword.
type blockText struct {
	insts []isa.Inst
	does  []*block.Instr
	sizes []uint8
	base  uint64
	at    int // the step that is asked for, -1 if the section does not have it
}

func newBlockText(t gcn.Target, text *codeobj.Text, at string) *blockText {
	words := make([]uint32, len(text.Data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(text.Data[4*i:])
	}
	n := len(words)
	p := &blockText{make([]isa.Inst, n), make([]*block.Instr, n), make([]uint8, n), text.Addr, -1}
	labels := text.Labels
	var symbol codeobj.Label
	walk(t, text, words, func(i int, in *isa.Inst) {
		offset := uint64(4 * i)
		for ; len(labels) > 0 && labels[0].Offset <= offset; labels = labels[1:] {
			symbol = labels[0]
		}
		if in == nil {
			return
		}
		p.insts[i], p.sizes[i] = *in, in.Size/4
		if impl := executor.Find(in); impl.Exec != nil && impl.Block != nil {
			p.does[i] = impl.Block()
		}
		if names(at, text.Addr+offset, symbol, offset) {
			p.at = i
		}
	})
	return p
}

// text puts a block into words.
func (p *blockText) text(m *block.Made) string {
	var b strings.Builder
	entered := "the run loop enters it"
	if !m.Entered {
		entered = "it follows other blocks: a call for it alone would cost more than it saves"
	}
	fmt.Fprintf(&b, "block at 0x%x: %d instructions, %d bytes of machine code; %s\n", p.base+4*uint64(m.Steps[0]),
		len(m.Steps), m.Bytes, entered)
	runs := m.Runs
	for k, step := range m.Steps {
		if len(runs) > 0 && runs[0].First == step {
			p.run(&b, m.Steps[k:], &runs[0])
			runs = runs[1:]
		}
		if p.does[step].Vector == nil {
			fmt.Fprintf(&b, "\n  0x%-6x %s\n", p.base+4*uint64(step), asm.Format(gcn.Inst(p.insts[step]), asm.LLVM))
		}
		if k == 0 && m.Access != nil {
			b.WriteString("  as, with a site, which says where a range of memory is:\n")
			for _, line := range m.Access {
				fmt.Fprintf(&b, "      %s\n", line)
			}
		}
	}
	return b.String()
}

// run puts a run, whose first instruction is the first one of steps, into words.
func (p *blockText) run(b *strings.Builder, steps []int, r *block.RunText) {
	b.WriteByte('\n')
	n := 0
	for _, step := range steps {
		if n == r.N {
			break
		}
		if p.does[step].Vector != nil {
			n++
			fmt.Fprintf(b, "  0x%-6x %s\n", p.base+4*uint64(step), asm.Format(gcn.Inst(p.insts[step]), asm.LLVM))
		}
	}
	b.WriteString("  as, for each strip of lanes:\n")
	for _, line := range r.List {
		fmt.Fprintf(b, "      %s\n", line)
	}
	if r.Checked {
		b.WriteString("  then: exceptions of the machine leave the run to executors\n")
	}
}
