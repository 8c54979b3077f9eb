package executor

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Bindings maps mnemonics to executors. A key has one or several mnemonics, separated by spaces. Only [NewTable]
// reads it.
type Bindings[T any] map[string]T

// Table maps each row of an executor's encodings to its binding.
type Table[T any] struct {
	rows  []T // by [gcn.Op]
	bound []bool
}

// NewTable returns the table of the rows for which owns returns true. facts binds rows whose traits determine the
// operation; bindings has the others. It panics if a mnemonic has no row among those of owns, if a row is bound
// twice, if a row that executes is not bound, or if a row that does not execute is bound.
func NewTable[T any](owns func(r *isa.Row) bool, facts func(r *isa.Row) (to T, ok bool),
	bindings ...Bindings[T]) *Table[T] {
	t := &Table[T]{rows: make([]T, isa.NumOps()), bound: make([]bool, isa.NumOps())}
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		if r := isa.RowOf(op); owns(r) && executes(r) {
			if to, ok := facts(r); ok {
				t.bind(op, to)
			}
		}
	}
	for _, list := range bindings {
		for names, to := range list {
			for name := range strings.FieldsSeq(names) {
				t.bindName(name, owns, to)
			}
		}
	}
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		if r := isa.RowOf(op); owns(r) && executes(r) && !t.bound[op] {
			panic("executor: nothing executes " + r.Name + "; bind it, or give its row a note that says why")
		}
	}
	return t
}

// bindName binds the rows of a mnemonic for which owns returns true.
func (t *Table[T]) bindName(name string, owns func(r *isa.Row) bool, to T) {
	found := false
	for _, op := range isa.Ops(name) {
		if r := isa.RowOf(op); owns(r) {
			if !executes(r) {
				panic("executor: " + name + " is bound, but its row says that it does not execute: " + r.Note.Why)
			}
			t.bind(op, to)
			found = true
		}
	}
	if !found {
		panic("executor: " + name + " is bound, but it is no instruction of this executor")
	}
}

func (t *Table[T]) bind(op gcn.Op, to T) {
	if t.bound[op] {
		panic("executor: " + op.String() + " is bound twice")
	}
	t.rows[op], t.bound[op] = to, true
}

// Of returns the binding of in's row, or the reason why there is none.
func (t *Table[T]) Of(in *isa.Inst) (to T, why string) {
	if t.bound[in.Op] {
		return t.rows[in.Op], ""
	}
	if r := in.Row(); !executes(r) {
		return to, r.Note.Why
	}
	return to, in.Op.String() + " belongs to another executor"
}

// Row returns the binding of row op; ok is false if there is none.
func (t *Table[T]) Row(op gcn.Op) (to T, ok bool) { return t.rows[op], t.bound[op] }

// executes reports whether instructions of the row execute, according to the row. It panics if that is impossible
// because the row's atomic operation is unknown.
func executes(r *isa.Row) bool {
	if r.Note != nil && r.Note.Level == gcn.NotExecuted {
		return false
	}
	if r.Mem.Atomic != isa.NoAtomic && !canAtomic(&r.Mem) {
		panic("executor: nothing does the atomic operation of " + r.Name)
	}
	return true
}

// OneOf returns a function that accepts rows of the given encodings, for [NewTable].
func OneOf(encodings ...gcn.Encoding) func(r *isa.Row) bool {
	var of [isa.NumEncodings]bool
	for _, e := range encodings {
		of[e] = true
	}
	return func(r *isa.Row) bool { return of[r.Enc] }
}
