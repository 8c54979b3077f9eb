// Package ranges has a sorted list of address ranges that does not change, so that readers need no
// lock, and a draft of such lists, which does: a list of it costs nothing, shares its storage with
// the draft, and what the draft changes later it copies first. A million updates of a million
// ranges take seconds.
package ranges

import (
	"iter"
	"slices"
)

// Entry is a value at the addresses from Lo up to Hi, which is greater than Lo.
type Entry[T any] struct {
	Lo, Hi uint64
	Value  T
}

// List is a list of entries that do not overlap, sorted by address. The zero value is empty. It is
// a B+ tree: all leaves are equally deep.
type List[T any] struct{ root *node[T] }

// Draft is a list that changes. The zero value is empty. It is not safe for concurrent use.
type Draft[T any] struct {
	List[T]        // as it is now: what it returns must not be kept while the draft changes
	owner   *owner // of the nodes that no list shares
}

// owner marks nodes that may change. Each has an address of its own.
type owner struct{ _ byte }

// Freeze returns the list as it is now.
func (d *Draft[T]) Freeze() *List[T] {
	list := d.List
	d.owner = nil
	return &list
}

// most is how many entries a leaf has at most, and how many children an inner node. One with
// fewer than few is merged with a neighbour when that changes.
const (
	most = 64
	few  = most / 4
)

// node is a leaf, which has entries, or an inner node, which has children. It has at least one of
// them. It changes only in the draft that has its owner.
type node[T any] struct {
	owner    *owner
	entries  []Entry[T]
	children []*node[T]
	ends     []uint64 // of each child, where its last entry ends
	count    int      // entries in all
}

// Len returns how many entries there are.
func (l *List[T]) Len() int {
	if l.root == nil {
		return 0
	}
	return l.root.count
}

// Find returns the value at addr. It reports false if there is none.
func (l *List[T]) Find(addr uint64) (v T, ok bool) {
	n := l.root
	if n == nil {
		return v, false
	}
	for n.children != nil {
		i := n.child(addr)
		if i == len(n.children) {
			return v, false
		}
		n = n.children[i]
	}
	if i := n.entry(addr); i < len(n.entries) && n.entries[i].Lo <= addr {
		return n.entries[i].Value, true
	}
	return v, false
}

