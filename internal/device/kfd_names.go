package device

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/internal/tool/demangle"
	"github.com/gcnsim/gcnsim/state"
)

// Loaded is a code object that a process has loaded.
type Loaded struct {
	Load  uint64 // load address: the bias that loading added to the file's addresses
	Addr  uint64 // address of the file's bytes in the memory of the process
	Bytes uint64 // number of these bytes, 0 if the process does not have them in memory
}

// Loader is a [Held] process that knows which code objects it has loaded.
type Loader interface {
	// Loaded lists the code objects. It is called when a new kernel is dispatched. The process may change its list
	// meanwhile and write anything into it, so the result is limited in size but may be wrong.
	Loaded() ([]Loaded, error)
}

// Limits of the bytes that are read to find names: of one code object, and of all code objects of an open file.
const (
	maxObjectBytes  = 256 << 20
	maxObjectsBytes = 1 << 30
)

// kfdObjects are the code objects of a process from which kernels were dispatched. They provide names of kernels,
// functions and source lines.
type kfdObjects struct {
	owner Held // the process, nil if its memory cannot be accessed later

	looking sync.Mutex // held while the memory of the process is read
	read    uint64     // bytes that were read so far

	mu      sync.RWMutex // guards the fields below
	objects []loadedObject
}

// loadedObject is a code object with its load address.
type loadedObject struct {
	*codeobj.Object
	load uint64
}

// holds reports whether addr lies in the object.
func (o *loadedObject) holds(addr uint64) bool {
	lo, hi := o.extent()
	return addr >= lo && addr < hi
}

// extent returns the first address of the object and the one behind its end.
func (o *loadedObject) extent() (lo, hi uint64) {
	lo, hi = codeobj.Extent(o.Object)
	return o.load + lo, o.load + hi
}

// at returns the code object at an address, and its load address.
func (s *kfdObjects) at(addr uint64) (*codeobj.Object, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range s.objects {
		if o := &s.objects[i]; o.holds(addr) {
			return o.Object, o.load
		}
	}
	return nil, 0
}

// kernelAt returns the kernel of o that begins at addr, or nil. It compares the kernel with code, the content of
// memory there, because the object may have been unloaded and its memory reused.
func (o *loadedObject) kernelAt(addr uint64, code []byte) *codeobj.Kernel {
	if o.Object == nil || !o.holds(addr) {
		return nil
	}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		if k.Entry != addr-o.load {
			continue
		}
		for _, f := range o.Functions {
			if f.VAddr != k.Entry {
				continue
			}
			code = code[:min(uint64(len(code)), f.Size)]
		}
		if in, ok := o.Bytes(k.Entry, uint64(len(code))); ok && bytes.Equal(in, code) {
			return k
		}
	}
	return nil
}

// lineFrom returns the source line of the first instruction at or behind vaddr that has one. Compilers sometimes give
// the first instructions of a kernel no line.
func (o *loadedObject) lineFrom(vaddr uint64) string {
	const most = 256 // distance in bytes
	for at := vaddr; at < vaddr+most; at += 4 {
		if file, line := o.Line(at); line > 0 {
			return fmt.Sprintf("%s:%d", path.Base(file), line)
		}
	}
	return ""
}

// find returns the object and the kernel whose code begins at addr. listed says that the process provided its list of
// objects.
func (s *kfdObjects) find(addr uint64, code []byte) (o loadedObject, k *codeobj.Kernel, listed bool, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	o.Object, o.load = s.at(addr)
	if k = o.kernelAt(addr, code); k != nil {
		return o, k, true, nil
	}
	loader, ok := s.owner.(Loader)
	if !ok {
		return o, nil, false, nil
	}
	all, err := loader.Loaded()
	if err != nil {
		return o, nil, false, err
	}
	var best *Loaded
	for i := range all {
		if l := &all[i]; l.Load <= addr && (best == nil || l.Load > best.Load) {
			best = l
		}
	}
	if best == nil || best.Bytes == 0 {
		return o, nil, best == nil, nil
	}
	if o, err = s.parse(best); err != nil {
		return o, nil, false, err
	}
	if k = o.kernelAt(addr, code); k != nil {
		s.replace(o)
	}
	return o, k, !o.holds(addr), nil
}

// parse reads a code object from the memory of the process.
func (s *kfdObjects) parse(l *Loaded) (o loadedObject, err error) {
	defer crash.Guard(&err) // a damaged object must not end the simulator

	if l.Bytes > maxObjectBytes || s.read+l.Bytes > maxObjectsBytes {
		return o, fmt.Errorf("a code object of %d bytes: at most %d of one and %d in all are read",
			l.Bytes, maxObjectBytes, maxObjectsBytes)
	}
	s.read += l.Bytes
	data := make([]byte, l.Bytes)
	if err := s.owner.ReadAt(data, l.Addr); err != nil {
		return o, err
	}
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) { // Parse would also accept texts and bundles
		return o, errors.New("what the process has in place of the code object is no ELF file")
	}
	o.load = l.Load
	o.Object, err = codeobj.Parse(data)
	return o, err
}

// replace adds o and removes the objects that it overlaps.
func (s *kfdObjects) replace(o loadedObject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := []loadedObject{o}
	lo, hi := o.extent()
	for _, other := range s.objects {
		if otherLo, otherHi := other.extent(); otherHi <= lo || hi <= otherLo {
			kept = append(kept, other)
		}
	}
	s.objects = kept
}

// close gives up the access to the process.
func (s *kfdObjects) close() error {
	if s.owner == nil {
		return nil
	}
	return s.owner.Close()
}

// ofBlits is the prefix of the names of the kernels with which HIP copies and fills memory.
const ofBlits = "__amd_rocclr_"

// codeV2Bytes is the size of an amd_kernel_code_t, the kernel descriptor of code objects v2. ROCr creates one for
// each kernel of its own and puts the code behind it. Source: ROCR-Runtime, GpuAgent::AssembleShader.
const codeV2Bytes = 256

// identify gives a kernel its name. code is the memory from its first instruction on. entry is the distance from the
// descriptor to that instruction.
func (k *KFD) identify(n *Kernel, code []byte, entry int64) {
	o, kernel, listed, err := k.objects.find(n.Address, code)
	switch {
	case err != nil:
		k.logf("kernel at %s has no name: %v", n.Code, err)
	case kernel != nil:
		n.Name, n.Load, n.Runtime = kernel.Name, o.load, strings.HasPrefix(kernel.Name, ofBlits)
		n.Source = o.lineFrom(kernel.Entry)
	case listed: // no code object contains it
		n.Runtime = entry == codeV2Bytes
	}
}

// Title returns the demangled name of the kernel, such as "vadd(float const*, int)". It is the mangled name if that
// cannot be demangled, and "" if the kernel has no name.
func (k *Kernel) Title() string { return demangle.Symbol(k.Name) }

// placeOf returns the location of the instruction at which a wave faulted, with its function and its line if they are
// known, such as "vadd(int*)+0x14, vadd.hip:6, in buffer 32 + 0x5314".
func (f *File) placeOf(err error) string {
	wave, ok := errors.AsType[*state.Fault](err)
	if !ok || wave.PC == 0 {
		return ""
	}
	place := f.space.place(wave.PC)
	if wave.Symbol == "" {
		return place
	}
	parts := []string{demangle.Symbol(wave.Symbol)}
	if wave.Source != "" {
		parts = append(parts, wave.Source)
	}
	return strings.Join(append(parts, "in "+place), ", ")
}
