package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/handbook"
)

// ruleColumns is the width of a rule's text in characters.
const ruleColumns = 100

// Rules prints the handbook's rules with these identifiers. Without identifiers it prints a list of all rules by
// chapter.
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
			return fmt.Errorf("explain: there is no rule %q; %s", id, cmp.Or(suggest(id), "gcnsim explain rule lists them"))
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprint(out, r.Plain(ruleColumns))
	}
	return out.Flush()
}

// suggest returns a hint for an unknown rule identifier: the rules with the same letters, or the rules with the word
// in their title, or "".
func suggest(id string) string {
	letters := strings.TrimRight(strings.ToUpper(id), "0123456789")
	var same, titled []string
	for _, r := range handbook.Rules() {
		if strings.TrimRight(r.ID, "0123456789") == letters {
			same = append(same, r.ID)
		}
		if id != "" && strings.Contains(strings.ToLower(r.Title), strings.ToLower(id)) {
			titled = append(titled, r.ID)
		}
	}
	switch {
	case len(same) > 1:
		return fmt.Sprintf("there are %s to %s", same[0], same[len(same)-1])
	case len(same) == 1:
		return "there is " + same[0]
	case titled != nil:
		return "the word is in the titles of " + strings.Join(titled, ", ")
	}
	return ""
}
