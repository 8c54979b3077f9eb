package main

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
)

// explainKinds are what explain can be asked about.
var explainKinds = map[string]func(*bufio.Writer, gcn.Target, []uint32) error{
	"inst":   explainInst,
	"vsharp": ofGen(explainVSharp),
	"tsharp": explainTSharp,
	"ssharp": ofGen(explainSSharp),
}

// ofGen is an explanation that is the same for all processors of a generation.
func ofGen(f func(*bufio.Writer, gcn.Gen, []uint32) error) func(*bufio.Writer, gcn.Target, []uint32) error {
	return func(out *bufio.Writer, t gcn.Target, words []uint32) error { return f(out, t.Gen(), words) }
}

// wordCountError says that there are too few or too many words.
type wordCountError struct {
	got, want int
	what      string
}

func (e *wordCountError) Error() string {
	return fmt.Sprintf("explain: there are %d words, but %s has %d", e.got, e.what, e.want)
}

func explainCommand() *cobra.Command {
	var mcpu string
	cmd := &cobra.Command{
		Use:   "explain inst|vsharp|tsharp|ssharp [WORD...]",
		Short: "Show the fields of an instruction or a descriptor and what they mean",
		Example: `  gcnsim explain --mcpu=fiji inst e0501000 80000100
  gcnsim explain --mcpu=fiji vsharp 00010000 00040000 00000100 00027fac`,
		Args: arguments(1, -1, "what to explain: inst, vsharp, tsharp or ssharp, and its words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := gcn.ParseTarget(mcpu)
			if err != nil {
				return err
			}
			explain := explainKinds[args[0]]
			if explain == nil {
				return fmt.Errorf("explain: unknown kind %q; known are inst, vsharp, tsharp, ssharp", args[0])
			}
			words, err := explainWords(cmd, args[1:])
			if err != nil {
				return wrong(err)
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			if err := explain(out, target, words); err != nil {
				return wrong(err)
			}
			return out.Flush()
		},
	}
	mcpuFlag(cmd, &mcpu, mcpuUsage)
	cmd.ValidArgsFunction = cobra.FixedCompletions(slices.Sorted(maps.Keys(explainKinds)), cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.MarkFlagRequired("mcpu")
	cmd.AddCommand(explainRuleCommand())
	return cmd
}

// explainWords returns the words of args or, without any or with "-", those of standard
// input.
func explainWords(cmd *cobra.Command, args []string) ([]uint32, error) {
	src, name := strings.Join(args, " "), "<arguments>"
	if src == "" || src == "-" {
		all, in, err := readAll(cmd, nil, maxTextBytes)
		if err != nil {
			return nil, err
		}
		src, name = string(all), in
	}
	var words []uint32
	var lines []int
	var err error
	for i, line := range strings.Split(src, "\n") {
		if words, lines, err = readWords(words, lines, i+1, line, 1); err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
	}
	return words, nil
}

// table is rows of cells, printed in columns.
type table [][]string

func (t *table) add(cells ...string) { *t = append(*t, cells) }

// write prints the columns with two spaces between them; no line ends with a space.
func (t table) write(out *bufio.Writer) {
	var widths []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range t {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

// bitRange names bits as the documents do: "12" or "0-11".
func bitRange(shift, width int) string {
	if width == 1 {
		return fmt.Sprint(shift)
	}
	return fmt.Sprintf("%d-%d", shift, shift+width-1)
}

// setBits lists the bits of v.
func setBits(v uint64) string {
	var all []string
	for i := range 64 {
		if v>>i&1 != 0 {
			all = append(all, fmt.Sprint(i))
		}
	}
	return strings.Join(all, ", ")
}

// count writes n of a thing: "1 dword", "4 dwords".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// span is [count] of a range.
func span(least, most int, thing string) string {
	if least == most {
		return count(least, thing)
	}
	return fmt.Sprintf("%d to %s", least, count(most, thing))
}
