package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// sizing is a guess about what the metadata of a kernel do not say.
type sizing struct {
	number int // what integers are; 0 stands for the work-items of the launch
	grow   int // buffers have as many times the bytes that each work-item's 16 take
}

// guesses are tried one after the other: first that integers are lengths of the launch, in buffers
// that grow, then that they are strides, counts or indices, which have to be small.
var guesses = []sizing{{0, 1}, {0, 16}, {0, 256}, {64, 16}, {16, 16}, {4, 16}, {1, 16}, {1, 1024}}

// Launches as [DiffObjects] makes them.
const (
	guessBytes        = 16      // of a buffer for each work-item
	guessLeast        = 4 << 10 // bytes of a buffer
	guessInstructions = 1 << 20 // that a wave may execute
	guessLocal        = 8 << 10 // bytes of dynamic LDS
	guessSide         = 32      // texels of an image in each direction
)

// guess makes launch number i of a kernel. Launches differ in grid, in whether the last work-group is
// full, in data and in whether it has special values.
func guess(k *codeobj.Kernel, i int, s sizing) (*Dispatch, error) {
	d := &Dispatch{Kernel: k.Name, Group: DefaultGroup(k)}
	d.MaxInstructions = guessInstructions
	for axis := range d.Group {
		d.Group[axis] = max(d.Group[axis], 1)
	}
	groups := []uint32{4, 2, 3, 1, 9, 5}[i%6]
	if i%2 == 1 && k.ReqdGroupSize[0] == 0 && d.Group[0] == 64 { // kernels of two dimensions
		d.Group = [3]uint32{8, 8, 1}
	}
	for axis := range d.Grid {
		d.Grid[axis] = d.Group[axis]
	}
	d.Grid[0] *= groups
	if d.Group[1] > 1 {
		d.Grid[1] *= 2
	}
	if i%3 == 2 && d.Group[0] > 5 && k.ReqdGroupSize[0] == 0 {
		d.Grid[0] -= 5
	}
	items := uint64(d.Grid[0]) * uint64(d.Grid[1]) * uint64(d.Grid[2])
	number := uint64(s.number)
	if number == 0 {
		number = items
	}
	for n := range k.Args {
		a := &k.Args[n]
		if a.Hidden {
			continue
		}
		arg, err := guessArg(a, n, i, number, max(items*guessBytes, guessLeast)*uint64(s.grow))
		if err != nil {
			return nil, fmt.Errorf("argument %d (%s) is a %s, %w", n, a.Name, a.ValueKind, err)
		}
		d.Args = append(d.Args, arg)
	}
	return d, nil
}

// guessArg makes argument n of launch i.
func guessArg(a *codeobj.Arg, n, i int, number, size uint64) (Arg, error) {
	as, known := elementOf(a.TypeName)
	if !known && i%2 == 1 {
		as = F32
	}
	switch a.Kind {
	case codeobj.GlobalBuffer:
		return Arg{Buffer: &Buffer{Size: size, Random: guessData(as, n, i)}}, nil
	case codeobj.DynamicSharedPointer:
		local := uint32(guessLocal)
		return Arg{Local: &local}, nil
	case codeobj.Image:
		image := &Image{Format: "R8G8B8A8_UNORM", Size: []uint32{guessSide, guessSide},
			Random: &Random{Seed: uint64(n + 1), As: U8}}
		if strings.Contains(a.TypeName, "1d") {
			image.Size = image.Size[:1]
		} else if strings.Contains(a.TypeName, "3d") || strings.Contains(a.TypeName, "array") {
			return Arg{}, errKind
		}
		return Arg{Image: image}, nil
	case codeobj.Sampler:
		return Arg{Sampler: &Sampler{}}, nil
	case codeobj.ByValue:
		value := make([]byte, a.Size)
		if t := elementTypes[as]; known && t.mantissa > 0 || a.Size != 4 && a.Size != 8 && !known {
			guessValue(value, as, known)
			return Arg{Bytes: &value}, nil
		}
		for at := range min(len(value), 8) {
			value[at] = byte(number >> (8 * at))
		}
		return Arg{Bytes: &value}, nil
	}
	return Arg{}, errKind
}

// guessValue fills a value with 1.5 of floats of a type, or with small bytes where nothing is known of
// it.
func guessValue(value []byte, as Element, known bool) {
	for at := range value {
		value[at] = byte(at & 3 / 3)
	}
	if !known {
		return
	}
	bits := map[Element][]byte{F16: {0, 0x3e}, F32: {0, 0, 0xc0, 0x3f}, F64: {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}}[as]
	for at := 0; len(bits) > 0 && at+len(bits) <= len(value); at += len(bits) {
		copy(value[at:], bits)
	}
}

// guessData returns the data of buffer n of launch i. Integers are small, because they may be indices,
// but in every fourth launch.
func guessData(as Element, n, i int) *Random {
	r := &Random{Seed: uint64(16*i + n + 1), As: as}
	if elementTypes[as].mantissa == 0 && i%4 != 3 {
		r.Min, r.Max = "0", "63"
	}
	if i%4 == 3 {
		r.With = []string{"edges"}
	}
	return r
}

// elementOf returns the element of a type as OpenCL and HIP name it, as in "float4*".
func elementOf(name string) (as Element, known bool) {
	name = strings.TrimRight(strings.TrimSpace(name), "* ")
	for _, word := range []string{"const ", "volatile ", "restrict ", "__global ", "struct "} {
		name = strings.TrimPrefix(name, word)
	}
	base := strings.TrimRight(name, "0123456789")
	if width, err := strconv.Atoi(name[len(base):]); err == nil && width > 16 {
		return U32, false
	}
	as, known = map[string]Element{
		"float": F32, "half": F16, "double": F64, "char": I8, "uchar": U8, "unsigned char": U8, "short": I16, "ushort": U16,
		"unsigned short": U16, "int": I32, "uint": U32, "unsigned int": U32, "unsigned": U32, "long": I64, "ulong": U64,
		"unsigned long": U64,
	}[base]
	return as, known
}
