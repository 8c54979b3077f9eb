//go:build !js

package prove

import (
	"encoding/binary"
	"slices"

	"github.com/gcnsim/gcnsim/internal/prove/eval"
	"github.com/gcnsim/gcnsim/internal/prove/solve"
	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// Limits of the launches that are tried: work-groups and work-items per dimension, and bytes of a buffer.
const (
	smallGroups = 4
	smallBuffer = 1 << 16
)

var smallSize = [3]uint64{64, 4, 4}

// input searches for a small launch for which the programs may differ, and sets q.Input.
func (q *query) input(differs *term.Term, a, b *eval.Result) {
	inside, ok := q.inside(a, b, smallBuffer)
	if !ok {
		return
	}
	for axis, size := range smallSize {
		group, of := q.Group(axis), q.Zext(32, q.Size(axis))
		if q.kernel.ReqdGroupSize[axis] == 0 {
			inside = append(inside, q.Ult(of, q.Const(32, size+1)))
		}
		inside = append(inside, q.Ult(group, q.Const(32, smallGroups)),
			q.Eq(q.Grid(axis), q.Mul(q.Add(group, q.Const(32, 1)), of)))
	}
	question := append(q.facts(append(inside, differs)), append(inside, differs)...)
	answer, values := q.query(1).Check(question)
	if answer != solve.Sat || q.Full {
		return
	}
	in := &Input{}
	for axis := range in.Group {
		in.Group[axis], in.Size[axis] = uint32(values.Get(q.Group(axis))), max(uint32(values.Get(q.Size(axis))), 1)
	}
	pointers := q.pointers()
	for n, x := range codeobj.Explicit(q.kernel) {
		var value []byte
		if x.Kind == codeobj.ByValue {
			for dword := range (int(x.Size) + 3) / 4 {
				value = binary.LittleEndian.AppendUint32(value, uint32(values.Get(q.Arg(n, dword))))
			}
			value = value[:x.Size]
		}
		in.Args = append(in.Args, value)
	}
	for _, x := range slices.Concat(a.Loads, b.Loads) {
		if values.Get(x.Cond) == 0 {
			continue
		}
		of := slices.IndexFunc(pointers, func(p pointer) bool { return partOf(p.Term, x.Addr) })
		offset := values.Get(x.Addr) - values.Get(pointers[of].Term)
		cell := values.Get(q.Fn(8*q.Unit, "memory", x.Addr))
		for i := range uint64(q.Unit) {
			in.Data = append(in.Data, Data{pointers[of].arg, offset + i, byte(cell >> (8 * i))})
		}
	}
	q.Input = in
}

// pointer is an explicit argument that points to a buffer, and the index of the argument.
type pointer struct {
	*term.Term
	arg int
}

// pointers returns the explicit arguments that point to buffers.
func (q *query) pointers() (all []pointer) {
	for n, x := range codeobj.Explicit(q.kernel) {
		if x.Kind == codeobj.GlobalBuffer {
			all = append(all, pointer{q.Concat(q.Arg(n, 1), q.Arg(n, 0)), n})
		}
	}
	return all
}
