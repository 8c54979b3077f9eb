package listing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// NamesFile reports whether an argument is a file name instead of words. If given, the processor of words is known,
// and an argument that could be words is not a file name. The error says that the argument is neither.
func NamesFile(arg string, given bool) (bool, error) {
	_, _, err := Words(arg, 1)
	switch _, no := os.Stat(arg); {
	case err == nil:
		return no == nil && !given, nil
	case arg == "-":
		return false, nil
	case no != nil:
		return false, fmt.Errorf("%w, and it is no machine word", no)
	case given:
		return false, fmt.Errorf("%s: it is a file, which says its processor; leave out --mcpu", arg)
	}
	return true, nil
}

// Explain explains the instructions of an ELF file, each with its address, the preceding symbol and its source line.
// at selects one of them, by address (0x100) or symbol (vadd, vadd+0x10); "" selects all. The error comes from
// [codeobj.ReadText], or says that src is not an ELF file or has no such instruction.
func Explain(src []byte, at string) (string, error) {
	if !codeobj.IsObject(src) {
		return "", errors.New("it is no ELF file; of words, --mcpu says the processor")
	}
	t, texts, err := codeobj.ReadText(src)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range texts {
		explainSection(&b, t, &texts[i], at)
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("no instruction begins at %q; give its address in the file as gcnsim dis --addresses "+
			"shows it, as in 0x100, or a symbol, as in kernel+0x10", at)
	}
	return b.String(), nil
}

// explainSection explains the instructions of a section that at selects.
func explainSection(b *strings.Builder, t gcn.Target, text *codeobj.Text, at string) {
	words := make([]uint32, len(text.Data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(text.Data[4*i:])
	}
	labels := text.Labels
	var symbol codeobj.Label
	walk(t, text, words, func(i int, in *isa.Inst) {
		offset := uint64(4 * i)
		for ; len(labels) > 0 && labels[0].Offset <= offset; labels = labels[1:] {
			symbol = labels[0]
		}
		if in == nil || at != "" && !names(at, text.Addr+offset, symbol, offset) {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "0x%x", text.Addr+offset)
		if symbol.Name != "" {
			fmt.Fprintf(b, "  %s+0x%x", symbol.Name, offset-symbol.Offset)
		}
		if file, line := text.Line(offset); line != 0 {
			fmt.Fprintf(b, "  %s:%d", file, line)
		}
		fmt.Fprintf(b, "\n%v", explain.Instruction(*in))
	})
}

// names reports whether at selects the instruction at addr, which is offset bytes behind symbol.
func names(at string, addr uint64, symbol codeobj.Label, offset uint64) bool {
	if n, err := strconv.ParseUint(at, 0, 64); err == nil {
		return n == addr
	}
	name, plus, _ := strings.Cut(at, "+")
	n, err := strconv.ParseUint(plus, 0, 64)
	if plus == "" {
		n, err = 0, nil
	}
	return err == nil && name == symbol.Name && symbol.Offset+n == offset
}
