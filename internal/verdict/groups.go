package verdict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// KernelGroups has the groups of programs that do the same with a kernel. The size of a group does not show
// that its programs are right.
type KernelGroups struct {
	Kernel string
	Names  []string // names of all programs; other fields refer to a program by its index in this list
	// Groups are the programs that have the kernel, two or more. Each program does the same as the first
	// program of its group. The first programs of two groups differ, or their comparison has no verdict.
	Groups  [][]int
	Missing []int // programs without the kernel
	// Unread has the errors of programs that could not be read. If it is not empty, the verdict cannot be "same".
	Unread []error
	// Pairs are the comparisons that were made, each of the first program of a group with a later program.
	Pairs []KernelPair
}

// KernelPair is a comparison of two programs and their indexes.
type KernelPair struct {
	A, B int
	*KernelComparison
}

// GroupObjects compares the kernels of two or more files of code objects as [DiffObjects] does. names has the names of
// the files. It compares kernels that at least two files have, on launches made for the first of these files.
func GroupObjects(ctx context.Context, objects [][]byte, names []string, o *ObjectsOptions) ([]*KernelGroups, error) {
	if len(objects) < 2 || len(objects) != len(names) {
		return nil, errors.New("give two or more code objects, and a name for each")
	}
	want := o.withDefaults()
	programs, err := readPrograms(objects, names, want)
	if err != nil {
		return nil, err
	}
	var all []*KernelGroups
	for _, name := range common(programs, want.Kernel) {
		c, err := newKernelCase(ctx, programs, name, want)
		if err != nil {
			return nil, err
		}
		g := &KernelGroups{Kernel: name, Names: names}
		for i := range programs {
			if err := programs[i].unread; err != nil {
				g.Unread = append(g.Unread, err)
				continue
			}
			if err := g.place(ctx, c, i); err != nil {
				return nil, fmt.Errorf("kernel %s: %w", name, err)
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// place adds program i to the first group whose programs do the same. If there is none, the program starts a new group.
// The error comes from ctx.
func (g *KernelGroups) place(ctx context.Context, c *kernelCase, i int) error {
	if c.parts[i] == nil {
		g.Missing = append(g.Missing, i)
		return nil
	}
	for n, group := range g.Groups {
		res, err := c.compare(ctx, group[0], i)
		if err != nil {
			return err
		}
		g.Pairs = append(g.Pairs, KernelPair{group[0], i, res})
		if v, _ := res.Verdict(); v == compare.Same {
			g.Groups[n] = append(group, i)
			return nil
		}
	}
	g.Groups = append(g.Groups, []int{i})
	return nil
}

// Verdict returns [compare.Same] if there is one group and [compare.Different] if two groups differ. In other
// cases there is no verdict, and why is the reason.
func (g *KernelGroups) Verdict() (v compare.Verdict, why string) {
	switch {
	case len(g.Groups) == 1 && g.Unread == nil:
		return compare.Same, ""
	case len(g.Groups) == 1:
		return compare.NoVerdict, fmt.Sprintf("%s do the same, but %v", g.list(g.Groups[0]), g.Unread[0])
	}
	for _, p := range g.Pairs {
		switch v, reason := p.Verdict(); {
		case v == compare.Different:
			return v, ""
		case v == compare.NoVerdict && why == "":
			why = fmt.Sprintf("of %s and %s: %s", g.Names[p.A], g.Names[p.B], reason)
		}
	}
	return compare.NoVerdict, why
}

// Telling returns the comparison that a user should look at first: one that differs, else one without a
// verdict, else the last one.
func (g *KernelGroups) Telling() *KernelPair {
	for _, want := range []compare.Verdict{compare.Different, compare.NoVerdict} {
		for i := range g.Pairs {
			if v, _ := g.Pairs[i].Verdict(); v == want {
				return &g.Pairs[i]
			}
		}
	}
	return &g.Pairs[len(g.Pairs)-1]
}

// Heads reports whether a pair is the first program of the first group and the first program of another group.
func (g *KernelGroups) Heads(p *KernelPair) bool {
	return p.A == g.Groups[0][0] && slices.ContainsFunc(g.Groups, func(group []int) bool { return group[0] == p.B })
}

// list returns the names of programs as text.
func (g *KernelGroups) list(programs []int) string {
	var names []string
	for _, i := range programs {
		names = append(names, g.Names[i])
	}
	return strings.Join(names, ", ")
}

// Write writes, as text for people, which programs do the same, and how each further group differs from the first.
func (g *KernelGroups) Write(w io.Writer) error {
	v, why := g.Verdict()
	var err error
	switch v {
	case compare.Same:
		_, err = fmt.Fprintf(w, "%s: same: %s\n", g.Kernel, g.list(g.Groups[0]))
	case compare.Different:
		_, err = fmt.Fprintf(w, "%s: different: %s; how many programs agree does not say which are right\n", g.Kernel,
			plural.Of(len(g.Groups), "group"))
	default:
		_, err = fmt.Fprintf(w, "%s: no verdict: %s\n", g.Kernel, why)
	}
	for i, group := range g.Groups {
		if len(g.Groups) > 1 {
			_, err = fmt.Fprintf(w, "group %d: %s\n", i+1, g.list(group))
		}
	}
	if len(g.Missing) > 0 {
		_, err = fmt.Fprintf(w, "note: without this kernel: %s\n", g.list(g.Missing))
	}
	for _, unread := range g.Unread {
		_, err = fmt.Fprintf(w, "note: left out: %v\n", unread)
	}
	for _, p := range g.Pairs {
		if len(g.Groups) > 1 && !g.Heads(&p) {
			continue
		}
		fmt.Fprintf(w, "\na is %s, b is %s:\n", g.Names[p.A], g.Names[p.B])
		if err := p.Write(w); err != nil {
			return err
		}
	}
	return err
}
