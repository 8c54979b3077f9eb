package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// textFlags are the flags of asm and dis.
type textFlags struct {
	mcpu, syntax string
	batch        bool
}

func (f *textFlags) add(cmd *cobra.Command) {
	mcpuFlag(cmd, &f.mcpu, mcpuUsage)
	cmd.Flags().StringVar(&f.syntax, "syntax", "llvm", "llvm or clrx")
	completes(cmd, "syntax", "llvm", "clrx")
	cmd.Flags().BoolVar(&f.batch, "batch", false, "each line stands alone and gives one line")
}

// errNoProcessor says that --mcpu is missing.
var errNoProcessor = errors.New(`required flag "mcpu" not set; give --mcpu=M, as in gfx803`)

// parse checks the flags; a wrong one is an error of the command line. given is false if
// the processor is not named.
func (f *textFlags) parse() (target gcn.Target, given bool, syntax asm.Syntax, err error) {
	if given = f.mcpu != ""; given {
		if target, err = gcn.ParseTarget(f.mcpu); err != nil {
			return 0, false, 0, err
		}
	}
	syntax, err = asm.ParseSyntax(f.syntax)
	return target, given, syntax, err
}

// translation is asm or dis.
type translation struct {
	whole func(t gcn.Target, s asm.Syntax, name, src string) (string, error) // a program
	line  func(t gcn.Target, s asm.Syntax, src string) (string, error)
	// object translates a file of compiled code, which names its processor, if not nil.
	object func(s asm.Syntax, src []byte) (gcn.Target, string, error)
}

// maxBatchLine is the length of the longest line that --batch translates, in bytes.
const maxBatchLine = 1 << 20

func (x *translation) run(cmd *cobra.Command, args []string, f *textFlags) error {
	target, given, syntax, err := f.parse()
	if err != nil {
		return err
	}
	if !given && (f.batch || x.object == nil) {
		return errNoProcessor
	}
	if !f.batch {
		src, name, err := readAll(cmd, args, maxTextBytes)
		if err != nil {
			return err
		}
		var text string
		switch {
		case x.object != nil && isObject(src):
			var from gcn.Target
			if from, text, err = x.object(syntax, src); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			} else if given && from != target {
				err = fmt.Errorf("%s: it is for %v, but --mcpu is %v", name, from, target)
			}
		case !given:
			return errNoProcessor
		default:
			text, err = x.whole(target, syntax, name, string(src))
		}
		if err != nil {
			return wrong(err)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), text)
		return err
	}
	in, _, err := open(cmd, args)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(cmd.OutOrStdout())
	var lines atomic.Int64
	leaves(cmd, func() string { return fmt.Sprintf("%d lines were translated", lines.Load()) })
	err = eachLine(in, maxBatchLine, func(src []byte, failed error) error {
		var result string
		if failed == nil {
			result, failed = x.line(target, syntax, strings.TrimRight(string(src), "\r\n"))
		}
		if failed != nil {
			result = "error: " + strings.ReplaceAll(failed.Error(), "\n", " ")
		}
		lines.Add(1)
		_, err := out.WriteString(result + "\n")
		return err
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return wrong(err)
	}
	return nil
}

func asmCommand() *cobra.Command {
	var flags textFlags
	x := &translation{whole: asmProgram, line: asmLine}
	cmd := &cobra.Command{
		Use:   "asm [FILE]",
		Short: "Assemble text to machine words",
		Example: `  echo 'buffer_load_dword v1, v0, s[0:3], 0 offen' | gcnsim asm --mcpu=fiji
  gcnsim asm --mcpu=gcn1.2 --syntax=clrx kernel.s`,
		Args: arguments(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd, args, &flags) },
	}
	flags.add(cmd)
	return cmd
}

func asmProgram(t gcn.Target, s asm.Syntax, name, src string) (string, error) {
	p, err := asm.Assemble(t, src, s)
	if err != nil {
		return "", located(name, err)
	}
	var out strings.Builder
	word := func(n int) int { // where the words of line n begin; several lines can make one word
		if n == len(p.Lines) {
			return len(p.Words)
		}
		return (p.Lines[n].Offset + 3) / 4
	}
	for n := range p.Lines {
		if first, end := word(n), word(n+1); first < end {
			out.WriteString(hexWords(p.Words[first:end]) + "\n")
		}
	}
	return out.String(), nil
}

