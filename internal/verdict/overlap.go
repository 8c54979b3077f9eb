package verdict

import (
	"encoding/binary"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// This file makes launches with two pointers into one buffer.

// Limits and address of launches with two pointers into one buffer.
const (
	maxOverlaps = 6
	overlapAddr = (2*maxAcross + 2) << 32 // address of the buffer if it has none
)

// overlap makes launches of one work-item in which two pointers are equal, or one points to the second element of the
// other. Languages define such launches if neither pointer is restrict and their types may alias. There is only one
// work-item, because others could store what it loads, and no finding would report that within a wave.
func (x *director) overlap(b *pairRun) {
	known := x.launcher.known
	if x.launcher.kernel.ReqdGroupSize[0] != 0 || known.Group != [3]uint32{} || known.Grid != [3]uint32{} {
		return
	}
	args, pairs := codeobj.Explicit(x.launcher.kernel), 0
	alone := func(l *pairRun) { l.dispatch.Group, l.dispatch.Grid = [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1} }
	for n := range args {
		for m := n + 1; m < len(args) && pairs < maxOverlaps; m++ {
			if !x.mayOverlap(b, n, m) {
				continue
			}
			pairs++
			counts := x.try(b, alone, pointsInto(n, m, 0))
			if size := scalarBytes(args[n].TypeName); size > 0 && size == scalarBytes(args[m].TypeName) {
				counts = x.try(b, alone, pointsInto(n, m, size)) || counts
				counts = x.try(b, alone, pointsInto(m, n, size)) || counts
			}
			if counts {
				x.res.tried.overlaps = append(x.res.tried.overlaps, [2]int{n, m})
			}
		}
	}
}

// mayOverlap reports whether two pointers of a base may point into one buffer in both programs, and a program stores
// through one of them. It is false if the metadata name no types (HIP), because these might not be allowed to alias.
func (x *director) mayOverlap(b *pairRun, n, m int) bool {
	stored := false
	for i, p := range x.pair {
		k, err := p.object.Kernel(x.launcher.kernel.Name)
		if err != nil {
			return false
		}
		args := codeobj.Explicit(k)
		if n >= len(args) || m >= len(args) || args[n].NoAlias || args[m].NoAlias ||
			!mayAlias(args[n].TypeName, args[m].TypeName) {
			return false
		}
		stored = stored || x.res.Effects[i].Written(n)+x.res.Effects[i].Written(m) > 0
	}
	for _, at := range []int{n, m} {
		_, given := x.launcher.known.arg(codeobj.Explicit(x.launcher.kernel)[at], at)
		if given || b.dispatch.Args[at].Buffer == nil {
			return false
		}
	}
	return stored
}

// mayAlias reports whether pointers to two types may point to one object. They may if the types are equal, except for
// signedness, or if one is a character type.
func mayAlias(a, b string) bool {
	x, y := scalarBytes(a), scalarBytes(b)
	s, known := element.Named(a)
	t, _ := element.Named(b)
	return a != "" && a == b || x == 1 || y == 1 ||
		known && x > 0 && x == y && element.Of(s).Mantissa == element.Of(t).Mantissa
}

// scalarBytes returns the size in bytes of the elements of a pointer. It is 0 for vectors and unknown types.
func scalarBytes(pointer string) int {
	as, known := element.Named(pointer)
	if !known || strings.ContainsAny(pointer, "0123456789") {
		return 0
	}
	return element.Of(as).Bytes
}

// pointsInto returns a change that makes pointer m point to byte at of the buffer of pointer n.
func pointsInto(n, m, at int) change {
	return func(l *pairRun) {
		of, other := *l.dispatch.Args[n].Buffer, l.dispatch.Args[m].Buffer
		of.Size = max(of.Size, uint64(at)+other.Size)
		if of.Addr == nil {
			addr := uint64(overlapAddr)
			of.Addr = &addr
		}
		value := binary.LittleEndian.AppendUint64(nil, *of.Addr+uint64(at))
		delete(l.drawn, n)
		delete(l.drawn, m)
		l.dispatch.Args[n].Buffer, l.dispatch.Args[m] = &of, spec.Arg{Bytes: &value}
	}
}

// pointedInto returns the argument whose buffer the pointer in value points into, and the byte offset of the pointer.
func pointedInto(d *spec.Dispatch, value []byte) (arg int, at uint64, ok bool) {
	if len(value) != 8 {
		return 0, 0, false
	}
	for n := range d.Args {
		if b := d.Args[n].Buffer; b != nil && b.Addr != nil {
			if at := binary.LittleEndian.Uint64(value) - *b.Addr; at < b.Size {
				return n, at, true
			}
		}
	}
	return 0, 0, false
}
