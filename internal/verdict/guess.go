package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Sizes and limits of the launches that a launcher guesses.
const (
	guessBytes        = 16       // size of a buffer for each work-item, before the buffer grows
	guessLeast        = 4 << 10  // smallest size of a buffer, in bytes
	guessMost         = 16 << 20 // largest size to which a buffer grows, in bytes
	guessInstructions = 1 << 20  // limit of the instructions of a wave
	guessLocal        = 8 << 10  // bytes of dynamic LDS
	guessSide         = 32       // texels of an image in each direction
	guessMax          = 63       // largest of the small integers
)

// quantity is a guess at the meaning of an argument that the metadata do not explain: a length of the launch, a
// constant, or a T# of an image with a format.
type quantity struct {
	of    length
	value uint64
	image string
}

// length is a number that is derived from the grid of a launch.
type length uint8

const (
	constant length = iota // not a length: quantity.value counts
	widest                 // work-items in the largest dimension
	items                  // all work-items
)

// quantities are the guesses for an integer. A single integer is varied after all integers had the same quantity.
var quantities = []quantity{{of: widest}, {value: 16}, {value: 4}, {value: 1}, {value: 64}, {of: items}, {value: 0},
	{value: 2}, {value: 256}}

// images are the guesses for a value that has the size of a T#.
var images = []quantity{{image: "R8G8B8A8_UNORM"}, {image: "R32_UINT"}, {image: "R32G32B32A32_SFLOAT"}}

// uniform is the number of quantities that are tried for all integers at once.
const uniform = 7

// plan has the guesses of a launch where the metadata say nothing.
type plan struct {
	group   [3]uint32      // the work-group
	alone   bool           // the grid is one work-group
	single  bool           // each work-group is one work-item
	whole   bool           // the last work-group is full
	exact   bool           // lengths are never less than the grid has
	numbers []quantity     // by explicit argument; entries of arguments that are not integers are unused
	bytes   map[int]uint64 // smallest sizes of buffers that have grown, by argument
	most    int            // largest integer in buffers in all launches; 0 is no bound
	// The first launch of the plan sets these: the number of instructions, and whether there is no memory to compare.
	executes int
	bare     bool
}

// with returns a copy of p with another quantity for argument n.
func (p *plan) with(n int, q quantity) *plan {
	next := *p
	next.numbers = slices.Clone(p.numbers)
	next.numbers[n] = q
	return &next
}

// groups are the work-groups to try if a kernel requires none. Only every third launch ends in a partial
// work-group, so that each of these sizes also has a launch without one.
var groups = [][3]uint32{{64, 1, 1}, {256, 1, 1}, {8, 8, 1}, {16, 16, 1}, {4, 4, 4}}

// singleGrids has, by dimension, the grids of launches whose work-groups are one work-item. Lane 0 of many waves then
// reads different data, so that a mistake in bit 0 of a mask shows.
var singleGrids = [...][3]uint32{{64, 1, 1}, {8, 8, 1}, {4, 4, 4}}

// spareGroups are tried after groups if the source leaves a launch in these undefined.
var spareGroups = [][3]uint32{{128, 1, 1}, {32, 1, 1}}

// dimensions returns the number of dimensions in which a kernel reads ids of work-items or work-groups. In a
// further dimension, its work-items would do the same to the same memory.
func dimensions(k *codeobj.Kernel) int {
	n := max(k.WorkItemVGPRs, 1)
	for _, s := range codeobj.InitSGPRs(k) {
		switch s.Item {
		case codeobj.WorkGroupIDY:
			n = max(n, 2)
		case codeobj.WorkGroupIDZ:
			n = 3
		}
	}
	return n
}

// groups returns the work-groups to try that the kernel may have, in its dimensions.
func (s *launcher) groups() (all [][3]uint32) {
	k := s.kernel
	if k.ReqdGroupSize[0] != 0 {
		return [][3]uint32{k.ReqdGroupSize}
	}
	try := groups
	if g := s.facts.group; g[0] != 0 {
		g = [3]uint32{g[0], max(g[1], 1), max(g[2], 1)}
		if n := uint64(g[0]) * uint64(g[1]) * uint64(g[2]); n >= minGuessedGroup && n <= maxGuessedGroup {
			try = append([][3]uint32{g}, try...)
		}
	}
	for _, g := range try {
		if s.dims < 3 && g[2] > 1 || s.dims < 2 && g[1] > 1 || slices.Contains(all, g) {
			continue
		}
		if k.MaxFlatGroupSize == 0 || g[0]*g[1]*g[2] <= k.MaxFlatGroupSize {
			all = append(all, g)
		}
	}
	if all == nil {
		return [][3]uint32{{max(k.MaxFlatGroupSize, 1), 1, 1}}
	}
	return all
}

