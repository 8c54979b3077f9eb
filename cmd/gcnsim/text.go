package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
)

// textFlags are the flags of asm and dis.
type textFlags struct {
	mcpu, syntax string
	batch        bool
}

func (f *textFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.mcpu, "mcpu", "", "processor, as in gfx803, fiji or gcn1.2")
	cmd.Flags().StringVar(&f.syntax, "syntax", "llvm", "llvm or clrx")
	cmd.Flags().BoolVar(&f.batch, "batch", false, "each line stands alone and gives one line")
	_ = cmd.MarkFlagRequired("mcpu")
}

// parse checks the flags; a wrong one is an error of the command line.
func (f *textFlags) parse() (gcn.Target, asm.Syntax, error) {
	target, err := gcn.ParseTarget(f.mcpu)
	if err != nil {
		return 0, 0, err
	}
	syntax, err := asm.ParseSyntax(f.syntax)
	return target, syntax, err
}

// translate builds asm or dis: whole translates a program, line one line.
func translate(use, short string,
	whole func(out *bufio.Writer, t gcn.Target, s asm.Syntax, name, src string) error,
	line func(t gcn.Target, s asm.Syntax, src string) (string, error),
) *cobra.Command {
	var flags textFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, syntax, err := flags.parse()
			if err != nil {
				return err
			}
			in, name, err := open(cmd, args)
			if err != nil {
				return err
			}
			defer in.Close()
			out := bufio.NewWriter(cmd.OutOrStdout())
			if flags.batch {
				err = eachLine(in, out, func(src string) (string, error) { return line(target, syntax, src) })
			} else {
				var src []byte
				if src, err = io.ReadAll(in); err == nil {
					err = whole(out, target, syntax, name, string(src))
				}
			}
			if err != nil {
				return wrong(err)
			}
			return out.Flush()
		},
	}
	flags.add(cmd)
	return cmd
}

// eachLine writes one line for each line of in: the result or "error: " and what is wrong.
func eachLine(in io.Reader, out *bufio.Writer, f func(string) (string, error)) error {
	r := bufio.NewReader(in)
	for {
		src, err := r.ReadString('\n')
		if err == io.EOF && src == "" {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		result, failed := f(strings.TrimRight(src, "\r\n"))
		if failed != nil {
			result = "error: " + strings.ReplaceAll(failed.Error(), "\n", " ")
		}
		out.WriteString(result)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
	}
}

func asmCommand() *cobra.Command {
	return translate("asm [FILE]", "Assemble text to machine words", asmProgram, asmLine)
}

func asmProgram(out *bufio.Writer, t gcn.Target, s asm.Syntax, name, src string) error {
	p, err := asm.Assemble(t, src, s)
	if err != nil {
		return located(name, err)
	}
	for i, l := range p.Lines {
		end := len(p.Words)
		if i+1 < len(p.Lines) {
			end = p.Lines[i+1].Offset / 4
		}
		out.WriteString(hexWords(p.Words[l.Offset/4:end]) + "\n")
	}
	return nil
}

// located puts the file's name before the line and the column of an assembler error.
func located(name string, err error) error {
	var e *asm.Error
	if errors.As(err, &e) {
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
	return translate("dis [FILE]", "Disassemble machine words to text", disProgram, disLine)
}

// wordError says which text is no machine word.
type wordError struct {
	line, col int
	text      string
}

func (e *wordError) Error() string {
	return fmt.Sprintf("%d:%d: %q is not a machine word; write eight hex digits", e.line, e.col, e.text)
}

// readWords reads the words of a line; col counts from 1.
func readWords(words []uint32, lines []int, line int, src string) ([]uint32, []int, error) {
	for at := 0; at < len(src); {
		if c := src[at]; c == ' ' || c == '\t' || c == '\r' || c == ',' {
			at++
			continue
		}
		end := at
		for end < len(src) && !strings.ContainsRune(" \t\r,", rune(src[end])) {
			end++
		}
		v, err := strconv.ParseUint(strings.TrimPrefix(src[at:end], "0x"), 16, 32)
		if err != nil {
			return nil, nil, &wordError{line, at + 1, src[at:end]}
		}
		words, lines = append(words, uint32(v)), append(lines, line)
		at = end
	}
	return words, lines, nil
}

func disProgram(out *bufio.Writer, t gcn.Target, s asm.Syntax, name, src string) error {
	var words []uint32
	var lines []int
	var err error
	for i, line := range strings.Split(src, "\n") {
		if words, lines, err = readWords(words, lines, i+1, line); err != nil {
			return fmt.Errorf("%s:%w", name, err)
		}
	}
	var text []byte
	for i := 0; i < len(words); {
		in, err := t.Decode(words[i:])
		if err != nil {
			return fmt.Errorf("%s:%d:1: word %d: %w", name, lines[i], i, err)
		}
		text = append(asm.Append(text[:0], in, s), '\n')
		out.Write(text)
		i += int(in.Size) / 4
	}
	return nil
}

func disLine(t gcn.Target, s asm.Syntax, src string) (string, error) {
	words, _, err := readWords(nil, nil, 1, src)
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
