package device

import (
	"fmt"
	"hash/maphash"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// Kernel is a program that an open file has dispatched. Machine code has no names, so kernels have numbers, in the
// order of their first dispatch. Some have names too: kernels of ROCm whose code object is known, and kernels of
// Vulkan if the driver writes debug labels.
type Kernel struct {
	// from 1 on; kernels with the same number have the same code, which the driver has placed at several addresses
	File, Number int

	Name    string // mangled name from the code object, such as "_Z4vaddPKfi", or a debug label; "" if unknown
	Source  string // source line of the first instruction, such as "vadd.hip:4"; "" if unknown
	Load    uint64 // load address of the code object, 0 if unknown; a PC minus Load is the address in the file
	Runtime bool   // it belongs to ROCm's runtime, which copies and fills memory with it

	Code       string // its first location, such as "buffer object 4 + 0x100"
	Address    uint64 // the same location as an address; PCs in findings are relative to it
	RSRC       gcn.RSRC
	Dispatches int
	Cycles     uint64     // sum over all its dispatches, 0 without a time model
	Total      sim.Result // sum over all its dispatches

	text uint64 // hash of its code, 0 if the code's end is unknown
}

// kernelKey distinguishes kernels. The address alone does not, because drivers reuse addresses.
type kernelKey struct {
	address uint64
	rsrc    gcn.RSRC
	code    uint64 // hash of the memory at the address
}

// codeSample is how many bytes of a kernel's code are hashed to distinguish it from an earlier kernel at the same
// address.
const codeSample = 4 << 10

var codeSeed = maphash.MakeSeed()

// kernel returns the kernel of a dispatch. It creates it at the first dispatch.
func (f *File) kernel(d *Dispatch) *Kernel {
	r := &d.Registers
	code, err := f.space.span(r.Program, codeSample, false)
	if err != nil {
		code = nil // the dispatch itself will report the error
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
			// without the lock, because it may take long, and dispatches of other queues continue
			d.identify(fresh, code)
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

// numberOf returns the number for a new kernel. The caller holds the lock of the record.
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

// labelled returns a name for a kernel without one: the debug label of its first dispatch, with a number appended if
// another kernel has that name. The caller holds the lock of the record.
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

// Kernels returns the kernels that were dispatched. Those of an open file still change.
func (d *Device) Kernels() []*Kernel {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]*Kernel(nil), d.kernels...)
}
