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

	// Rules is the rule set (spec/memory.md 0); nil is DriverRules, which compiled kernels
	// rely on.
	Rules *state.Rules
	// Compare makes access records say where the other rule set would have made a
	// difference, as Machine.Compare does for bare waves.
	Compare bool
	Limit   uint64 // instructions a wave may execute; 0 is DefaultWaveLimit
	// Observer, if not nil, sees each instruction; then work-groups run one after another.
	Observer Observer
	// Clock, if not nil, is what waves read the time from.
	Clock Clock
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

// rules returns the rule set of the launch.
func (l *Launch) rules() state.Rules {
	if l.Rules == nil {
		return state.DriverRules
	}
	return *l.Rules
}

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
	limit := uint64(maxGroup)
	if k.MaxFlatGroupSize > 0 {
		limit = min(limit, uint64(k.MaxFlatGroupSize))
	}
	if items > limit {
		return fail("a work-group of %d work-items is larger than the %d it can have", items, limit)
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

// minLocalAlign is the alignment of dynamic LDS: that of the widest access, because
// metadata may state less than a kernel relies on.
const minLocalAlign = 16

// kernargAlign is the granule of the kernarg segment: compilers read it in pieces of up
// to sixteen dwords, beyond the last argument too.
const kernargAlign = 64

// pair matches the explicit arguments of k with those given, and places the dynamic
// LDS: locals holds the offset of each __local pointer, by argument of k; lds is all the
// LDS of a work-group.
func (l *Launch) pair(k *codeobj.Kernel) (given []*Arg, locals []uint32, lds uint32, err error) {
	fail := func(format string, args ...any) ([]*Arg, []uint32, uint32, error) {
		return nil, nil, 0, &LaunchError{k.Name, fmt.Sprintf(format, args...)}
	}
	if len(k.Args) == 0 && len(l.Args) > 0 {
		return fail("the code object has no argument metadata; pass no arguments or compile with it")
	}
	explicit := 0
	for i := range k.Args {
		if !k.Args[i].Kind.Hidden() {
			explicit++
		}
	}
	if explicit != len(l.Args) {
		return fail("it takes %d arguments, %d are given", explicit, len(l.Args))
	}
	given, locals = make([]*Arg, len(k.Args)), make([]uint32, len(k.Args))
	size, next := uint64(k.GroupBytes), 0
	for i := range k.Args {
		a := &k.Args[i]
		if a.Kind.Hidden() {
			continue
		}
		arg := &l.Args[next]
		local := a.Kind == codeobj.DynamicSharedPointer
		switch {
		case local && arg.bytes != nil:
			return fail("argument %d (%s) is a __local pointer; pass the bytes of LDS it gets", next, a.Name)
		case !local && arg.bytes == nil:
			return fail("argument %d (%s) is no __local pointer but %s of %d bytes", next, a.Name, a.Kind, a.Size)
		case !local && len(arg.bytes) != int(a.Size):
			return fail("argument %d (%s) has %d bytes, %d are given", next, a.Name, a.Size, len(arg.bytes))
		case local:
			align := uint64(max(a.PointeeAlign, minLocalAlign))
			size = (size + align - 1) / align * align
			locals[i] = uint32(size)
			size += uint64(arg.local)
		}
		given[i] = arg
		next++
	}
	if most := l.Module.m.Target.Gen().Traits().MaxLDS; size > uint64(most) {
		return fail("it needs %d bytes of LDS, a work-group has at most %d", size, most)
	}
	return given, locals, uint32(size), nil
}

// kernarg lays out the kernarg segment.
func (l *Launch) kernarg(k *codeobj.Kernel, given []*Arg, locals []uint32, hidden func(codeobj.ArgKind) uint64) ([]byte, error) {
	segment := make([]byte, (k.KernargBytes+kernargAlign-1)/kernargAlign*kernargAlign)
	for i := range k.Args {
		a := &k.Args[i]
		if uint64(a.Offset)+uint64(a.Size) > uint64(len(segment)) {
			return nil, &LaunchError{k.Name, fmt.Sprintf("argument %d ends at byte %d of a kernarg segment of %d", i, a.Offset+a.Size, len(segment))}
		}
		place := segment[a.Offset : a.Offset+a.Size]
		switch {
		case a.Kind.Hidden():
			putUint(place, hidden(a.Kind))
		case a.Kind == codeobj.DynamicSharedPointer:
			putUint(place, uint64(locals[i]))
		default:
			copy(place, given[i].bytes)
		}
	}
	return segment, nil
}

// putUint writes v in as many little-endian bytes as place has, at most eight.
func putUint(place []byte, v uint64) {
	for i := range min(len(place), 8) {
		place[i] = byte(v >> (8 * i))
	}
}
