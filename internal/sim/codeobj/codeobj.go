// Package codeobj reads AMDGPU code objects: ELF files with compiled kernels, linked or not, in the layouts v2
// (amd_kernel_code_t) to v6 (kernel descriptors), and assembly texts from clang -S. It returns the layout of a
// kernel's registers and arguments, and the memory image relocated for a load address. It executes nothing.
//
// Sources: LLVM AMDGPUUsage, "ELF Code Object" and "Code Object Metadata"; rules ST12 and ST14 to ST16.
package codeobj

import (
	"bytes"
	"debug/elf"
	"sort"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// Object is a parsed code object. It refers to the data given to [Parse] and is safe for concurrent use.
type Object struct {
	Target   gcn.Target
	features Features // settings of the features of Target
	Version  int      // code object version, 2 to 6
	Kernels  []Kernel // sorted by name
	symbols  []Symbol // defined symbols, sorted by name

	// Functions are the kernels and functions in the order of their addresses. They do not overlap: among several names
	// of the same code, the one with the largest size is listed. A symbol without a size extends to the next one, the
	// last one to the end of the addresses.
	Functions []Symbol

	// lo is the first address of the image at load base 0, hi its end.
	lo, hi uint64

	segments []Segment // PT_LOAD segments by address; Data is a slice of the file
	relocs   []reloc
	lines    *lines
}

// Symbol is a defined symbol: a kernel, a function, a variable or a constant table.
type Symbol struct {
	Name  string
	VAddr uint64 // address relative to the load base, or absolute if Abs is set
	Size  uint64 // size in bytes
	abs   bool
	kind  elf.SymType
}

// Constants of the ELF header. Source: AMDGPUUsage, "Header".
const (
	machineAMDGPU  = elf.Machine(224)
	osabiHSA       = elf.OSABI(64)
	machMask       = 0xff            // EF_AMDGPU_MACH in e_flags
	featuresV2     = 0x3             // EF_AMDGPU_FEATURE_XNACK_V2 and _TRAP_HANDLER_V2, in the same bits as the machine
	symKernel      = elf.SymType(10) // STT_AMDGPU_HSA_KERNEL, v2
	descriptorName = ".kd"           // suffix of the symbol of a kernel descriptor, v3 and later
)

// versionByABI is the code object version, indexed by EI_ABIVERSION.
var versionByABI = []int{2, 3, 4, 5, 6}

// Parse reads a code object: an ELF file, a file with a single object for a GCN processor (see [Unbundle]), or
// assembly text (see [IsAssembly]), whose lines [Object.Line] returns. The error is an *[Error]; mistakes in a text
// are in an *[asm.Error]. Parse keeps data, which the caller must not change.
func Parse(data []byte) (*Object, error) {
	read := parse
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) && IsAssembly(data) {
		read = assemble
	}
	o, err := read(data)
	if err != nil {
		return nil, err
	}
	o.Functions = functions(o.symbols)
	o.lo, o.hi = o.extent()
	return o, nil
}

func parse(data []byte) (*Object, *Error) {
	f, err := openELF(data)
	if err != nil {
		return nil, err
	}
	o := &Object{Version: versionByABI[f.ABIVersion]}
	notes, err := readNotes(f)
	if err != nil {
		return nil, err
	}
	if o.Target, err = target(o.Version, f.mach(), notes); err != nil {
		return nil, err
	}
	o.features = featuresOf(o.Version, f.Flags, notes)
	if err := o.layOut(f); err != nil {
		return nil, err
	}
	md, err := readMetadata(o.Version, notes)
	if err != nil {
		return nil, err
	}
	return o, o.readKernels(md)
}

// layOut reads segments, symbols and relocations of a linked file, or links an unlinked one.
func (o *Object) layOut(f *elfFile) (err *Error) {
	if f.Type == elf.ET_REL {
		symbols, err := o.link(f)
		o.symbols = definedSymbols(symbols)
		return err
	}
	o.lines = f.lines(nil)
	if o.segments, err = loadSegments(f); err != nil {
		return err
	}
	dynamic, err := f.symbols(elf.SHT_DYNSYM)
	if err != nil {
		return err
	}
	static, err := f.symbols(elf.SHT_SYMTAB)
	if err != nil {
		return err
	}
	o.symbols = definedSymbols(dynamic, static)
	o.relocs, err = o.readRelocs(f, dynamic, nil)
	return err
}

// openELF reads an AMDGPU HSA code object, linked or not, or returns an error.
func openELF(data []byte) (*elfFile, *Error) {
	f, err := openAMDGPU(data)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Type != elf.ET_REL && f.Type != elf.ET_DYN && f.Type != elf.ET_EXEC:
		return nil, errorf(elfHeader, adviseLink, "file type is %v, not ET_DYN", f.Type)
	case f.OSABI != osabiHSA:
		return nil, errorf(elfHeader, adviseTarget, "OS ABI is %d, not ELFOSABI_AMDGPU_HSA (%d)", f.OSABI, osabiHSA)
	case int(f.ABIVersion) >= len(versionByABI):
		return nil, errorf(elfHeader, "compile with -mcode-object-version=5", "ABI version %d is not known", f.ABIVersion)
	}
	return f, nil
}

