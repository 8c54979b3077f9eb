package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// WriteManual writes the pages of the manual for cmd and the commands below it into dir, which must exist: gcnsim-run.1
// is the page of gcnsim run. It returns how many there are.
func WriteManual(dir string, cmd *cobra.Command) (int, error) {
	written := 1
	if err := files.Write(filepath.Join(dir, pageName(cmd)+".1"), manualPage(cmd)); err != nil {
		return 0, err
	}
	for _, sub := range withPages(cmd) {
		more, err := WriteManual(dir, sub)
		if err != nil {
			return 0, err
		}
		written += more
	}
	return written, nil
}

// withPages returns the commands below cmd that have pages: those that its help lists, without help itself.
func withPages(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			list = append(list, sub)
		}
	}
	return list
}

// pageName returns the name of a page: gcnsim-explain-rule.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage returns the page of cmd as text for man. It has no date, so that the same build always gives the
// same bytes.
func manualPage(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	var p manual
	version, _, _ := strings.Cut(cmd.Root().Version, ",")
	p.macro("TH", strings.ToUpper(pageName(cmd)), "1", "", strings.TrimSpace(cmd.Root().Name()+" "+version), "")
	p.macro("SH", "NAME")
	fmt.Fprintf(&p, "%s \\- %s\n", roff(pageName(cmd)), roff(lowerFirst(cmd.Short)))
	p.macro("SH", "SYNOPSIS")
	p.paragraph(synopsis(cmd))
	if text := strings.TrimPrefix(cmd.Long, cmd.Short+"."); text != "" {
		p.macro("SH", "DESCRIPTION")
		p.text(text)
	}
	p.commands(cmd)
	p.flags("OPTIONS", cmd.NonInheritedFlags())
	p.flags("OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.verbatim(cmd.Example)
	}
	p.seeAlso(cmd)
	return []byte(p.String())
}

func synopsis(cmd *cobra.Command) string {
	if !cmd.Runnable() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.UseLine()
}

// lowerFirst returns text with a small first letter, unless its first word is all capitals.
func lowerFirst(text string) string {
	if len(text) < 2 || strings.ToUpper(text[1:2]) == text[1:2] {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// manual is the text of a page of the manual.
type manual struct{ strings.Builder }

// macro writes a line that man obeys.
func (p *manual) macro(macro string, args ...string) {
	p.WriteString("." + macro)
	for _, arg := range args {
		fmt.Fprintf(p, ` "%s"`, strings.ReplaceAll(roff(arg), `"`, `\(dq`))
	}
	p.WriteByte('\n')
}

// text writes paragraphs, which man fills. Lines that begin with a space stay as they are.
func (p *manual) text(text string) {
	for i, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.macro("PP")
		}
		if strings.HasPrefix(part, " ") {
			p.verbatim(part)
		} else {
			p.paragraph(part)
		}
	}
}

func (p *manual) paragraph(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(p, "%s\n", roff(strings.TrimSpace(line)))
	}
}

func (p *manual) verbatim(text string) {
	p.macro("nf")
	for line := range strings.Lines(text) {
		fmt.Fprintf(p, "%s\n", roff(strings.TrimRight(line, "\n")))
	}
	p.macro("fi")
}

func (p *manual) commands(cmd *cobra.Command) {
	list := withPages(cmd)
	if len(list) == 0 {
		return
	}
	p.macro("SH", "COMMANDS")
	for _, sub := range list {
		p.macro("TP")
		fmt.Fprintf(p, "\\fB%s\\fR(1)\n%s\n", roff(pageName(sub)), roff(sub.Short))
	}
}

func (p *manual) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.macro("SH", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		what, usage := pflag.UnquoteUsage(f)
		p.macro("TP")
		if f.Shorthand != "" {
			fmt.Fprintf(p, "\\fB\\-%s\\fR, ", f.Shorthand)
		}
		fmt.Fprintf(p, "\\fB\\-\\-%s\\fR", roff(f.Name))
		switch {
		case what != "" && f.NoOptDefVal != "":
			fmt.Fprintf(p, "[=\\fI%s\\fR]", roff(what))
		case what != "":
			fmt.Fprintf(p, "=\\fI%s\\fR", roff(what))
		}
		fmt.Fprintf(p, "\n%s\n", roff(usage))
	})
}

// seeAlso names the pages above, below and beside that of cmd.
func (p *manual) seeAlso(cmd *cobra.Command) {
	var list []string
	if cmd.HasParent() {
		list = append(list, pageName(cmd.Parent()))
	}
	for _, sub := range withPages(cmd) {
		list = append(list, pageName(sub))
	}
	if len(list) == 0 {
		return
	}
	p.macro("SH", "SEE ALSO")
	for i, other := range list {
		if i > 0 {
			p.WriteString(",\n")
		}
		fmt.Fprintf(p, "\\fB%s\\fR(1)", roff(other))
	}
	p.WriteByte('\n')
}

// roff returns text that man shows as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
