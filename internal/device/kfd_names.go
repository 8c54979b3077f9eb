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
	Load  uint64 // load address: what loading added to the addresses in the file
	Addr  uint64 // where the memory of the process holds the bytes of the file
	Bytes uint64 // how many there are, 0 if the process does not have them in memory
}

// Loader is a [Held] that knows which code objects its process has loaded.
type Loader interface {
	// Loaded lists them. It is called when a kernel is dispatched that was not seen before. The process
	// may change the list meanwhile and write anything into it: what comes back is bounded, not right.
	Loaded() ([]Loaded, error)
}

// Bounds of what is read for the sake of names: of one code object, and of all for one open file.
const (
	maxObjectBytes  = 256 << 20
	maxObjectsBytes = 1 << 30
)

// kfdObjects are the code objects of a process, as far as kernels of them were dispatched. They
// give names to kernels, functions and instructions.
type kfdObjects struct {
	owner Held // the process, nil if it cannot be reached later

	looking sync.Mutex // held while the memory of the process is read
	read    uint64     // bytes so far

	mu      sync.RWMutex // guards what follows
	objects []loadedObject
}

// loadedObject is a code object with its load address.
type loadedObject struct {
	*codeobj.Object
	load uint64
}

// holds reports whether the object lies at an address.
func (o *loadedObject) holds(addr uint64) bool {
	lo, hi := o.extent()
	return addr >= lo && addr < hi
}

// extent returns where the object begins and ends.
func (o *loadedObject) extent() (lo, hi uint64) {
	lo, hi = codeobj.Extent(o.Object)
	return o.load + lo, o.load + hi
}

// at returns the code object that lies at an address, and its load address.
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

// kernelAt returns the kernel of o that begins at an address where memory holds code, nil if there is
// none: an object that was unloaded may have left its place to another one.
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

// lineFrom returns the line of the first instruction that has one, of those from an address in the file on.
// Compilers give the first ones of a kernel none at times.
func (o *loadedObject) lineFrom(vaddr uint64) string {
	const most = 256 // bytes
	for at := vaddr; at < vaddr+most; at += 4 {
		if file, line := o.Line(at); line > 0 {
			return fmt.Sprintf("%s:%d", path.Base(file), line)
		}
	}
	return ""
}

// find returns the object and the kernel that begins at an address, with code there. listed says that
// the process has told which objects there are.
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
	defer crash.Guard(&err) // names are not worth the end of everything

	if l.Bytes > maxObjectBytes || s.read+l.Bytes > maxObjectsBytes {
		return o, fmt.Errorf("a code object of %d bytes: at most %d of one and %d in all are read",
			l.Bytes, maxObjectBytes, maxObjectsBytes)
	}
	s.read += l.Bytes
	data := make([]byte, l.Bytes)
	if err := s.owner.ReadAt(data, l.Addr); err != nil {
		return o, err
	}
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) { // Parse takes texts and bundles, too
		return o, errors.New("what the process has in place of the code object is no ELF file")
	}
	o.load = l.Load
	o.Object, err = codeobj.Parse(data)
	return o, err
}

// replace adds o in place of the objects that it overlaps.
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

// close gives the process back.
func (s *kfdObjects) close() error {
	if s.owner == nil {
		return nil
	}
	return s.owner.Close()
}

// ofBlits is how the names of the kernels begin by which HIP copies and fills memory.
const ofBlits = "__amd_rocclr_"

// codeV2Bytes is the size of an amd_kernel_code_t, the kernel descriptor of code objects v2. ROCr makes one
// for each kernel of its own, with the code behind it. Source: ROCR-Runtime, GpuAgent::AssembleShader.
const codeV2Bytes = 256

// identify gives a kernel its name. code begins at its first instruction, entry where that is from
// the descriptor on.
func (k *KFD) identify(n *Kernel, code []byte, entry int64) {
	o, kernel, listed, err := k.objects.find(n.Address, code)
	switch {
	case err != nil:
		k.logf("kernel at %s has no name: %v", n.Code, err)
	case kernel != nil:
		n.Name, n.Load, n.Runtime = kernel.Name, o.load, strings.HasPrefix(kernel.Name, ofBlits)
		n.Source = o.lineFrom(kernel.Entry)
	case listed: // no code object has it
		n.Runtime = entry == codeV2Bytes
	}
}

// Title returns the name of the kernel as its source has it, as in "vadd(float const*, int)": demangled
// unless that takes more than is known of mangled names. It is "" if the kernel has no name.
func (k *Kernel) Title() string { return demangle.Symbol(k.Name) }

// placeOf returns where the instruction is that a wave faulted at: with its function and its line, if
// they are known, as in "vadd(int*)+0x14, vadd.hip:6, in buffer 32 + 0x5314".
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
