package ir

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Simpler yields bodies that are one step simpler than body, those that may remove most first. A step removes a
// store, makes a branch unconditional, or replaces a value by an operand of its instruction or by a constant, the
// last values first. Then definitions without uses are removed.
func Simpler(body string) iter.Seq[string] {
	return func(yield func(string) bool) {
		b := graphOf(body)
		for _, starts := range []string{"store ", "br ", "%"} {
			for i, block := range slices.Backward(b) {
				for j, line := range slices.Backward(block.lines) {
					if !strings.HasPrefix(line, starts) {
						continue
					}
					for _, by := range steps(line) {
						if !yield(b.with(i, j, by).String()) {
							return
						}
					}
				}
			}
		}
	}
}

// graph has the blocks of a body. The first one is entry. The last one does not end with a branch.
type graph []block

// graphOf returns the blocks of a body.
func graphOf(body string) graph {
	g := graph{{name: "entry"}}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if name, isLabel := strings.CutSuffix(line, ":"); isLabel {
			g = append(g, block{name: name})
		} else if line != "" {
			last := &g[len(g)-1]
			last.lines = append(last.lines, line)
		}
	}
	return g
}

// String returns the body's text.
func (g graph) String() string {
	var text strings.Builder
	for i, b := range g {
		if i > 0 {
			fmt.Fprintf(&text, "%s:\n", b.name)
		}
		for _, line := range b.lines {
			fmt.Fprintf(&text, "  %s\n", line)
		}
	}
	return text.String()
}

// steps returns the possible replacements for a line: another line, "" for none, or, for a definition, "=" and the
// value that replaces its name.
func steps(line string) (all []string) {
	if storeForm.MatchString(line) {
		return []string{""}
	}
	if f := chooseForm.FindStringSubmatch(line); f != nil {
		return []string{"br label %" + f[2], "br label %" + f[3]}
	}
	f := assignForm.FindStringSubmatch(line)
	if f == nil {
		return nil
	}
	t, operands := typed(f[2])
	for _, o := range operands {
		if o != f[1] {
			all = append(all, "="+o)
		}
	}
	switch t {
	case "<2 x i16>", "":
	case "float", "double", "half":
		all = append(all, "=1.0")
	default:
		all = append(all, "=1", "=0")
	}
	return all
}

// ranks are instructions that say little about a bug, those that say least first. They convert or move a value.
var ranks = [][]string{{"trunc", "zext", "sext", "bitcast", "lshr", "xor"},
	{"sitofp", "uitofp", "fpext", "and", "or", "add"}, {"fmul"}, {"fptrunc"}, {"icmp", "fcmp", "select"}, {"phi"}}

// odd matches integer types that no instruction supports.
var odd = regexp.MustCompile(`\bi(24|48)\b`)

// Signature names the part of a small body that is most specific for its bug: the intrinsics that it calls, or else
// its odd types, whose legalization may be wrong for any operation, or else its instructions of the highest rank.
func Signature(body string) string {
	called, others := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(body) {
		f := assignForm.FindStringSubmatch(strings.TrimSpace(line))
		if f == nil {
			continue
		}
		call := callForm.FindStringSubmatch(f[2])
		if call == nil {
			name, _, _ := strings.Cut(f[2], " ")
			others[name] = true
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimPrefix(call[2], "amdgcn."), ".")
		if strings.HasPrefix(rest, "sat") { // saturating sums and differences are one instruction with the bit CLAMP
			name = "sat"
		}
		called[name] = true
	}
	if types := odd.FindAllString(body, -1); len(types) > 0 {
		clear(others)
		for _, t := range types {
			others[t] = true
		}
	}
	if len(called) > 0 {
		others = called
	}
	for _, some := range ranks {
		low := func(name string) bool { return slices.Contains(some, name) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(others)), func(name string) bool { return !low(name) }) {
			maps.DeleteFunc(others, func(name string, _ bool) bool { return low(name) })
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(others)), ",")
}

var (
	nameForm = regexp.MustCompile(`%[\w.]+`)
	target   = regexp.MustCompile(`label %(\w+)`)
)

// typed returns the result type of an instruction, or "", and the operands that have the same type.
func typed(text string) (t string, same []string) {
	switch {
	case phiForm.MatchString(text):
		f := phiForm.FindStringSubmatch(text)
		for _, from := range fromForm.FindAllStringSubmatch(f[2], -1) {
			same = append(same, from[1])
		}
		return f[1], same
	case castForm.MatchString(text):
		return castForm.FindStringSubmatch(text)[4], nil
	case compareForm.MatchString(text):
		return "i1", nil
	case selectForm.MatchString(text):
		f := selectForm.FindStringSubmatch(text)
		return f[2], []string{f[3], f[5]}
	case callForm.MatchString(text):
		f := callForm.FindStringSubmatch(text)
		for _, a := range argForm.FindAllStringSubmatch(f[3], -1) {
			if a[1] == f[1] {
				same = append(same, a[2])
			}
		}
		return f[1], same
	case binaryForm.MatchString(text):
		f := binaryForm.FindStringSubmatch(text)
		return f[3], []string{f[4], f[5]}
	}
	return "", nil
}