// guess makes launch i of a plan. The launches of a plan differ in the grid, the data, special values, and whether the
// last work-group is full. Known arguments and sizes are not changed.
func (s *launcher) guess(p *plan, i int) (*spec.Dispatch, error) {
	k, h := s.kernel, s.known
	d := &spec.Dispatch{Object: s.object, Name: s.name, Kernel: k.Name}
	d.MaxInstructions = s.MaxInstructions
	d.Group = p.group
	if h.Group != [3]uint32{} {
		d.Group = h.Group
	}
	d.Grid = guessGrid(d.Group, i, !s.full && !p.whole && k.ReqdGroupSize[0] == 0 && h.Group == [3]uint32{})
	switch {
	case p.alone:
		d.Grid = d.Group
	case p.single:
		d.Grid = singleGrids[s.dims-1]
	}
	if h.Grid != [3]uint32{} {
		d.Grid = h.Grid
	}
	lengths := [...]uint64{constant: 0, widest: uint64(max(d.Grid[0], d.Grid[1], d.Grid[2])),
		items: uint64(d.Grid[0]) * uint64(d.Grid[1]) * uint64(d.Grid[2])}
	sizes := lengths[items]
	if i%6 == 4 && !p.exact { // the lengths are too small for the last work-items
		lengths[widest] -= min(lengths[widest]/8, 3)
		lengths[items] -= min(lengths[items]/8, 3)
	}
	for n, a := range codeobj.Explicit(k) {
		if arg, given := h.arg(a, n); given {
			d.Args = append(d.Args, arg)
			continue
		}
		q := p.numbers[n]
		if q.image != "" && isDescriptor(a) {
			image := guessImage("", n)
			image.Format = q.image
			d.Args = append(d.Args, spec.Arg{Image: image})
			continue
		}
		arg, err := guessArg(a, n, i, q.value+lengths[q.of], max(sizes*guessBytes, guessLeast, p.bytes[n]), p.most)
		if err != nil {
			return nil, fmt.Errorf("argument %d (%s) is a %s, %w", n, a.Name, a.ValueKind, err)
		}
		if arg.Buffer != nil && i%2 == 1 && n < maxAcross {
			addr := uint64(2+2*n)<<32 - 64<<(2*(i/2%3))
			arg.Buffer.Addr = &addr
		}
		d.Args = append(d.Args, arg)
	}
	return d, nil
}

// guessGrid returns the grid of launch i. Some grids end in a partial work-group. It lacks a few work-items, or has one
// work-item. Its wave then takes each branch with one lane and skips the code of the other lanes.
func guessGrid(group [3]uint32, i int, partial bool) (grid [3]uint32) {
	for axis := range grid {
		group[axis] = max(group[axis], 1)
		grid[axis] = group[axis]
	}
	grid[0] *= []uint32{4, 2, 3, 1, 9, 5}[i%6]
	for axis := 1; axis < len(grid); axis++ {
		if group[axis] > 1 {
			grid[axis] *= 2
		}
	}
	switch {
	case !partial || group[0] <= 5:
	case i%6 == 2:
		grid[0] -= group[0] - 1
	case i%6 == 5:
		grid[0] -= 5
	}
	return grid
}

// guessArg makes argument n of launch i.
func guessArg(a *codeobj.Arg, n, i int, number, size uint64, most int) (spec.Arg, error) {
	as, known := element.Named(a.TypeName)
	if !known && i%4 == 1 {
		as = spec.F32
	}
	switch a.Kind {
	case codeobj.GlobalBuffer:
		return spec.Arg{Buffer: &spec.Buffer{Size: size, Random: guessData(as, known, n, i, most)}}, nil
	case codeobj.DynamicSharedPointer:
		local := uint32(guessLocal)
		return spec.Arg{Local: &local}, nil
	case codeobj.Image:
		return spec.Arg{Image: guessImage(a.TypeName, n)}, nil
	case codeobj.Sampler:
		return spec.Arg{Sampler: &spec.Sampler{}}, nil
	case codeobj.ByValue:
		value := make([]byte, a.Size)
		if !isNumber(a) {
			guessValue(value, as, known, n+i, most == 0 && i%2 == 1)
			return spec.Arg{Bytes: &value}, nil
		}
		for at := range min(len(value), 8) {
			value[at] = byte(number >> (8 * at))
		}
		return spec.Arg{Bytes: &value}, nil
	}
	return spec.Arg{}, errKind
}

