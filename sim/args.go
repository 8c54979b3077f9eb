package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// Arg is an explicit kernel argument.
type Arg struct {
	bytes   []byte
	local   uint32 // size in bytes of the LDS of a __local pointer
	isLocal bool   // a __local pointer
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
func Local(size uint32) Arg { return Arg{local: size, isLocal: true} }

// minLocalAlign is the alignment of dynamic LDS, that of the widest access. The alignment in the metadata may be less
// than a kernel depends on.
const minLocalAlign = 16

// kernargAlign is the granule of the kernarg segment. Compiled code loads up to sixteen dwords at a time, possibly
// beyond the last argument.
const kernargAlign = 64

// maxKernarg bounds the size of a kernarg segment. Compilers lay out far smaller ones.
const maxKernarg = 1 << 20

// pair matches the explicit arguments of k with the given ones, and places the dynamic LDS. locals holds the offset
// of each __local pointer, by argument of k; lds is the total LDS of a work-group.
func (l *Launch) pair(k *codeobj.Kernel) (given []*Arg, locals []uint32, lds uint32, err error) {
	fail := func(format string, args ...any) ([]*Arg, []uint32, uint32, error) {
		return nil, nil, 0, badLaunch(k.Name, format, args...)
	}
	if l.Kernarg != nil {
		return l.pairRaw(k)
	}
	if len(k.Args) == 0 && len(l.Args) > 0 {
		return fail("the code object has no argument metadata; pass a kernarg segment or compile with it")
	}
	var explicit []string
	for i := range k.Args {
		if !k.Args[i].Hidden {
			explicit = append(explicit, nameOfArg(len(explicit), &k.Args[i]))
		}
	}
	if len(explicit) != len(l.Args) {
		missing := ""
		if len(explicit) > len(l.Args) {
			missing = "; " + explicit[len(l.Args)] + " is missing"
		}
		return fail("it takes %s, %d given%s", plural.Of(len(explicit), "argument"), len(l.Args), missing)
	}
	given, locals = make([]*Arg, len(k.Args)), make([]uint32, len(k.Args))
	size, next := uint64(k.GroupBytes), 0
	for i := range k.Args {
		a := &k.Args[i]
		if a.Hidden {
			continue
		}
		arg := &l.Args[next]
		local := a.Kind == codeobj.DynamicSharedPointer
		name := explicit[next]
		switch {
		case local && !arg.isLocal:
			return fail("%s is a __local pointer; pass the bytes of LDS it gets, with Local", name)
		case !local && arg.isLocal:
			return fail("%s is no __local pointer but %s of %d bytes", name, a.Kind, a.Size)
		case !local && uint64(len(arg.bytes)) != uint64(a.Size):
			return fail("%s has %d bytes, %d are given", name, a.Size, len(arg.bytes))
		case local:
			align := uint64(max(a.PointeeAlign, minLocalAlign))
			size = (size + align - 1) / align * align
			locals[i] = uint32(size)
			size += uint64(arg.local)
		}
		given[i] = arg
		next++
	}
	lds, err = l.lds(k, size)
	return given, locals, lds, err
}

// nameOfArg returns the name of explicit argument n in messages, for example "argument 3 (int n)".
func nameOfArg(n int, a *codeobj.Arg) string {
	name := fmt.Sprintf("argument %d", n)
	if declared := strings.TrimSpace(a.TypeName + " " + a.Name); declared != "" {
		name += " (" + declared + ")"
	}
	return name
}

// pairRaw does what pair does if there is a kernarg segment instead of arguments.
func (l *Launch) pairRaw(k *codeobj.Kernel) (given []*Arg, locals []uint32, lds uint32, err error) {
	var what string
	switch n := uint32(min(len(l.Kernarg), maxKernarg+1)); {
	case len(l.Args) > 0:
		what = "arguments and a kernarg segment are given; give one"
	case n > maxKernarg:
		what = fmt.Sprintf("a kernarg segment of %d bytes; it has at most %d", len(l.Kernarg), maxKernarg)
	case n < k.KernargBytes:
		what = fmt.Sprintf("its kernarg segment has %d bytes, %d are given", k.KernargBytes, n)
	default:
		lds, err = l.lds(k, uint64(k.GroupBytes))
		return nil, nil, lds, err
	}
	return nil, nil, 0, badLaunch(k.Name, "%s", what)
}

// lds returns the total LDS of a work-group if size bytes are used already.
func (l *Launch) lds(k *codeobj.Kernel, size uint64) (uint32, error) {
	size += uint64(l.DynamicLDS)
	if most := isa.TraitsOf(l.Module.m.Target).MaxLDS; size > uint64(most) {
		return 0, badLaunch(k.Name, "it needs %d bytes of LDS, a work-group has at most %d", size, most)
	}
	return uint32(size), nil
}

// kernarg lays out the kernarg segment.
func (l *Launch) kernarg(k *codeobj.Kernel, given []*Arg, locals []uint32,
	hidden func(codeobj.ArgKind) uint64) ([]byte, error) {
	bytes := max(int(k.KernargBytes), len(l.Kernarg))
	segment := make([]byte, (bytes+kernargAlign-1)/kernargAlign*kernargAlign)
	if l.Kernarg != nil {
		copy(segment, l.Kernarg)
		return segment, nil
	}
	for i := range k.Args {
		a := &k.Args[i]
		if uint64(a.Offset)+uint64(a.Size) > uint64(len(segment)) {
			return nil, badLaunch(k.Name, "argument %d ends at byte %d of a kernarg segment of %d", i, a.Offset+a.Size,
				len(segment))
		}
		place := segment[a.Offset : a.Offset+a.Size]
		switch {
		case a.Hidden:
			putUint(place, hidden(a.Kind))
		case a.Kind == codeobj.DynamicSharedPointer:
			putUint(place, uint64(locals[i]))
		default:
			copy(place, given[i].bytes)
		}
	}
	return segment, nil
}

// putUint writes v as a little-endian number of len(place) bytes, at most eight.
func putUint(place []byte, v uint64) {
	for i := range min(len(place), 8) {
		place[i] = byte(v >> (8 * i))
	}
}