// with returns the blocks after a step at a line, without definitions that the step made useless.
func (g graph) with(i, j int, by string) graph {
	next := slices.Clone(g)
	for i := range next {
		next[i].lines = slices.Clone(next[i].lines)
	}
	lines := next[i].lines
	value, replaces := strings.CutPrefix(by, "=")
	switch {
	case replaces:
		name := assignForm.FindStringSubmatch(lines[j])[1]
		next[i].lines = slices.Delete(lines, j, j+1)
		next.rename(name, value)
	case by == "":
		next[i].lines = slices.Delete(lines, j, j+1)
	default:
		lines[j] = by
	}
	for {
		if next = next.reached(); next.single() {
			continue
		}
		blocks := len(next)
		if next = next.joined(); !next.unused() && len(next) == blocks {
			return next
		}
	}
}

// edit replaces each line by f's result, "" to remove it. It reports whether any line changed.
func (g graph) edit(f func(block, line string) string) (changed bool) {
	for i := range g {
		kept := g[i].lines[:0]
		for _, line := range g[i].lines {
			to := f(g[i].name, line)
			if changed = changed || to != line; to != "" {
				kept = append(kept, to)
			}
		}
		g[i].lines = kept
	}
	return changed
}

// rename replaces a name by a value.
func (g graph) rename(name, value string) {
	g.edit(func(_, line string) string {
		return nameForm.ReplaceAllStringFunc(line, func(n string) string {
			if n == name {
				return value
			}
			return n
		})
	})
}

// next returns the targets of a block's branch.
func (b *block) next() (all []string) {
	if len(b.lines) == 0 || !strings.HasPrefix(b.lines[len(b.lines)-1], "br ") {
		return nil
	}
	for _, to := range target.FindAllStringSubmatch(b.lines[len(b.lines)-1], -1) {
		all = append(all, to[1])
	}
	return all
}

// before returns the predecessors of each block.
func (g graph) before() map[string][]string {
	from := map[string][]string{}
	for i := range g {
		for _, to := range g[i].next() {
			from[to] = append(from[to], g[i].name)
		}
	}
	return from
}

// reached removes unreachable blocks, and their entries in phis.
func (g graph) reached() graph {
	reached := map[string]bool{"entry": true}
	for before := 0; before != len(reached); {
		before = len(reached)
		for _, b := range g {
			if reached[b.name] {
				for _, to := range b.next() {
					reached[to] = true
				}
			}
		}
	}
	g = slices.DeleteFunc(g, func(b block) bool { return !reached[b.name] })
	from := g.before()
	g.edit(func(to, line string) string {
		if !strings.Contains(line, " = phi ") {
			return line
		}
		head, _, _ := strings.Cut(line, " [")
		var ways []string
		for _, way := range fromForm.FindAllStringSubmatch(line, -1) {
			if slices.Contains(from[to], way[2]) {
				ways = append(ways, way[0])
			}
		}
		return head + " " + strings.Join(ways, ", ")
	})
	return g
}

// single replaces a phi with one incoming value by that value.
func (g graph) single() bool {
	name, value := "", ""
	changed := g.edit(func(_, line string) string {
		if f := fromForm.FindAllStringSubmatch(line, -1); name == "" && len(f) == 1 {
			name, value = assignForm.FindStringSubmatch(line)[1], f[0][1]
			return ""
		}
		return line
	})
	if name != "" {
		g.rename(name, value)
	}
	return changed
}

// joined joins each block with its successor if they have no other successor and predecessor. All phis have several
// incoming values.
func (g graph) joined() graph {
	from := g.before()
	for i := 0; i < len(g)-1; {
		b, behind := &g[i], g[i+1]
		if to := b.next(); len(to) != 1 || to[0] != behind.name || len(from[behind.name]) != 1 {
			i++
			continue
		}
		b.lines = append(b.lines[:len(b.lines)-1], behind.lines...)
		name := b.name
		g = slices.Delete(g, i+1, i+2)
		g.edit(func(_, line string) string {
			return fromForm.ReplaceAllStringFunc(line, func(way string) string {
				return strings.Replace(way, ", %"+behind.name+" ]", ", %"+name+" ]", 1)
			})
		})
	}
	return g
}

// unused removes definitions without uses. It reports whether it removed any.
func (g graph) unused() bool {
	uses := map[string]int{}
	g.edit(func(_, line string) string {
		names := nameForm.FindAllString(line, -1)
		for i, name := range names {
			if !assignForm.MatchString(line) || i > 0 && name != names[0] {
				uses[name]++
			}
		}
		return line
	})
	return g.edit(func(_, line string) string {
		if f := assignForm.FindStringSubmatch(line); f != nil && uses[f[1]] == 0 {
			return ""
		}
		return line
	})
}