// elfHeader is the location in most errors.
const elfHeader = "ELF header"

// openAMDGPU reads an ELF file with code for a GCN processor, or a bundle with one.
func openAMDGPU(data []byte) (*elfFile, *Error) {
	const where = elfHeader
	data, err := unbundle(data, "")
	switch {
	case err != nil:
		return nil, err
	case bytes.HasPrefix(data, []byte("BC\xc0\xde")):
		return nil, errorf("file", "compile it to a code object", "this is LLVM bitcode")
	case !bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return nil, errorf("file", "give the output of ld.lld -shared or of clang -S",
			"this is not an ELF file, nor text with .amdhsa_kernel")
	case len(data) > elf.EI_CLASS && elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS32:
		return nil, errorf(where, adviseTarget, "this is a 32-bit ELF file, code objects are 64-bit")
	}
	f, err := readELF(data)
	if err != nil {
		return nil, err
	}
	if f.Machine != machineAMDGPU {
		return nil, errorf(where, adviseTarget, "this is a file for %v, not for AMDGPU", f.Machine)
	}
	if mach := f.mach(); mach != 0 {
		if _, known := abi.TargetByMach(uint8(mach)); !known {
			return nil, otherProcessor(mach)
		}
	}
	return f, nil
}

// mach returns EF_AMDGPU_MACH, or 0 if the file has none. In v2 e_flags may be 0, or hold only the enabled features.
func (f *elfFile) mach() uint32 {
	mach := f.Flags & machMask
	if f.OSABI == osabiHSA && f.ABIVersion == 0 && mach&^featuresV2 == 0 {
		return 0
	}
	return mach
}

// target returns the processor, from EF_AMDGPU_MACH or, in v2, from a note.
func target(version int, mach uint32, notes []note) (gcn.Target, *Error) {
	if version == 2 {
		t, found, err := isaTarget(notes)
		if found || err != nil {
			return t, err
		}
	}
	if t, ok := abi.TargetByMach(uint8(mach)); ok {
		return t, nil
	}
	return 0, otherProcessor(mach)
}

// otherProcessor returns the error for code whose processor is not a supported GCN processor.
func otherProcessor(mach uint32) *Error {
	if name, ok := otherProcessors[mach]; ok {
		return errorf(elfHeader, adviseTarget, "the code is for %s, which is no GCN processor known here", name)
	}
	return errorf(elfHeader, adviseTarget, "e_flags name processor 0x%02x (EF_AMDGPU_MACH), which is no GCN "+
		"processor known here", mach)
}

// otherProcessors are the names of processors that are not [gcn.Target]s, by
// EF_AMDGPU_MACH. Source: LLVM AMDGPUUsage, "AMDGPU ELF Header e_flags".
var otherProcessors = map[uint32]string{
	0x30: "gfx908", 0x3f: "gfx90a", 0x40: "gfx940", 0x4b: "gfx941", 0x4c: "gfx942", 0x4f: "gfx950",
	0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012", 0x42: "gfx1013",
	0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033", 0x3e: "gfx1034", 0x3d: "gfx1035", 0x45: "gfx1036",
	0x41: "gfx1100", 0x46: "gfx1101", 0x47: "gfx1102", 0x44: "gfx1103",
	0x43: "gfx1150", 0x4a: "gfx1151", 0x55: "gfx1152", 0x58: "gfx1153",
	0x48: "gfx1200", 0x4e: "gfx1201", 0x49: "gfx1250", 0x5a: "gfx1251",
	0x51: "gfx9-generic", 0x5f: "gfx9-4-generic", 0x52: "gfx10-1-generic", 0x53: "gfx10-3-generic",
	0x54: "gfx11-generic", 0x59: "gfx12-generic",
}

func definedSymbols(tables ...[]elf.Symbol) []Symbol {
	var all []Symbol
	seen := map[string]bool{}
	for _, table := range tables {
		local := map[string]bool{}
		for _, s := range table {
			switch kind := elf.ST_TYPE(s.Info); {
			case s.Name == "" || s.Section == elf.SHN_UNDEF || seen[s.Name]:
			case kind == elf.STT_NOTYPE, kind == elf.STT_OBJECT, kind == elf.STT_FUNC, kind == symKernel:
				all = append(all, Symbol{s.Name, s.Value, s.Size, s.Section == elf.SHN_ABS, kind})
				local[s.Name] = true
			}
		}
		for name := range local {
			seen[name] = true
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// Kernel returns the kernel with that name. The error is an *[Error] that lists the existing kernels.
func (o *Object) Kernel(name string) (*Kernel, error) {
	for i := range o.Kernels {
		if o.Kernels[i].Name == name {
			return &o.Kernels[i], nil
		}
	}
	names := make([]string, len(o.Kernels))
	for i := range o.Kernels {
		names[i] = o.Kernels[i].Name
	}
	return nil, errorf("kernels", "it holds: "+strings.Join(names, " "), "there is no kernel %q", name)
}
