package show

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gcnsim/gcnsim/handbook"
)

// ruleColumns is the width of the text of rules.
const ruleColumns = 100

// Rules prints the rules of the handbook with these identifiers, or, without any, the list
// of all by chapter.
func Rules(to io.Writer, ids []string) error {
	out := bufio.NewWriter(to)
	if len(ids) == 0 {
		for i, c := range handbook.Chapters() {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintln(out, c.Title)
			for _, r := range c.Rules {
				fmt.Fprintf(out, "  %-4s  %s\n", r.ID, r.Title)
			}
		}
	}
	for i, id := range ids {
		r, ok := handbook.Lookup(id)
		if !ok {
			return unknownRule(id)
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprint(out, r.Plain(ruleColumns))
	}
	return out.Flush()
}

// unknownRule says that there is no rule with an identifier, and which there are.
func unknownRule(id string) error {
	hint := handbook.Suggest(id)
	if hint == "" {
		hint = "gcnsim explain rule lists them"
	}
	return fmt.Errorf("explain: there is no rule %q; %s", id, hint)
}
