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

// Launches as a launcher makes them.
const (
	guessBytes        = 16       // of a buffer for each work-item, before it grows
	guessLeast        = 4 << 10  // bytes of a buffer
	guessMost         = 16 << 20 // bytes to which a buffer grows
	guessInstructions = 1 << 20  // that a wave may execute
	guessLocal        = 8 << 10  // bytes of dynamic LDS
	guessSide         = 32       // texels of an image in each direction
	guessMax          = 63       // of small integers
)

// quantity is what a value that the metadata do not explain stands for: a length of the launch, a number as it is, or a
// T# of an image with a format.
type quantity struct {
	of    length
	value uint64
	image string
}

// length is a number that follows from the grid of a launch.
type length uint8

const (
	constant length = iota // no length: quantity.value
	widest                 // work-items in the dimension that has the most
	items                  // all work-items
)

// quantities are what an integer is tried as, one alone after all integers have been the same.
var quantities = []quantity{{of: widest}, {value: 16}, {value: 4}, {value: 1}, {value: 64}, {of: items}, {value: 0},
	{value: 2}, {value: 256}}

// images are what a value of the size of a T# is tried as.
var images = []quantity{{image: "R8G8B8A8_UNORM"}, {image: "R32_UINT"}, {image: "R32G32B32A32_SFLOAT"}}

// uniform is how many of quantities are tried for all integers at once.
const uniform = 7

// plan is what a launch takes for granted where metadata say nothing.
type plan struct {
	group   [3]uint32      // the work-group
	alone   bool           // there is one work-group
	single  bool           // each work-group is one work-item
	whole   bool           // the last work-group is full
	exact   bool           // lengths are those of the launch in every launch
	numbers []quantity     // of the explicit arguments; those that are no integers have no effect
	bytes   map[int]uint64 // least sizes of the buffers of arguments that have grown
	most    int            // integers in buffers are at most that in every launch; 0 is no bound
	// What its first launch has shown: how many instructions it executes, and that there is no memory to compare.
	executes int
	bare     bool
}

// with returns p with one number in place of that of argument n.
func (p *plan) with(n int, q quantity) *plan {
	next := *p
	next.numbers = slices.Clone(p.numbers)
	next.numbers[n] = q
	return &next
}

// groups are the work-groups that are tried of a kernel that requires none. Every third launch ends in a
// partial one: a kernel that is made for one of the others has a launch without.
var groups = [][3]uint32{{64, 1, 1}, {256, 1, 1}, {8, 8, 1}, {16, 16, 1}, {4, 4, 4}}

// singleGrids are the grids, by dimension, of launches whose work-groups are one work-item: then lane 0 of as many
// waves meets other data, and a mistake in its bit of a mask shows.
var singleGrids = [...][3]uint32{{64, 1, 1}, {8, 8, 1}, {4, 4, 4}}

// spareGroups are tried beside groups where a launch is not defined.
var spareGroups = [][3]uint32{{128, 1, 1}, {32, 1, 1}}

// dimensions returns of how many dimensions a kernel reads the ids of work-items or work-groups. In another one
// its work-items do the same, to the same memory.
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

// groups returns the work-groups of the dimensions of the kernel that it can have, of those that are tried.
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

// guess makes launch number i by a plan. Launches of a plan differ in grid, in whether the last
// work-group is full, in data and in whether it has special values. What is known is taken as it is.
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
	if i%6 == 4 && !p.exact { // the last work-items are too many
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

// guessGrid returns the grid of launch i. Some grids end in a work-group that is not full: some work-items are missing,
// or it has one, so that its wave takes each branch with one lane, and goes round what other lanes would execute.
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

// sharesLDS reports whether the kernel has LDS.
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

// maxAcross is how many arguments lie across a multiple of 4 GiB: it is 64, 256 or 1024 bytes behind their start, so
// that an address that is computed without a carry misses it.
const maxAcross = 100

// guessImage makes an image of a type as OpenCL names it.
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

// guessValue fills a value that is no integer: with small numbers of a type, some of them negative, or where
// nothing is known of it with a small number in every dword, or byte if bytes is set. They differ by which.
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

// guessData returns the data of buffer n of launch i. Integers are small, because they may be indices, but in half of
// the launches; there floats have all exponents. Data of unknown type may be either: then they are no NaNs, which
// programs that mean the same may give other bits. In every sixth launch few numbers are there, so that many are equal.
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
