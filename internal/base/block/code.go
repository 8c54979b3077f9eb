//go:build linux && amd64 && !purego

package block

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/state"
)

// Compiles reports whether this build can compile blocks. It is a constant, so that other builds drop the code for
// blocks.
const Compiles = true

// maxBytes bounds the memory for the machine code of the process, in whole pages. Programs that no longer fit are
// interpreted.
const maxBytes = 64 << 20

// mapped is the memory that machine code occupies, in bytes.
var mapped atomic.Int64

// pages returns the size in bytes of the pages that hold n bytes.
func pages(n int) int64 {
	size := unix.Getpagesize()
	return int64((n + size - 1) / size * size)
}

// Unavailable returns the reason why there are no blocks, or "" if there are: a feature that the host or the system
// lacks, or the setting in the environment.
var Unavailable = sync.OnceValue(func() string {
	switch _, wrong := Setting(); {
	case wrong != "":
		return wrong
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return "the processor has no AVX2 or no FMA"
	}
	mem, err := executable([]byte{byte(opRET)})
	if err != nil {
		return "the system gives no executable memory: " + err.Error()
	}
	_ = unix.Munmap(mem)
	return ""
})

// executable returns memory that holds code. The memory is never writable and executable at the same time.
func executable(code []byte) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	copy(mem, code)
	if err := unix.Mprotect(mem, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		_ = unix.Munmap(mem)
		return nil, err
	}
	return mem, nil
}

// Code is the machine code of a program in one mode. Goroutines may share it; its memory is freed once nothing refers
// to it.
type Code struct {
	mem     []byte
	mode    modeKey
	entries []int32
	worthy  []bool
	undos   []undo
	// accesses are the numbers of the accesses, by step, and keys the registers that they depend on.
	accesses map[uint64]int
	keys     map[uint64][]Key
	traced   []traced // the accesses, by number
	vgprs    int      // how many VGPRs the code accesses
}

// Suits reports whether blocks run in mode m. The key, 0 to NumModes-1, is the same for modes that share machine
// code.
func Suits(m state.Mode) (key int, ok bool) {
	k, ok := keyOf(m)
	return int(k), ok
}

// Compile makes machine code for a program: steps are its instructions by dword, nil for instructions that no block
// can contain, and sizes their lengths in dwords. m is the mode of the waves. If traces is set, the code traces its
// accesses in the context: see [Context.BeginTrace].
func Compile(steps []*Instr, sizes []uint8, m state.Mode, traces bool) (*Code, error) {
	if why := Unavailable(); why != "" {
		return nil, errors.New("block: " + why)
	}
	key, ok := keyOf(m)
	if !ok {
		return nil, errors.New("block: the mode is not that of the machine")
	}
	from, code, err := compile(steps, sizes, key, traces)
	if err != nil {
		return nil, err
	}
	n := pages(len(code))
	if mapped.Add(n) > maxBytes {
		mapped.Add(-n)
		return nil, errors.New("block: there is too much machine code")
	}
	mem, err := executable(code)
	if err != nil {
		mapped.Add(-n)
		return nil, err
	}
	c := &Code{mem: mem, mode: key, entries: from.entries, worthy: from.worthy, undos: from.undos,
		accesses: from.access, keys: from.keys, traced: from.traced, vgprs: from.maxVGPR + 1}
	runtime.AddCleanup(c, func(mem []byte) {
		_ = unix.Munmap(mem)
		mapped.Add(-pages(len(mem)))
	}, mem)
	return c, nil
}

// Has reports whether a block begins at a step and saves more than a call of it costs.
func (c *Code) Has(step int) bool { return c.worthy[step] }

// Begins reports whether a block begins at a step.
func (c *Code) Begins(step int) bool { return c.entries[step] >= 0 }

// Size is the number of bytes of machine code.
func (c *Code) Size() int { return len(c.mem) }

// address is the address of the machine code of the block that begins at step.
func (c *Code) address(step uint64) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(c.mem))) + uintptr(c.entries[step])
}

// Run executes blocks on w, beginning with the block at step. It stops at a step at which no block begins, at a block
// with more instructions than the rest of budget (below 1 << 16), and if w ends or is at a barrier. Loads from LDS
// read lds. Run returns the step at which it stopped and the number of executed instructions, which x counts by
// class. The number exceeds budget if the loop of [Context.Loop] was iterated, and counts only the last wave if waves
// followed ([Context.Follow]). Run executes nothing if w is in another mode than c or has too few VGPRs.
func (c *Code) Run(x *Context, w *state.Wave, step, budget uint64, lds []byte) (next, executed uint64, why Left) {
	if key, ok := keyOf(w.Mode); !ok || key != c.mode || len(w.V) < c.vgprs {
		return step, 0, AtEnd
	}
	x.lds, x.room = unsafe.Pointer(unsafe.SliceData(lds)), uint32(min(len(lds), math.MaxInt32))
	x.budget, x.mxcsr = budget, mxcsrOf[c.mode&keepsDenormals]
	turns := x.loop.turns
	f := &x.follow
	f.whole = w.Executed + budget
	before := f.ended
	ret := call(c.address(step), unsafe.Pointer(unsafe.SliceData(w.V)), unsafe.Pointer(&w.S), x)
	runtime.KeepAlive(c)
	next = uint64(ret)
	switch {
	case ret&wrongRun != 0:
		u := &c.undos[ret&^wrongRun]
		next, why = uint64(u.step), Missed
		x.restore(w, u.saved)
	case ret&wrongSite != 0:
		next, why = uint64(ret&^wrongSite), Unknown
	}
	executed = budget - x.budget + uint64(turns-x.loop.turns)*uint64(x.loop.body)
	x.executed += executed
	if ended := f.ended - before; ended != 0 { // w is another wave now
		x.executed += ended
		executed += w.Executed
		w.Executed = 0
	}
	x.valu += x.counts & 0xffff
	x.did[ClassDS] += x.counts >> 16
	return next, executed, why
}

// Counted returns what has executed since the last call.
func (x *Context) Counted() (n Counts) {
	n = Counts{Executed: x.executed, VALU: x.valu, DS: x.did[ClassDS], FLAT: x.did[ClassFLAT],
		GLOBAL: x.did[ClassGLOBAL], MUBUF: x.did[ClassMUBUF], SMEM: x.did[ClassSMEM]}
	x.executed, x.valu, x.did = 0, 0, [numClasses]uint64{}
	return n
}

// Reported returns which reports had an instruction that has executed since the last call.
func (x *Context) Reported() (all [MaxReports]bool) {
	all, x.reported = x.reported, all
	return all
}

// restore restores the old values of VGPRs, in the strips that were executed.
func (x *Context) restore(w *state.Wave, saved []uint32) {
	exec := w.Exec()
	for slot, code := range saved {
		for strip := 0; strip < 8*int(x.valid); strip += 8 {
			if exec>>strip&0xff != 0 {
				copy(w.V[code][strip:strip+8], x.saved[slot][strip:])
			}
		}
	}
}

// mxcsrOf holds MXCSR without exceptions; entry 0 flushes denormal operands and results to zero.
var mxcsrOf = [...]uint32{0: 0x9fc0, keepsDenormals: 0x1f80}

// call calls machine code.
//
//go:noescape
func call(code uintptr, v, s unsafe.Pointer, x *Context) uint32
