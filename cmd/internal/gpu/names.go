package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/demangle"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// name returns the numbers of a kernel, and its title if known.
func (k *kernel) name() string {
	name := fmt.Sprintf("file %d, kernel %d", k.File, k.Number)
	if title := k.title(); title != "" {
		name += ", " + title
	}
	return name
}

// title returns the kernel's name in its source with the line, such as "vadd(int*), vadd.hip:4", or its purpose. It
// is "" if neither is known.
func (k *kernel) title() string {
	switch title := k.Title(); {
	case title == "" && k.Runtime:
		return "a copy or a fill of the runtime"
	case k.Source != "":
		return title + ", " + k.Source
	default:
		return title
	}
}

// base returns the address to which PCs are relative: the code object's load address, as in disassemblies of its
// file, or the first instruction if the object is unknown. PCs below that are shown as absolute addresses; then base
// is 0.
func (k *kernel) base() uint64 {
	base := cmp.Or(k.Load, k.Address)
	before := func(at *check.Site) bool { return at != nil && at.Text != "" && at.PC < base }
	if k.profile != nil && slices.ContainsFunc(k.profile.Rows(), func(r trace.Row) bool { return r.PC < base }) ||
		slices.ContainsFunc(k.findings, func(f check.Finding) bool { return before(&f.Site) || before(f.Producer) }) {
		return 0
	}
	return base
}

// tellsOfKernels reports whether the options ask for output about kernels.
func (w *watcher) tellsOfKernels() bool {
	return w.want.List || w.want.Save != "" || w.want.Stats || w.want.Timing != spec.NotTimed || w.want.Report != "" ||
		len(w.want.Check) > 0
}

// leaveOut removes the kernels of the runtime, unless the options ask for them. It returns a note with their number,
// or "".
func (w *watcher) leaveOut() string {
	if w.want.Runtime || !w.tellsOfKernels() {
		return ""
	}
	dispatches, instructions, findings := 0, uint64(0), 0
	w.kernels = slices.DeleteFunc(w.kernels, func(k *kernel) bool {
		if k.Runtime {
			dispatches += k.Dispatches
			instructions += k.Total.Instructions
			findings += len(k.findings)
		}
		return k.Runtime
	})
	if dispatches == 0 {
		return ""
	}
	text := fmt.Sprintf("left out: %s of the runtime's own kernels (copies and fills) with %s",
		plural.Of(dispatches, "run"), plural.Of(int(instructions), "instruction"))
	if findings > 0 {
		text += " and " + plural.Of(findings, "finding")
	}
	return text + "; --runtime shows them"
}

// join sorts the kernels. Kernels with the same code at several addresses become one.
func (w *watcher) join() {
	slices.SortStableFunc(w.kernels, func(a, b *kernel) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Number, b.Number))
	})
	var all []*kernel
	for _, k := range w.kernels {
		if n := len(all); n > 0 && all[n-1].File == k.File && all[n-1].Number == k.Number {
			all[n-1].add(k)
		} else {
			all = append(all, k)
		}
	}
	w.kernels = all
}

// add adds the data of o, the same code at another address, to k.
func (k *kernel) add(o *kernel) {
	by, sum := o.Address-k.Address, *k.Kernel // a copy, because the device keeps the original
	sum.Dispatches += o.Dispatches
	sum.Cycles += o.Cycles
	sum.Total.Add(&o.Total)
	k.Kernel = &sum
	if k.profile != nil && o.profile != nil {
		k.profile.Add(o.profile, by)
	}
	for _, f := range o.findings {
		f = f.From(by)
		if i := slices.IndexFunc(k.findings, func(of check.Finding) bool { return sameDefect(&f, &of) }); i >= 0 {
			k.findings[i].Count += f.Count
		} else {
			k.findings = append(k.findings, f)
		}
	}
	k.missed = slices.DeleteFunc(k.missed, func(s check.Site) bool {
		return !slices.ContainsFunc(o.missed, func(of check.Site) bool { return of.PC-by == s.PC })
	})
	k.more = min(k.more, o.more)
}

// sameDefect reports whether a and b are the same finding about the same instructions.
func sameDefect(a, b *check.Finding) bool {
	if a.Producer != nil && b.Producer != nil && a.Producer.PC != b.Producer.PC {
		return false
	}
	return a.Kind == b.Kind && a.PC == b.PC && a.Field == b.Field && a.Reg == b.Reg &&
		(a.Producer == nil) == (b.Producer == nil)
}

// readable demangles the function names in findings.
func readable(all []check.Finding) []check.Finding {
	for i := range all {
		f := &all[i]
		f.Symbol = demangle.Symbol(f.Symbol)
		if f.Producer != nil {
			p := *f.Producer
			p.Symbol = demangle.Symbol(p.Symbol)
			f.Producer = &p
		}
	}
	return all
}