// sharesLDS reports whether the kernel uses LDS.
func (s *launcher) sharesLDS() bool {
	return s.kernel.GroupBytes > 0 ||
		slices.ContainsFunc(s.kernel.Args, func(a codeobj.Arg) bool { return a.Kind == codeobj.DynamicSharedPointer })
}

// isNumber reports whether an argument is an integer, or may be one.
func isNumber(a *codeobj.Arg) bool {
	as, known := element.Named(a.TypeName)
	if a.Kind != codeobj.ByValue || known && element.Of(as).Mantissa > 0 {
		return false
	}
	return known && int(a.Size) == element.Of(as).Bytes || !known && (a.Size == 4 || a.Size == 8)
}

// isDescriptor reports whether an argument has the size of a T#.
func isDescriptor(a *codeobj.Arg) bool { return a.Kind == codeobj.ByValue && a.Size == 32 }

// maxAcross is the number of arguments that get a multiple of 4 GiB within them, 64, 256 or 1024 bytes behind their
// start. An address that is computed without the carry then misses the argument.
const maxAcross = 100

// guessImage makes an image of a type that is named as in OpenCL.
func guessImage(name string, n int) *spec.Image {
	image := &spec.Image{Format: "R8G8B8A8_UNORM", Size: []uint32{guessSide, guessSide},
		Random: &spec.Random{Seed: uint64(n + 1), As: spec.U8}}
	const layers = 4
	switch {
	case strings.Contains(name, "1d_array"):
		image.Type, image.Size[1] = "1d_array", layers
	case strings.Contains(name, "2d_array"):
		image.Type, image.Size = "2d_array", append(image.Size, layers)
	case strings.Contains(name, "1d"):
		image.Size = image.Size[:1]
	case strings.Contains(name, "3d"):
		image.Size = append(image.Size, layers)
	}
	return image
}

// guessValue fills a value that is not an integer with small numbers, which depend on which. If the type is known, some
// are negative. If it is not, each dword is a small number, or each byte if bytes is set.
func guessValue(value []byte, as spec.Element, known bool, which int, bytes bool) {
	if !known {
		for at := range value {
			if bytes || at%4 == 0 {
				value[at] = byte((at/4 + at%4*5 + 3*which + 1) % 8)
			}
		}
		return
	}
	t := element.Of(as)
	for at := 0; at+t.Bytes <= len(value); at += t.Bytes {
		n := (at/t.Bytes + 3*which) % 8
		if t.Mantissa > 0 {
			t.Put(value[at:], t.FromFloat(1.5-float64(n)/2))
		} else {
			t.Put(value[at:], uint64(n+1))
		}
	}
}

// guessData returns the data of buffer n in launch i. In half of the launches, integers are small, because they may be
// indices; in the other half, floats have all exponents. Data of unknown type never are NaNs, whose bits equivalent
// programs may compute differently. In every sixth launch, the data have few distinct numbers, so that many are equal.
func guessData(as spec.Element, known bool, n, i, most int) *spec.Random {
	r := &spec.Random{Seed: uint64(16*i + n + 1), As: as}
	float, wide := element.Of(as).Mantissa > 0, i%3 == 2
	switch {
	case wide && most == 0 && !known:
		r.As, r.Min, r.Max = spec.U32, "0", []spec.Number{"1073741823", "2139095039"}[i/3%2] // 2^30-1, the largest float
	case wide && float:
		r.As = map[int]spec.Element{2: spec.U16, 4: spec.U32, 8: spec.U64}[element.Of(as).Bytes]
	case !float && most > 0:
		r.Min, r.Max = "0", spec.Number(strconv.Itoa(most))
	case i%6 == 1:
		r.Min, r.Max, r.With = "0", "3", []string{"1", "2"}
	case !float && !wide && i%4 != 3:
		r.Min, r.Max = "0", spec.Number(strconv.Itoa(guessMax))
	}
	if wide && known && most == 0 {
		r.With = append(r.With, "magnitudes")
	}
	if i%4 == 3 {
		r.With = append(r.With, "edges")
		if known && element.Of(r.As).Mantissa > 0 { // wide data are integers
			r.With = append(r.With, "nan", "infinities")
		}
	}
	return r
}
