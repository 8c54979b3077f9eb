package variant

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Patterns for lines of LLVM IR. A block starts with a label, except for the first block of a function.
var (
	begins = regexp.MustCompile(`^define .*@[^(]*\((.*)\).*\{`)
	number = regexp.MustCompile(`%\d+\b`)
	label  = regexp.MustCompile(`^([\w.$-]+):`)
	word32 = regexp.MustCompile(`^\s*(%[\w.$-]+) = (?:add|sub|mul|and|or|xor|shl|lshr|ashr|zext|sext|trunc|load|call|` +
		`tail call)\b[^,=]*?\bi32\b`)
	changed = regexp.MustCompile(`^(\s*)(?:(%[\w.$-]+) = )?((?:store|load|add|sub|mul|and|or|xor|shl|lshr|ashr|` +
		`zext|sext|trunc|getelementptr|icmp|fcmp|fadd|fsub|fmul|select|bitcast|udiv|sdiv|urem|srem|call|tail call)\b.*)$`)
	ours = regexp.MustCompile(`; variant(?: of (\S+))?$`)
	own  = regexp.MustCompile(`^(\S+):`)
)

// place is an instruction before which a block can be split.
type place struct {
	line  int
	block string // label of its block, with %
	known string // an i32 value that is computed earlier in the block
}

// places returns the instructions before which blocks can be split.
func places(lines []string) (all []place) {
	var at place
	for i, line := range lines {
		switch m := label.FindStringSubmatch(line); {
		case begins.MatchString(line):
			unnamed := number.FindAllString(begins.FindStringSubmatch(line)[1], -1)
			at = place{block: fmt.Sprintf("%%%d", len(unnamed))}
			if next := label.FindStringSubmatch(lines[min(i+1, len(lines)-1)]); next != nil {
				at.block = "%" + next[1]
			}
		case line == "}":
			at = place{}
		case m != nil:
			at = place{block: "%" + m[1]}
		case at.block != "" && at.known != "" && changed.MatchString(line) && !strings.Contains(line, "token") &&
			!ours.MatchString(line):
			at.line = i
			all = append(all, at)
		}
		if m := word32.FindStringSubmatch(line); m != nil && isWord(line) {
			at.known = m[1]
		}
	}
	return all
}

// isWord reports whether the result of an instruction that mentions i32 has type i32. For a conversion, the second
// type counts.
func isWord(line string) bool {
	_, what, _ := strings.Cut(line, " = ")
	switch op, rest, _ := strings.Cut(what, " "); op {
	case "zext", "sext", "trunc":
		_, to, _ := strings.Cut(rest, " to ")
		return strings.HasPrefix(to+" ", "i32")
	case "load":
		return strings.HasPrefix(rest, "i32,")
	case "call", "tail":
		before, _, _ := strings.Cut(rest, " @")
		return strings.HasSuffix(before, "i32")
	default:
		before, _, _ := strings.Cut(rest, " %")
		return strings.HasSuffix(before, "i32")
	}
}

// changeIR splits blocks before at most n instructions. The instructions behind the split are then in a loop with one
// iteration, or behind a block that is never executed. Each added line is marked as part of a variant.
func changeIR(r *rand.Rand, text string, n int) string {
	lines := strings.Split(text, "\n")
	for i := range n {
		all := places(lines)
		if len(all) == 0 {
			break
		}
		p := pick(r, all)
		m := changed.FindStringSubmatch(lines[p.line])
		name := fmt.Sprintf("gcnsim%d", i)
		var more []string
		add := func(format string, args ...any) { more = append(more, fmt.Sprintf(format, args...)+" ; variant") }
		add("  %%%s.x = freeze i32 %s", name, p.known)
		add("  %%%[1]s.y = mul i32 %%%[1]s.x, %%%[1]s.x", name)
		if r.IntN(2) == 0 { // x * (x + 1) is even
			add("  %%%[1]s.z = add i32 %%%[1]s.y, %%%[1]s.x", name)
			add("  %%%[1]s.w = and i32 %%%[1]s.z, 1", name)
			add("  %%%[1]s.p = icmp ne i32 %%%[1]s.w, 0", name)
		} else { // a square modulo 4 is 0 or 1
			add("  %%%[1]s.w = and i32 %%%[1]s.y, 3", name)
			add("  %%%[1]s.p = icmp eq i32 %%%[1]s.w, 2", name)
		}
		rest := name + ".rest"
		if r.IntN(2) == 0 {
			add("  br label %%%s.loop", name)
			add("%s.loop:", name)
			more = append(more, lines[p.line])
			add("  br i1 %%%[1]s.p, label %%%[1]s.loop, label %%%[2]s", name, rest)
			more = append(more, fmt.Sprintf("%s: ; variant of %s", rest, p.block))
		} else {
			add("  br i1 %%%[1]s.p, label %%%[1]s.dead, label %%%[2]s", name, rest)
			add("%s.dead:", name)
			copied := "  " + m[3]
			if m[2] != "" {
				copied = fmt.Sprintf("  %%%s.copy = %s", name, m[3])
			}
			add("%s", copied)
			add("  br label %%%s", rest)
			more = append(more, fmt.Sprintf("%s: ; variant of %s", rest, p.block), lines[p.line])
		}
		moveEdges(lines, p, "%"+rest)
		lines = slices.Replace(lines, p.line, p.line+1, more...)
	}
	return strings.Join(lines, "\n")
}

// moveEdges updates the phis that named the split block. They now name the block that has the end of the old block.
func moveEdges(lines []string, p place, rest string) {
	from, to := p.line, p.line
	for from > 0 && !begins.MatchString(lines[from]) {
		from--
	}
	for to < len(lines) && lines[to] != "}" {
		to++
	}
	for i := from; i < to; i++ {
		if strings.Contains(lines[i], " = phi ") {
			lines[i] = strings.ReplaceAll(lines[i], ", "+p.block+" ]", ", "+rest+" ]")
		}
	}
}

// plainIR returns a body without the lines that a variant added.
func plainIR(body string) string {
	var kept []string
	var labels [][2]string
	for line := range strings.Lines(body) {
		m := ours.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			kept = append(kept, line)
		} else if name := own.FindStringSubmatch(line); m[1] != "" && name != nil {
			labels = append(labels, [2]string{", %" + name[1] + " ]", ", " + m[1] + " ]"})
		}
	}
	text := strings.Join(kept, "")
	slices.SortFunc(labels, func(a, b [2]string) int { return strings.Compare(b[0], a[0]) }) // in descending order
	for _, l := range labels {
		text = strings.ReplaceAll(text, l[0], l[1])
	}
	return text
}
