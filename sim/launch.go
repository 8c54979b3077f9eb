package sim

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

// DefaultWaveLimit is how many instructions a wave of a dispatch may execute.
const DefaultWaveLimit = 100_000_000

// Launch is one dispatch of a kernel over a grid.
type Launch struct {
	Module *Module
	Kernel string
	Grid   [3]uint32 // work-items in x, y, z; 0 counts as 1
	Group  [3]uint32 // work-items of a work-group; 0 counts as 1
	Args   []Arg     // the explicit arguments, in order

	// Rules is the rule set (spec/memory.md 0): DriverRules for compiled kernels.
	Rules state.Rules
	Limit uint64 // instructions a wave may execute; 0 is DefaultWaveLimit
	// Observer, if not nil, sees each instruction; then work-groups run one after another.
	Observer Observer
	// Workers is how many work-groups run at a time; 0 is one for each CPU.
	Workers int
	// Progress, if not nil, is told now and then how many work-groups of how many are
	// done. Calls do not overlap.
	Progress func(done, total int)
}

// Arg is an explicit kernel argument.
type Arg struct {
	bytes []byte
	local uint32 // bytes of LDS that a __local pointer gets; bytes is nil then
}

// BufferArg passes the address of b.
func BufferArg(b *Buffer) Arg { return U64(b.Addr) }

// U32 passes 32 bits.
func U32(v uint32) Arg { return Arg{bytes: binary.LittleEndian.AppendUint32(nil, v)} }

// F32 passes a single-precision number.
func F32(v float32) Arg { return U32(math.Float32bits(v)) }

// U64 passes 64 bits.
func U64(v uint64) Arg { return Arg{bytes: binary.LittleEndian.AppendUint64(nil, v)} }

// Bytes passes an argument of any type by its bytes.
func Bytes(b []byte) Arg { return Arg{bytes: b} }

// Local passes a __local pointer to size bytes of LDS.
func Local(size uint32) Arg { return Arg{local: size} }

// LaunchError says why a dispatch cannot start.
type LaunchError struct {
	Kernel string
	What   string
}

// Error names the kernel.
func (e *LaunchError) Error() string { return fmt.Sprintf("kernel %s: %s", e.Kernel, e.What) }

// size returns the dimensions with 0 as 1.
func size(d [3]uint32) [3]uint32 {
	for i := range d {
		d[i] = max(d[i], 1)
	}
	return d
}

// maxGroup is the largest work-group: 16 waves.
const maxGroup = 1024

// check refuses sizes that the kernel or the machine does not allow.
func (l *Launch) check(k *codeobj.Kernel) error {
	fail := func(format string, args ...any) error {
		return &LaunchError{k.Name, fmt.Sprintf(format, args...)}
	}
	g := size(l.Group)
	items := uint64(g[0]) * uint64(g[1]) * uint64(g[2])
	if limit := max(uint64(k.MaxFlatGroupSize), 0); items > maxGroup || limit > 0 && items > limit {
		return fail("a work-group of %d work-items is larger than the %d it can have", items, min(max(limit, 1), maxGroup))
	}
	if k.ReqdGroupSize != [3]uint32{} && size(k.ReqdGroupSize) != g {
		return fail("it requires work-groups of %v, not %v", k.ReqdGroupSize, g)
	}
	total := uint64(1)
	grid := size(l.Grid)
	for i := range grid {
		n := (uint64(grid[i]) + uint64(g[i]) - 1) / uint64(g[i])
		if total *= n; total > math.MaxInt32 {
			return fail("a grid of %v has more than 2^31 work-groups of %v", l.Grid, l.Group)
		}
	}
	return nil
}

// kernarg lays out the kernarg segment and returns it with the dynamic LDS bytes.
func (l *Launch) kernarg(k *codeobj.Kernel, hidden func(codeobj.ArgKind) uint64) (segment []byte, dynamicLDS uint32, err error) {
	fail := func(format string, args ...any) ([]byte, uint32, error) {
		return nil, 0, &LaunchError{k.Name, fmt.Sprintf(format, args...)}
	}
	segment = make([]byte, k.KernargBytes)
	explicit := 0
	for i := range k.Args {
		if !k.Args[i].Kind.Hidden() {
			explicit++
		}
	}
	if len(k.Args) == 0 && len(l.Args) > 0 {
		return fail("the code object has no argument metadata; pass no arguments or compile with it")
	}
	if explicit != len(l.Args) {
		return fail("it takes %d arguments, %d are given", explicit, len(l.Args))
	}
	lds, next := k.GroupBytes, 0
	for i := range k.Args {
		a := &k.Args[i]
		if uint64(a.Offset)+uint64(a.Size) > uint64(len(segment)) {
			return fail("argument %d ends at byte %d of a kernarg segment of %d", i, a.Offset+a.Size, len(segment))
		}
		place := segment[a.Offset : a.Offset+a.Size]
		switch {
		case a.Kind.Hidden():
			putUint(place, hidden(a.Kind))
		case a.Kind == codeobj.DynamicSharedPointer:
			arg := l.Args[next]
			if next++; arg.bytes != nil {
				return fail("argument %d (%s) is a __local pointer; pass the bytes of LDS it gets", next-1, a.Name)
			}
			align := max(a.PointeeAlign, 1)
			lds = (lds + align - 1) / align * align
			putUint(place, uint64(lds))
			if lds += arg.local; lds < arg.local {
				return fail("argument %d (%s) asks for %d bytes of LDS", next-1, a.Name, arg.local)
			}
		default:
			arg := l.Args[next]
			if next++; arg.bytes == nil {
				return fail("argument %d (%s) is no __local pointer but %s of %d bytes", next-1, a.Name, a.Kind, a.Size)
			}
			if len(arg.bytes) != int(a.Size) {
				return fail("argument %d (%s) has %d bytes, %d are given", next-1, a.Name, a.Size, len(arg.bytes))
			}
			copy(place, arg.bytes)
		}
	}
	return segment, lds - k.GroupBytes, nil
}

// putUint writes v in as many little-endian bytes as place has, at most eight.
func putUint(place []byte, v uint64) {
	for i := range min(len(place), 8) {
		place[i] = byte(v >> (8 * i))
	}
}
