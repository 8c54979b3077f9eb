package report

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/r600"
)

const (
	elfMagic       = "\x7fELF"
	elfClass32     = 1
	elfMachine     = 224 // AMDGPU
	elfHeaderBytes = 52
	sectionBytes   = 40
	symbolBytes    = 16
	symbolTable    = 2
	functionSymbol = 2
	ldsRegister    = 0x288e8 // of .AMDGPU.config: the size of LDS in dwords
)

// machines are the families by the lowest number that the flags of an object have for them. The highest one is a late
// chip of Evergreen.
var machines = []struct {
	first  uint32
	family r600.Family
}{{1, r600.R600}, {5, r600.R700}, {8, r600.Evergreen}, {15, r600.Cayman}, {16, r600.Evergreen}}

// object is an ELF file of 32 bits.
type object struct {
	data     []byte
	sections [][]byte // the headers
	names    []byte
}

var errObject = errors.New("it is not an object of LLVM for R600 to Cayman")

// openObject reads the headers of an object for a family.
func openObject(family r600.Family, data []byte) (*object, error) {
	if len(data) < elfHeaderBytes || data[4] != elfClass32 || binary.LittleEndian.Uint16(data[18:]) != elfMachine {
		return nil, errObject
	}
	flags := binary.LittleEndian.Uint32(data[36:])
	for _, m := range slices.Backward(machines) {
		if flags >= m.first {
			if m.family != family {
				return nil, fmt.Errorf("it is for %v, not for %v", m.family, family)
			}
			break
		}
	}
	o := &object{data: data}
	start, count := uint64(binary.LittleEndian.Uint32(data[32:])), uint64(binary.LittleEndian.Uint16(data[48:]))
	if start+count*sectionBytes > uint64(len(data)) {
		return nil, errObject
	}
	for header := range slices.Chunk(data[start:][:count*sectionBytes], sectionBytes) {
		o.sections = append(o.sections, header)
	}
	if n := int(binary.LittleEndian.Uint16(data[50:])); n < len(o.sections) {
		o.names = o.contents(o.sections[n])
	}
	return o, nil
}

// contents returns the bytes of a section, nil if they are not in the file.
func (o *object) contents(header []byte) []byte {
	at, size := uint64(binary.LittleEndian.Uint32(header[16:])), uint64(binary.LittleEndian.Uint32(header[20:]))
	if at+size > uint64(len(o.data)) {
		return nil
	}
	return o.data[at : at+size]
}

// section returns the contents of the section of a name, nil if there is none.
func (o *object) section(name string) []byte {
	for _, header := range o.sections {
		if stringAt(o.names, binary.LittleEndian.Uint32(header)) == name {
			return o.contents(header)
		}
	}
	return nil
}

// stringAt returns the string of a table that begins at an offset.
func stringAt(table []byte, at uint32) string {
	if uint64(at) >= uint64(len(table)) {
		return ""
	}
	text, _, _ := bytes.Cut(table[at:], []byte{0})
	return string(text)
}

// readObject returns the kernels of an ELF file as LLVM writes it for a family, by address.
func readObject(family r600.Family, data []byte) (all []kernelBefore, err error) {
	o, err := openObject(family, data)
	if err != nil {
		return nil, err
	}
	type symbol struct {
		name        string
		value, size uint32
	}
	var symbols []symbol
	for _, header := range o.sections {
		link := int(binary.LittleEndian.Uint32(header[24:]))
		if binary.LittleEndian.Uint32(header[4:]) != symbolTable || link >= len(o.sections) {
			continue
		}
		names := o.contents(o.sections[link])
		for s := o.contents(header); len(s) >= symbolBytes; s = s[symbolBytes:] {
			if s[12]&15 == functionSymbol {
				symbols = append(symbols, symbol{stringAt(names, binary.LittleEndian.Uint32(s)),
					binary.LittleEndian.Uint32(s[4:]), binary.LittleEndian.Uint32(s[8:])})
			}
		}
	}
	slices.SortStableFunc(symbols, func(a, b symbol) int { return cmp.Compare(a.value, b.value) })
	code, config := o.section(".text"), o.section(".AMDGPU.config")
	for _, s := range symbols {
		if uint64(s.value)+uint64(s.size) > uint64(len(code)) {
			return nil, errObject
		}
		k := kernelBefore{Function: r600.Function{Name: s.name}}
		for b := code[s.value:][:s.size]; len(b) >= 4; b = b[4:] {
			k.Words = append(k.Words, binary.LittleEndian.Uint32(b))
		}
		for n := 0; n < 3 && len(config) >= 8; n, config = n+1, config[8:] { // three registers a kernel
			if binary.LittleEndian.Uint32(config) == ldsRegister {
				k.lds = 4 * int(min(binary.LittleEndian.Uint32(config[4:]), 8<<10))
			}
		}
		all = append(all, k)
	}
	return all, nil
}
