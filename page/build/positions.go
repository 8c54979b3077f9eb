package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
)

// errLayout says that a WebAssembly file does not have the layout of the linker of Go 1.20 and later.
var errLayout = errors.New("the tables of functions are not where this version of make page knows them")

// withoutPositions clears the names of functions and the tables of source positions in a Go program's WebAssembly.
// Only stack traces use them, and the page shows no stack traces; the runtime prints "?" instead. All offsets stay
// the same, because zeros take no space after compression.
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

// segment is a part of a WebAssembly file that is copied to a memory address when the program starts.
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
			at += 2 // skip the memory index and the instruction i32.const
			s := segment{address: number()}
			at++ // skip the instruction end
			n := number()
			s.data = wasm[at : at+n]
			at += n
			segments, size = append(segments, s), max(size, s.address+n)
		}
	}
	return segments, size
}

// Offsets in bytes of fields in runtime.pcHeader and runtime._func.
const (
	headerFunctions = 8  // number of functions
	headerNames     = 32 // offset of the functions' names from the header
	headerCU        = 40 // offset of the lists of source files from the header
	headerPCTab     = 56 // offset of the tables of all functions from the header
	headerPCLn      = 64 // offset of the list of functions from the header

	funcName    = 4
	funcPCSP    = 16
	funcPCFile  = 20
	funcNPCData = 28
	funcCU      = 32 // list of source files, and the first line
	funcID      = 40
	funcNData   = 43
	funcPCData  = 44

	pcUnsafePoint = 0 // for asynchronous preemption, which WebAssembly does not have
	pcArgLive     = 3 // only for stack traces

	dataArgInfo = 5 // the first of three kinds of function data that only stack traces use
)

// clearPositions implements withoutPositions on the program's initial memory.
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
	read := make([]bool, list-pctab) // bytes of tables that the runtime still uses
	keep := func(table int) {
		if table == 0 {
			return
		}
		// each pair is a step of the value and a step of the PC
		for first := true; first || memory[pctab+table] != 0; first = false {
			for range 2 {
				_, n := binary.Uvarint(memory[pctab+table:])
				for range n {
					read[table] = true
					table++
				}
			}
		}
	}
	nameless := -1 // offset of the first cleared name
	for i := range word(header + headerFunctions) {
		f := list + word(list+8*i+4)
		clear(memory[f+funcPCFile : f+funcNPCData])
		name := memory[header+word(header+headerNames)+word(f+funcName):]
		name = name[:bytes.IndexByte(name, 0)]
		if !bytes.HasPrefix(name, []byte("runtime.")) && !bytes.HasPrefix(name, []byte("reflect.")) {
			clear(name) // the name is not one that the runtime compares
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
