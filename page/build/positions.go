package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// errLayout says that a WebAssembly file is not laid out as the linker of Go 1.20 and later does it.
var errLayout = errors.New("the tables of functions are not where this version of make page knows them")

// withoutPositions clears, in the WebAssembly of a Go program, the names of functions and the tables that give the
// source file and line of each instruction. Only traces of panics read them, and a page shows no trace: the runtime
// says "?" there. No byte moves: what is cleared takes no room once it is compressed.
func withoutPositions(wasm []byte) error {
	segments, size := dataSegments(wasm)
	memory := make([]byte, size)
	for _, s := range segments {
		copy(memory[s.address:], s.data)
	}
	if err := clearPositions(memory); err != nil {
		return err
	}
	for _, s := range segments {
		copy(s.data, memory[s.address:])
	}
	return nil
}

// segment is a part of a WebAssembly file that is copied to an address of memory as the program starts.
type segment struct {
	address int
	data    []byte
}

// dataSegments returns the data segments of a WebAssembly file, and the end of the last one in memory.
func dataSegments(wasm []byte) (segments []segment, size int) {
	const headerSize, dataSection = 8, 11
	at := headerSize
	number := func() int {
		v, n := binary.Uvarint(wasm[at:])
		at += n
		return int(v)
	}
	for at < len(wasm) {
		id := wasm[at]
		at++
		if n := number(); id != dataSection {
			at += n
			continue
		}
		for range number() {
			at += 2 // the memory, and the instruction i32.const
			s := segment{address: number()}
			at++ // the instruction end
			n := number()
			s.data = wasm[at : at+n]
			at += n
			segments, size = append(segments, s), max(size, s.address+n)
		}
	}
	return segments, size
}

// Fields of runtime.pcHeader and of runtime._func, as offsets in bytes.
const (
	headerFunctions = 8  // number of functions
	headerNames     = 32 // where the names of functions begin, from the header
	headerCU        = 40 // where the lists of source files begin, from the header
	headerPCTab     = 56 // where the tables of all functions begin, from the header
	headerPCLn      = 64 // where the list of functions begins, from the header

	funcName    = 4
	funcPCSP    = 16
	funcPCFile  = 20
	funcNPCData = 28
	funcCU      = 32 // the list of source files, and the first line
	funcID      = 40
	funcNData   = 43
	funcPCData  = 44

	pcUnsafePoint = 0 // of asynchronous preemption, which WebAssembly does not have
	pcArgLive     = 3 // of traces

	dataArgInfo = 5 // the first of three kinds of data of a function that traces alone read
)

// clearPositions does what withoutPositions does, in the memory of the program as it starts.
func clearPositions(memory []byte) error {
	header := bytes.Index(memory, []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}) // Go 1.20, instructions of 1 byte, 64 bits
	if header < 0 {
		return errLayout
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint32(memory[at:])) }
	pctab, list := header+word(header+headerPCTab), header+word(header+headerPCLn)
	if pctab <= header || list <= pctab || list >= len(memory) {
		return errLayout
	}
	read := make([]bool, list-pctab) // bytes of tables that the runtime still reads
	keep := func(table int) {
		if table == 0 {
			return
		}
		for first := true; first || memory[pctab+table] != 0; first = false { // pairs: a step of the value, of the PC
			for range 2 {
				_, n := binary.Uvarint(memory[pctab+table:])
				for range n {
					read[table] = true
					table++
				}
			}
		}
	}
	nameless := -1 // where the first name that is cleared was
	for i := range word(header + headerFunctions) {
		f := list + word(list+8*i+4)
		clear(memory[f+funcPCFile : f+funcNPCData])
		name := memory[header+word(header+headerNames)+word(f+funcName):]
		name = name[:bytes.IndexByte(name, 0)]
		if !bytes.HasPrefix(name, []byte("runtime.")) && !bytes.HasPrefix(name, []byte("reflect.")) {
			clear(name) // not one of the names that the runtime compares
			if nameless < 0 {
				nameless = word(f + funcName)
			}
			binary.LittleEndian.PutUint32(memory[f+funcName:], uint32(nameless))
		}
		keep(word(f + funcPCSP))
		clear(memory[f+funcCU : f+funcID])
		for j := range word(f + funcNPCData) {
			if at := f + funcPCData + 4*j; j == pcUnsafePoint || j == pcArgLive {
				clear(memory[at : at+4])
			} else {
				keep(word(at))
			}
		}
		data := f + funcPCData + 4*word(f+funcNPCData)
		for j := dataArgInfo; j < int(memory[f+funcNData]); j++ {
			binary.LittleEndian.PutUint32(memory[data+4*j:], math.MaxUint32) // no data
		}
	}
	clear(memory[header+word(header+headerCU) : pctab])
	for i, used := range read {
		if !used {
			memory[pctab+i] = 0
		}
	}
	return nil
}
