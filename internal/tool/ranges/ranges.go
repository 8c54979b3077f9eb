// Package ranges has a sorted, immutable list of address ranges, which readers use without a lock, and a mutable
// draft of such a list. Freezing a draft is cheap: the list shares the draft's storage, and later changes copy the
// shared parts. A million updates of a million ranges take seconds.
package ranges

import (
	"iter"
	"slices"
)

// Entry is a value for the addresses from Lo up to, but not including, Hi, which is greater than Lo.
type Entry[T any] struct {
	Lo, Hi uint64
	Value  T
}

// List is a list of entries that do not overlap, sorted by address. The zero value is empty. It is a B+ tree, whose
// leaves all have the same depth.
type List[T any] struct{ root *node[T] }

// Draft is a mutable list. The zero value is empty. It is not safe for concurrent use.
type Draft[T any] struct {
	List[T]        // the current content; results of its methods must not be kept while the draft changes
	owner   *owner // owner of the nodes that no list shares
}

// owner identifies the draft that may change a node. It is not empty, so that each has its own address.
type owner struct{ _ byte }

// Freeze returns the current content as a list.
func (d *Draft[T]) Freeze() *List[T] {
	list := d.List
	d.owner = nil
	return &list
}

// most is the greatest number of entries in a leaf and of children in an inner node. A node with fewer than few of
// them is merged with a neighbour when the neighbour changes.
const (
	most = 64
	few  = most / 4
)

// node is a leaf with entries, or an inner node with children. It is never empty. Only the draft with the same owner
// may change it.
type node[T any] struct {
	owner    *owner
	entries  []Entry[T]
	children []*node[T]
	ends     []uint64 // for each child, the end of its last entry
	count    int      // number of entries below
}

// Len returns how many entries there are.
func (l *List[T]) Len() int {
	if l.root == nil {
		return 0
	}
	return l.root.count
}

// Find returns the value at addr. ok is false if no entry contains addr.
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

// Replace removes the entries that overlap the addresses from lo up to hi and inserts others. These must be sorted,
// and must not overlap entries that remain.
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

// edit replaces entries within one leaf, if it has enough room and no list shares it. Otherwise it changes nothing
// and returns false.
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

// overlap returns the index range of a leaf's entries that overlap an address range.
func (n *node[T]) overlap(lo, hi uint64) (i, j int) {
	i = n.entry(lo)
	j = i
	for j < len(n.entries) && n.entries[j].Lo < hi {
		j++
	}
	return i, j
}

// replace returns the nodes that replace n, at the same depth.
func replace[T any](o *owner, n *node[T], lo, hi uint64, with []Entry[T]) []*node[T] {
	if n.children == nil {
		i, j := n.overlap(lo, hi)
		return leaves(o, n.entries[:i], with, n.entries[j:])
	}
	// Children i to j may have overlapping entries. The new entries are inserted into child i.
	i := min(n.child(lo), len(n.children)-1)
	j := i
	for j+1 < len(n.children) && n.ends[j] < hi {
		j++
	}
	changed := replace(o, n.children[i], lo, hi, with)
	if j > i && n.ends[j] > hi { // otherwise child j is removed, like the children in between
		changed = append(changed, replace(o, n.children[j], lo, hi, nil)...)
	}
	all := slices.Concat(n.children[:i], changed, n.children[j+1:])
	return inners(o, mend(o, all, i, i+len(changed)))
}

// leaves distributes entries to leaves.
func leaves[T any](o *owner, entries ...[]Entry[T]) []*node[T] {
	var all []*node[T]
	for piece := range pieces(slices.Concat(entries...)) {
		all = append(all, &node[T]{owner: o, entries: piece, count: len(piece)})
	}
	return all
}

// inners distributes children to inner nodes.
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

// pieces splits a slice into as few pieces of equal size as possible, with at most most elements each.
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

// mend merges neighbouring siblings if one is too small, for indices i up to j and the ones beside them.
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

// merge distributes the content of a and b to one or two nodes.
func merge[T any](o *owner, a, b *node[T]) []*node[T] {
	if a.children == nil {
		return leaves(o, a.entries, b.entries)
	}
	return inners(o, slices.Concat(a.children, b.children))
}

func (n *node[T]) small() bool { return len(n.entries)+len(n.children) < few }

// end returns the end of the last entry.
func (n *node[T]) end() uint64 {
	if n.children == nil {
		return n.entries[len(n.entries)-1].Hi
	}
	return n.ends[len(n.ends)-1]
}
