// Package memtest helps to test the memory executors: memory made of slices,
// instructions by name, and a reference that follows spec/memory.md lane by lane.
package memtest

import (
	"encoding/binary"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Memory is a list of mapped ranges.
type Memory []*state.Span

// Find implements state.Memory.
func (m Memory) Find(addr uint64) *state.Span {
	for _, s := range m {
		if _, ok := s.Offset(addr, 1); ok {
			return s
		}
	}
	return nil
}

// NewSpan maps size bytes at base, a multiple of 16, and fills them with a pattern in
// which every byte differs from its neighbours.
func NewSpan(base uint64, size int) *state.Span {
	words := make([]uint32, (size+15)/16*4)
	s := &state.Span{Base: base, Hi: uint64(size), Words: words, Bytes: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words))}
	for i := range words {
		binary.LittleEndian.PutUint32(s.Bytes[4*i:], uint32(i)*0x9e3779b1+0x7f4a7c15)
	}
	return s
}

// Fields are values of instruction fields by name.
type Fields map[gcn.Field]int64

// Inst returns the instruction with the mnemonic on g. It panics if there is none or a
// value does not fit.
func Inst(g gcn.Gen, name string, fields Fields) gcn.Inst {
	ops := gcn.Lookup(name, g)
	if len(ops) == 0 {
		panic("memtest: no " + name + " on " + g.String())
	}
	in, err := gcn.New(g, ops[0], gcn.Invalid)
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

// Targets has one target of each generation.
var Targets = [gcn.NumGens]gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906}