// entry returns the index of the first entry of a leaf that ends after addr.
func (n *node[T]) entry(addr uint64) int {
	lo, hi := 0, len(n.entries)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if n.entries[mid].Hi <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// child returns the index of the first child of an inner node that ends after addr.
func (n *node[T]) child(addr uint64) int {
	lo, hi := 0, len(n.ends)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if n.ends[mid] <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// From returns the entries that end after addr, in ascending order.
func (l *List[T]) From(addr uint64) iter.Seq[Entry[T]] {
	return func(yield func(Entry[T]) bool) {
		if l.root != nil {
			l.root.from(addr, yield)
		}
	}
}

func (n *node[T]) from(addr uint64, yield func(Entry[T]) bool) bool {
	if n.children == nil {
		for _, e := range n.entries[n.entry(addr):] {
			if !yield(e) {
				return false
			}
		}
		return true
	}
	for _, c := range n.children[n.child(addr):] {
		if !c.from(addr, yield) {
			return false
		}
	}
	return true
}

// Before returns the entries that end at addr or before, in descending order.
func (l *List[T]) Before(addr uint64) iter.Seq[Entry[T]] {
	return func(yield func(Entry[T]) bool) {
		if l.root != nil {
			l.root.before(addr, yield)
		}
	}
}

func (n *node[T]) before(addr uint64, yield func(Entry[T]) bool) bool {
	if n.children == nil {
		for i := n.entry(addr) - 1; i >= 0; i-- {
			if !yield(n.entries[i]) {
				return false
			}
		}
		return true
	}
	for i := min(n.child(addr), len(n.children)-1); i >= 0; i-- {
		if !n.children[i].before(addr, yield) {
			return false
		}
	}
	return true
}

// Replace takes the entries out that overlap the addresses from lo up to hi, and puts others in their
// place. These are sorted, and do not overlap what stays.
func (d *Draft[T]) Replace(lo, hi uint64, with ...Entry[T]) {
	if d.owner == nil {
		d.owner = &owner{}
	}
	var level []*node[T]
	switch {
	case d.root == nil:
		level = leaves(d.owner, with)
	case edit(d.owner, d.root, lo, hi, with):
		return
	default:
		level = replace(d.owner, d.root, lo, hi, with)
	}
	for len(level) > 1 {
		level = inners(d.owner, level)
	}
	if len(level) == 0 {
		d.root = nil
		return
	}
	d.root = level[0]
	for len(d.root.children) == 1 {
		d.root = d.root.children[0]
	}
}

// edit does a replacement within one leaf, if that has room and no list shares it; else it does nothing
// and reports false.
func edit[T any](o *owner, n *node[T], lo, hi uint64, with []Entry[T]) bool {
	if n.owner != o {
		return false
	}
	if n.children == nil {
		i, j := n.overlap(lo, hi)
		if size := len(n.entries) - (j - i) + len(with); size < few || size > most {
			return false
		}
		n.entries = slices.Replace(n.entries, i, j, with...)
		n.count = len(n.entries)
		return true
	}
	i := min(n.child(lo), len(n.children)-1)
	c := n.children[i]
	before := c.count
	if i+1 < len(n.children) && n.ends[i] < hi || !edit(o, c, lo, hi, with) {
		return false
	}
	n.ends[i] = c.end()
	n.count += c.count - before
	return true
}

// overlap returns where the entries of a leaf that overlap a range begin and end.
func (n *node[T]) overlap(lo, hi uint64) (i, j int) {
	i = n.entry(lo)
	j = i
	for j < len(n.entries) && n.entries[j].Lo < hi {
		j++
	}
	return i, j
}

// replace returns what comes in place of n after a replacement: nodes that are as deep.
func replace[T any](o *owner, n *node[T], lo, hi uint64, with []Entry[T]) []*node[T] {
	if n.children == nil {
		i, j := n.overlap(lo, hi)
		return leaves(o, n.entries[:i], with, n.entries[j:])
	}
	// Children i to j are those that may have an entry between; i gets the new ones.
	i := min(n.child(lo), len(n.children)-1)
	j := i
	for j+1 < len(n.children) && n.ends[j] < hi {
		j++
	}
	changed := replace(o, n.children[i], lo, hi, with)
	if j > i && n.ends[j] > hi { // else all of child j goes, as what is between does
		changed = append(changed, replace(o, n.children[j], lo, hi, nil)...)
	}
	all := slices.Concat(n.children[:i], changed, n.children[j+1:])
	return inners(o, mend(o, all, i, i+len(changed)))
}

// leaves makes leaves of entries.
func leaves[T any](o *owner, entries ...[]Entry[T]) []*node[T] {
	var all []*node[T]
	for piece := range pieces(slices.Concat(entries...)) {
		all = append(all, &node[T]{owner: o, entries: piece, count: len(piece)})
	}
	return all
}

// inners makes inner nodes of children.
func inners[T any](o *owner, children []*node[T]) []*node[T] {
	var all []*node[T]
	for piece := range pieces(children) {
		n := &node[T]{owner: o, children: piece, ends: make([]uint64, len(piece))}
		for i, c := range piece {
			n.ends[i] = c.end()
			n.count += c.count
		}
		all = append(all, n)
	}
	return all
}

// pieces cuts a slice into as few equal pieces as have no more than most elements.
func pieces[E any](all []E) iter.Seq[[]E] {
	return func(yield func([]E) bool) {
		for n := (len(all) + most - 1) / most; n > 0; n-- {
			size := (len(all) + n - 1) / n
			if !yield(all[:size:size]) {
				return
			}
			all = all[size:]
		}
	}
}

// mend merges siblings from index i up to j, and the one before and the one after, where one of two
// is small.
func mend[T any](o *owner, all []*node[T], i, j int) []*node[T] {
	i, j = max(i-1, 0), min(j+1, len(all))
	var mended []*node[T]
	for _, n := range all[i:j] {
		last := len(mended) - 1
		if last < 0 || !mended[last].small() && !n.small() {
			mended = append(mended, n)
			continue
		}
		mended = append(mended[:last], merge(o, mended[last], n)...)
	}
	return slices.Concat(all[:i], mended, all[j:])
}

// merge returns one or two nodes that have what a and b have.
func merge[T any](o *owner, a, b *node[T]) []*node[T] {
	if a.children == nil {
		return leaves(o, a.entries, b.entries)
	}
	return inners(o, slices.Concat(a.children, b.children))
}

func (n *node[T]) small() bool { return len(n.entries)+len(n.children) < few }

// end returns where the last entry ends.
func (n *node[T]) end() uint64 {
	if n.children == nil {
		return n.entries[len(n.entries)-1].Hi
	}
	return n.ends[len(n.ends)-1]
}
