package device

import (
	"fmt"
	"hash/maphash"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// Kernel is a program that an open file has dispatched. Kernels have numbers, in the order of their
// first dispatch, since machine code has no names; those of ROCm have names, too, where the code
// objects of the process are known, and those of Vulkan where the driver writes debug labels.
type Kernel struct {
	File, Number int // from 1 on; kernels of one number are the same code, which the driver has placed more than once

	Name    string // as the code object has it, as in "_Z4vaddPKfi", or a debug label; "" if it is not known
	Source  string // the line that it was compiled from, as in "vadd.hip:4"; "" if it is not known
	Load    uint64 // load address of the code object: PCs less that are the PCs of the file; 0 if it is not known
	Runtime bool   // it is a kernel of ROCm's runtime itself, for copies and fills

	Code       string // where it began when it was first seen, as in "buffer object 4 + 0x100"
	Address    uint64 // the same as an address: what PCs of findings count from
	RSRC       gcn.RSRC
	Dispatches int
	Cycles     uint64     // all its dispatches together, 0 without times
	Total      sim.Result // of all dispatches

	text uint64 // hash of its code, 0 if it is not known where that ends
}

// kernelKey tells kernels apart: drivers reuse addresses.
type kernelKey struct {
	address uint64
	rsrc    gcn.RSRC
	code    uint64 // hash of what begins there
}

// codeSample is how much of the code of a kernel is looked at to tell it from another one at
// the same address.
const codeSample = 4 << 10

var codeSeed = maphash.MakeSeed()

// kernel returns the kernel of a dispatch, a new one if it was not seen before.
func (f *File) kernel(d *Dispatch) *Kernel {
	r := &d.Registers
	code, err := f.space.span(r.Program, codeSample, false)
	if err != nil {
		code = nil // the dispatch will say so
	}
	key := kernelKey{r.Program, r.RSRC, maphash.Bytes(codeSeed, code)}
	e := &f.engine
	f.recorded.Lock()
	k := e.kernels[key]
	f.recorded.Unlock()
	var fresh *Kernel
	if k == nil {
		fresh = &Kernel{File: f.id, Code: d.Code, Address: r.Program, RSRC: r.RSRC}
		if d.identify != nil {
			d.identify(fresh, code) // it may take long, and dispatches of other queues continue
		}
	}
	f.recorded.Lock()
	defer f.recorded.Unlock()
	if k = e.kernels[key]; k == nil {
		k = fresh
		if e.kernels == nil {
			e.kernels = map[kernelKey]*Kernel{}
		}
		if k.Name == "" {
			k.Name = e.labelled(d.label)
		}
		e.kernels[key] = k
		k.Number = e.numberOf(k)
		f.dev.mu.Lock()
		f.dev.kernels = append(f.dev.kernels, k)
		f.dev.mu.Unlock()
	}
	k.Dispatches++
	return k
}

// numberOf returns the number of a kernel that is new. The caller holds the lock of the record.
func (e *engine) numberOf(k *Kernel) int {
	same := kernelKey{rsrc: k.RSRC, code: k.text}
	if n := e.numbers[same]; n > 0 && k.text != 0 {
		return n
	}
	if e.numbers == nil {
		e.numbers = map[kernelKey]int{}
	}
	e.distinct++
	e.numbers[same] = e.distinct
	return e.distinct
}

// labelled returns a name for a kernel without one, after the debug label under which it first runs: with a number if
// others have it already. The caller holds the lock of the record.
func (e *engine) labelled(label string) string {
	if label == "" {
		return ""
	}
	if e.labels == nil {
		e.labels = map[string]int{}
	}
	e.labels[label]++
	if n := e.labels[label]; n > 1 {
		return fmt.Sprintf("%s.%d", label, n)
	}
	return label
}

// Kernels returns the kernels that were dispatched. Those of a file change until it is
// closed.
func (d *Device) Kernels() []*Kernel {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]*Kernel(nil), d.kernels...)
}
