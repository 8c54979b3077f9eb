// Package memtest has helpers for tests of memory executors: memory that consists of slices, instructions by name,
// and a reference that follows the handbook lane by lane.
package memtest

import (
	"encoding/binary"
	"flag"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// Memory is a list of mapped ranges.
type Memory []*executor.Span

// Find implements executor.Memory.
func (m Memory) Find(addr uint64) *executor.Span {
	for _, s := range m {
		if _, ok := s.Offset(addr, 1); ok {
			return s
		}
	}
	return nil
}

// NewSpan maps size bytes at base, a multiple of 16. Its content is a pattern in which every byte differs from its
// neighbours.
func NewSpan(base uint64, size int) *executor.Span {
	words := make([]uint32, (size+15)/16*4)
	s := &executor.Span{Base: base, Hi: uint64(size), Words: words,
		Bytes: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words))}
	fill(s.Bytes)
	return s
}

func fill(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, pattern[:]):]
	}
}

// pattern is the initial content of memory.
var pattern = func() (p [0x10000]byte) {
	for i := range uint32(len(p) / 4) {
		binary.LittleEndian.PutUint32(p[4*i:], i*0x9e3779b1+0x7f4a7c15)
	}
	return p
}()

var states = flag.Int("states", 0, "random states of each opcode, target and rule set in the tests against a reference")

// States returns the number of random states for each opcode: n, or fewer in a sample. The flag -states overrides it:
// go test ./mubuf -run AgainstReference -timeout 0 -states 1000000.
func States(n int) int {
	if *states > 0 {
		return *states
	}
	return effort.Rounds(n)
}

// Fields are values of instruction fields.
type Fields map[isa.Field]int64

// Inst returns the instruction with the mnemonic on t. It panics if the mnemonic does not exist or a value does not
// fit.
func Inst(t gcn.Target, name string, fields Fields) isa.Inst {
	ops, err := isa.Lookup(name, t)
	if err != nil {
		panic("memtest: " + err.Error())
	}
	return Form(t, ops[0], fields)
}

// Form is [Inst] for an opcode.
func Form(t gcn.Target, op gcn.Op, fields Fields) isa.Inst {
	in, err := isa.New(t, op, isa.Invalid)
	if err != nil {
		panic("memtest: " + err.Error())
	}
	for f, v := range fields {
		if in, err = in.Set(f, v); err != nil {
			panic("memtest: " + err.Error())
		}
	}
	return in
}

// Targets has one processor for each generation.
var Targets = func() (targets [gcn.NumGens]gcn.Target) {
	for g := range targets {
		targets[g] = gcn.Gen(g).Target()
	}
	return targets
}()