// located puts the file's name before an error, which may begin with a line and a column.
func located(name string, err error) error {
	var text *asm.Error
	var request *job.RequestError
	if errors.As(err, &text) || errors.As(err, &request) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func asmLine(t gcn.Target, s asm.Syntax, src string) (string, error) {
	p, err := asm.Assemble(t, src, s)
	if err != nil {
		return "", err
	}
	return hexWords(p.Words), nil
}

func hexWords(words []uint32) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%08x", w)
	}
	return b.String()
}

func disCommand() *cobra.Command {
	var flags textFlags
	x := &translation{whole: disProgram, line: disLine, object: disObject}
	cmd := &cobra.Command{
		Use:   "dis [FILE]",
		Short: "Disassemble machine words, or the code of an ELF file, to text",
		Example: `  echo e0501000 80000100 | gcnsim dis --mcpu=fiji
  gcnsim dis kernel.co`,
		Args: arguments(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd, args, &flags) },
	}
	flags.add(cmd)
	return cmd
}

// wordError says which text is no machine word.
type wordError struct {
	line, col int
	text      string
}

func (e *wordError) Error() string {
	return fmt.Sprintf("%d:%d: %q is not a machine word; write eight hex digits", e.line, e.col, e.text)
}

// wordDigits is how many hex digits a machine word has.
const wordDigits = 8

// readWords reads the words of a line, of at least so many hex digits.
func readWords(words []uint32, lines []int, line int, src string, digits int) ([]uint32, []int, error) {
	for at := 0; at < len(src); {
		if c := src[at]; c == ' ' || c == '\t' || c == '\r' || c == ',' {
			at++
			continue
		}
		end := at
		for end < len(src) && !strings.ContainsRune(" \t\r,", rune(src[end])) {
			end++
		}
		word := strings.TrimPrefix(src[at:end], "0x")
		v, err := strconv.ParseUint(word, 16, 32)
		if err != nil || len(word) < digits || len(word) > wordDigits {
			return nil, nil, &wordError{line, at + 1, src[at:end]}
		}
		words, lines = append(words, uint32(v)), append(lines, line)
		at = end
	}
	return words, lines, nil
}

func disProgram(t gcn.Target, s asm.Syntax, name, src string) (string, error) {
	var words []uint32
	var lines []int
	var err error
	for i, line := range strings.Split(src, "\n") {
		if words, lines, err = readWords(words, lines, i+1, line, wordDigits); err != nil {
			return "", fmt.Errorf("%s:%w", name, err)
		}
	}
	var text []byte
	for i := 0; i < len(words); {
		in, err := t.Decode(words[i:])
		if err != nil {
			return "", fmt.Errorf("%s:%d:1: word %d: %w", name, lines[i], i, err)
		}
		text = append(asm.Append(text, in, s), '\n')
		i += int(in.Size) / 4
	}
	return string(text), nil
}

// disObject disassembles the code of an ELF file: a label before each symbol; words that
// are no instruction, as between kernels, become data.
func disObject(s asm.Syntax, src []byte) (gcn.Target, string, error) {
	t, texts, err := codeobj.ReadText(src)
	if err != nil {
		return 0, "", err
	}
	data := map[asm.Syntax]string{asm.LLVM: ".long", asm.CLRX: ".int"}[s]
	var out []byte
	for _, text := range texts {
		out = fmt.Appendf(out, "; %s of %v, from 0x%x on\n", text.Name, t, text.Addr)
		words := make([]uint32, len(text.Data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(text.Data[4*i:])
		}
		code := 0 // where there may be code
		for i := 0; i < len(words); {
			for ; len(text.Labels) > 0 && text.Labels[0].Offset <= uint64(4*i); text.Labels = text.Labels[1:] {
				out = fmt.Appendf(out, "%s:\n", text.Labels[0].Name)
				code = max(code, i+int(text.Labels[0].Data)/4)
			}
			in, err := t.Decode(words[i:])
			if i < code || err != nil {
				out = fmt.Appendf(out, "%s 0x%08x\n", data, words[i])
				i++
				continue
			}
			out = append(asm.Append(out, in, s), '\n')
			i += int(in.Size) / 4
		}
	}
	return t, string(out), nil
}

func disLine(t gcn.Target, s asm.Syntax, src string) (string, error) {
	words, _, err := readWords(nil, nil, 1, src, wordDigits)
	if err != nil {
		return "", err
	}
	if len(words) == 0 {
		return "", nil
	}
	in, err := t.Decode(words)
	if err != nil {
		return "", err
	}
	if n := int(in.Size) / 4; n < len(words) {
		return "", fmt.Errorf("%d words, but %s takes %d; put one instruction on a line", len(words), in.Row().Name, n)
	}
	return asm.Format(in, s), nil
}
