package solve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// SMT returns the question whether all conditions can hold at once, as SMT-LIB text. The text begins with the comments.
func SMT(conditions []*term.Term, comments ...string) string {
	w := &strings.Builder{}
	for _, c := range comments {
		fmt.Fprintf(w, "; %s\n", strings.ReplaceAll(c, "\n", "\n; "))
	}
	w.WriteString("(set-logic QF_UFBV)\n")
	declared := map[string]bool{}
	all := terms(conditions)
	slices.SortFunc(all, func(x, y *term.Term) int { return x.ID - y.ID })
	for _, t := range all {
		if t.Op == term.Var || t.Op == term.Fn {
			name := "|" + t.Name + "|"
			if !declared[name] {
				declared[name] = true
				args := make([]string, len(t.Args))
				for i, a := range t.Args {
					args[i] = bitVector(a.Width)
				}
				fmt.Fprintf(w, "(declare-fun %s (%s) %s)\n", name, strings.Join(args, " "), bitVector(t.Width))
			}
		}
		fmt.Fprintf(w, "(define-fun t%d () %s %s)\n", t.ID, bitVector(t.Width), expression(t))
	}
	for _, c := range conditions {
		fmt.Fprintf(w, "(assert (= t%d #b1))\n", c.ID)
	}
	w.WriteString("(check-sat)\n")
	return w.String()
}

func bitVector(w uint8) string { return fmt.Sprintf("(_ BitVec %d)", w) }

func number(w uint8, v uint64) string { return fmt.Sprintf("(_ bv%d %d)", v, w) }

// function returns the SMT-LIB name of an operation.
func function(op term.Op) string {
	switch op {
	case term.Mul:
		return "bvmul"
	case term.And:
		return "bvand"
	case term.Or:
		return "bvor"
	case term.Xor:
		return "bvxor"
	case term.Shl:
		return "bvshl"
	case term.Shr:
		return "bvlshr"
	case term.Sar:
		return "bvashr"
	case term.Ult:
		return "bvult"
	case term.Slt:
		return "bvslt"
	}
	return "="
}

// expression returns the SMT-LIB text of a term. It refers to the operands by name.
func expression(t *term.Term) string {
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = fmt.Sprintf("t%d", a.ID)
	}
	nest := func(f string, parts []string) string {
		r := parts[0]
		for _, a := range parts[1:] {
			r = fmt.Sprintf("(%s %s %s)", f, r, a)
		}
		return r
	}
	switch t.Op {
	case term.Const:
		return number(t.Width, t.K)
	case term.Var:
		return "|" + t.Name + "|"
	case term.Fn:
		return "(|" + t.Name + "| " + strings.Join(args, " ") + ")"
	case term.Sum:
		parts := []string{number(t.Width, t.K)}
		for i, a := range args {
			parts = append(parts, fmt.Sprintf("(bvmul %s %s)", number(t.Width, t.Coef[i]), a))
		}
		return nest("bvadd", parts)
	case term.Extract:
		return fmt.Sprintf("((_ extract %d %d) %s)", int(t.K)+int(t.Width)-1, t.K, args[0])
	case term.Zext:
		return fmt.Sprintf("((_ zero_extend %d) %s)", t.Width-t.Args[0].Width, args[0])
	case term.Sext:
		return fmt.Sprintf("((_ sign_extend %d) %s)", t.Width-t.Args[0].Width, args[0])
	case term.Ite:
		return fmt.Sprintf("(ite (= %s #b1) %s %s)", args[0], args[1], args[2])
	case term.Not:
		return "(bvnot " + args[0] + ")"
	case term.Eq, term.Ult, term.Slt:
		return "(ite " + nest(function(t.Op), args) + " #b1 #b0)"
	}
	return nest(function(t.Op), args)
}
