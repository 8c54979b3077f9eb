package device

import (
	"bytes"
	"debug/elf"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// Bounds of what is looked through for the names of kernels of an open file.
const (
	maxImageBytes = 16 << 20 // of one code object
	maxLooks      = 1024     // at the memory of a process
)

// processNames are the names of the kernels of a process whose driver compiles to code objects, as radeonsi does for
// OpenCL. The driver keeps the objects in memory of the process.
type processNames struct {
	mu    sync.Mutex // guards what follows
	owner Held       // the process, nil if it cannot be reached later
	tried bool       // to hold it
	looks int
	known []namedCode // of the last look
}

// namedCode is the code of a function.
type namedCode struct {
	name string
	code []byte
}

// hold keeps the process of a caller for later, unless that was done before.
func (n *processNames) hold(p Process) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h, ok := p.(Holder)
	if n.tried || !ok {
		return
	}
	n.tried = true
	if owner, err := h.Hold(); err == nil { // else kernels have no names
		n.owner = owner
	}
}

// release gives the process back.
func (n *processNames) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.owner != nil {
		_ = n.owner.Close() // nothing was written
		n.owner = nil
	}
}

// identify gives a kernel of the render node its name, if the process has a code object with its code. It looks for
// one in the memory of the process when a kernel is dispatched that was not seen before.
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

// name gives a kernel the name of the function with which code begins, and reports whether that is known. Code may go
// on with others.
func (n *processNames) name(k *Kernel, code []byte) bool {
	for _, known := range n.known {
		if len(known.code) > 0 && bytes.HasPrefix(code, known.code[:min(len(code), len(known.code))]) {
			k.Name, k.text = known.name, maphash.Bytes(codeSeed, known.code)
			return true
		}
	}
	return false
}

// namesKernels reports whether the options tell of kernels, so that names are worth a look.
func (o *Options) namesKernels() bool { return o.Watch != nil || o.Progress != nil || o.Timing != nil }

// look finds out which functions there are.
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
		if err == nil { // else it is no whole code object, or is gone
			n.known = append(n.known, all...)
		}
	}
	return nil
}

// functions returns the functions of a code object in the memory of the process: those of its table of symbols that
// have code. Before the code of a kernel lies its descriptor of 256 bytes.
func (n *processNames) functions(i Loaded) (all []namedCode, err error) {
	defer crash.Guard(&err) // the process may have anything there, and what leads out of the object ends here
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
