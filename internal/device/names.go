package device

import (
	"bytes"
	"debug/elf"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// Limits of the search for kernel names of an open file.
const (
	maxImageBytes = 16 << 20 // size of one code object
	maxLooks      = 1024     // searches in the memory of a process
)

// processNames has the kernel names of a process whose driver compiles to code objects and keeps these in its memory,
// as radeonsi does for OpenCL.
type processNames struct {
	mu    sync.Mutex // guards the fields below
	owner Held       // the process, nil if its memory cannot be accessed later
	tried bool       // hold was called
	looks int
	known []namedCode // functions that the last search found
}

// namedCode is the code of a function.
type namedCode struct {
	name string
	code []byte
}

// hold keeps access to the caller's process, unless an earlier call did.
func (n *processNames) hold(p Process) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h, ok := p.(Holder)
	if n.tried || !ok {
		return
	}
	n.tried = true
	if owner, err := h.Hold(); err == nil { // otherwise kernels have no names
		n.owner = owner
	}
}

// release gives up the access to the process.
func (n *processNames) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.owner != nil {
		_ = n.owner.Close() // nothing was written
		n.owner = nil
	}
}

// identify names a kernel of the render node, if the process has a code object with the same code. It searches the
// process's memory when a new kernel is dispatched.
func (f *File) identify(k *Kernel, code []byte) {
	n := &f.names
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.name(k, code) || n.looks == maxLooks {
		return
	}
	n.looks++
	if err := n.look(); err != nil {
		f.logf("kernel at %s has no name: %v", k.Code, err)
		return
	}
	n.name(k, code)
}

// name names k after the function with which code begins, and reports whether it knows one. Other functions may
// follow in code.
func (n *processNames) name(k *Kernel, code []byte) bool {
	for _, known := range n.known {
		if len(known.code) > 0 && bytes.HasPrefix(code, known.code[:min(len(code), len(known.code))]) {
			k.Name, k.text = known.name, maphash.Bytes(codeSeed, known.code)
			return true
		}
	}
	return false
}

// namesKernels reports whether the options have a callback that receives kernels, so that a search for names is
// useful.
func (o *Options) namesKernels() bool { return o.Watch != nil || o.Progress != nil || o.Timing != nil }

// look searches the memory of the process for functions.
func (n *processNames) look() error {
	finder, ok := n.owner.(interface{ Images() ([]Loaded, error) })
	if !ok {
		return nil
	}
	images, err := finder.Images()
	if err != nil {
		return err
	}
	n.known = nil
	for _, i := range images {
		all, err := n.functions(i)
		if err == nil { // otherwise it is incomplete, or already freed
			n.known = append(n.known, all...)
		}
	}
	return nil
}

// functions returns the functions of a code object in the memory of the process: the entries of its symbol table that
// have code. A kernel's descriptor of 256 bytes precedes its code.
func (n *processNames) functions(i Loaded) (all []namedCode, err error) {
	defer crash.Guard(&err) // the memory may contain anything, so indices may leave the object
	if i.Bytes > maxImageBytes {
		return nil, fmt.Errorf("a code object of %d bytes", i.Bytes)
	}
	data := make([]byte, i.Bytes)
	if err := n.owner.ReadAt(data, i.Addr); err != nil {
		return nil, err
	}
	var h elf.Header64
	decode(data, &h)
	sections := make([]elf.Section64, h.Shnum)
	decode(data[h.Shoff:], sections)
	for _, table := range sections {
		if elf.SectionType(table.Type) != elf.SHT_SYMTAB {
			continue
		}
		symbols := make([]elf.Sym64, min(table.Size, i.Bytes)/elf.Sym64Size)
		decode(data[table.Off:], symbols)
		for _, v := range symbols {
			if v.Size <= codeV2Bytes || int(v.Shndx) >= len(sections) {
				continue
			}
			in := &sections[v.Shndx]
			code := data[in.Off+v.Value-in.Addr:][codeV2Bytes:v.Size]
			name, _, _ := bytes.Cut(data[sections[table.Link].Off+uint64(v.Name):], []byte{0})
			all = append(all, namedCode{string(name), code})
		}
	}
	return all, nil
}
