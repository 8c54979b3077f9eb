package solve

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// Solver answers a question in SMT-LIB text within a time limit. The answer is the output of an SMT solver: "sat" and
// the values that the question asks for, or "unsat". Any other output is taken as "unknown".
type Solver func(question string, limit time.Duration) (answer string, err error)

// value matches the value of one term in the answer of a solver, with the ID of the term.
var value = regexp.MustCompile(`\(t(\d+)\s+#(x[0-9a-fA-F]+|b[01]+)\)`)

// ask asks the solver q.Solver.
func (q *Query) ask(conditions []*term.Term) (Answer, *term.Values) {
	text := &strings.Builder{}
	text.WriteString("(set-option :produce-models true)\n" + SMT(conditions))
	text.WriteString("(get-value (")
	all := terms(conditions)
	for _, t := range all {
		fmt.Fprintf(text, " t%d", t.ID)
	}
	text.WriteString("))\n")
	limit := time.Until(q.Until)
	if limit <= 0 || q.Bank.Full {
		return Unknown, nil
	}
	printed, err := q.Solver(text.String(), limit)
	first, values, _ := strings.Cut(strings.TrimSpace(printed), "\n")
	switch first = strings.TrimSpace(first); {
	case err != nil:
		q.Failed = err
	case first == "unsat":
		return Unsat, nil
	case first == "sat":
		have := map[int]uint64{}
		for _, m := range value.FindAllStringSubmatch(values, -1) {
			id, _ := strconv.Atoi(m[1])
			have[id], _ = strconv.ParseUint("0"+m[2], 0, 64)
		}
		read := func(t *term.Term) uint64 { return have[t.ID] }
		v := &term.Values{Var: read, Fn: func(t *term.Term, _ []uint64) uint64 { return read(t) }}
		if slices.ContainsFunc(conditions, func(c *term.Term) bool { return v.Get(c) == 0 }) {
			q.Failed = errors.New("it printed sat and values that do not satisfy the question")
			return Unknown, nil
		}
		return Sat, v
	case first != "unknown" && first != "timeout":
		q.Failed = fmt.Errorf("it printed %.60q and neither sat nor unsat", first)
	}
	return Unknown, nil
}
