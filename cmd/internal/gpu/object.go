package gpu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// machineCode is the code of a kernel in memory.
type machineCode struct {
	target gcn.Target
	of     *device.Kernel
	name   string // name in the code object
	rsrc   gcn.RSRC
	entry  uint64 // address of the first instruction
	addr   uint64 // address of text
	text   []byte
	kernel uint64 // an unused address for the kernel descriptor, within 4 GiB of text
}

// Constants of a code object of version 5. Source: LLVM AMDGPUUsage, "ELF Code Object" and "Kernel Descriptor".
const (
	machineAMDGPU   = 224
	osabiHSA        = 64
	abiVersion5     = 3
	descriptorBytes = 64
	symbolBytes     = 24
)

// object returns a code object with the code and a kernel descriptor. Its addresses are relative to c.kernel.
func (c *machineCode) object() []byte {
	le := binary.LittleEndian
	resources := c.rsrc.Fields(c.target)
	descriptor := make([]byte, descriptorBytes)
	le.PutUint32(descriptor, uint32(resources.LDSBytes))
	le.PutUint64(descriptor[16:], c.entry-c.kernel)
	le.PutUint32(descriptor[44:], c.rsrc[2])
	le.PutUint32(descriptor[48:], c.rsrc[0])
	le.PutUint32(descriptor[52:], c.rsrc[1])

	names := []byte("\x00" + c.name + "\x00" + c.name + ".kd\x00")
	code := c.addr - c.kernel
	symbols := []elf.Sym64{{},
		{Name: 1, Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 2, Value: c.entry - c.kernel,
			Size: c.addr + uint64(len(c.text)) - c.entry},
		{Name: uint32(2 + len(c.name)), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT), Shndx: 1, Size: descriptorBytes},
	}
	const sectionNames = "\x00.rodata\x00.text\x00.symtab\x00.strtab\x00.shstrtab\x00"
	var body bytes.Buffer
	const head = 64 + 2*56
	place := func(data []byte) uint64 {
		body.Write(make([]byte, -(head+body.Len())&63))
		at := head + uint64(body.Len())
		body.Write(data)
		return at
	}
	table, _ := binary.Append(nil, le, symbols) // cannot fail: the size is fixed
	atDescriptor, atText := place(descriptor), place(c.text)
	atSymbols, atNames, atSections := place(table), place(names), place([]byte(sectionNames))
	text := uint64(len(c.text))
	sections := []elf.Section64{{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC), Off: atDescriptor, Size: descriptorBytes,
			Addralign: 64},
		{Name: 9, Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: code, Off: atText,
			Size: text, Addralign: 4},
		{Name: 15, Type: uint32(elf.SHT_SYMTAB), Off: atSymbols, Size: uint64(len(table)), Link: 4, Info: 1, Addralign: 8,
			Entsize: symbolBytes},
		{Name: 23, Type: uint32(elf.SHT_STRTAB), Off: atNames, Size: uint64(len(names)), Addralign: 1},
		{Name: 31, Type: uint32(elf.SHT_STRTAB), Off: atSections, Size: uint64(len(sectionNames)), Addralign: 1},
	}
	header := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: machineAMDGPU, Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2,
		Shentsize: 64, Shnum: uint16(len(sections)), Shstrndx: 5, Flags: uint32(isa.TraitsOf(c.target).Mach),
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION], header.Ident[elf.EI_OSABI] = 1, osabiHSA
	header.Ident[elf.EI_ABIVERSION] = abiVersion5
	sectionTable, _ := binary.Append(nil, le, sections)
	header.Shoff = place(sectionTable)
	out, _ := binary.Append(nil, le, header)
	out, _ = binary.Append(out, le, []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: atDescriptor, Filesz: descriptorBytes,
			Memsz: descriptorBytes, Align: 64},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: atText, Vaddr: code, Paddr: code, Filesz: text,
			Memsz: text, Align: 4},
	})
	return append(out, body.Bytes()...)
}
