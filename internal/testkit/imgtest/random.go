package imgtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// Mnemonics returns the instructions of a generation that the model supports. Source: rule IM1.
func Mnemonics(g gcn.Gen) (names []string) {
	add := func(stem, suffixes string) {
		for suffix := range strings.SplitSeq(suffixes, " ") {
			names = append(names, stem+suffix)
		}
	}
	add("image_load", " _mip _pck _pck_sgn _mip_pck _mip_pck_sgn")
	add("image_store", " _mip _pck _mip_pck")
	add("image_atomic_", "swap cmpswap add sub smin umin smax umax and or xor inc dec")
	switch g {
	case gcn.GCN10:
		add("image_atomic_", "rsub fcmpswap fmin fmax")
	case gcn.GCN11:
		add("image_atomic_", "fcmpswap fmin fmax")
	}
	add("image_get_", "resinfo lod")
	for _, compare := range []string{"", "_c"} {
		for _, offset := range []string{"", "_o"} {
			for _, lod := range []string{"", "_cl", "_l", "_b", "_b_cl", "_lz"} {
				add("image_sample", compare+lod+offset)
				add("image_gather4", compare+lod+offset)
			}
			for _, lod := range []string{"_d", "_d_cl", "_cd", "_cd_cl"} {
				add("image_sample", compare+lod+offset)
			}
		}
	}
	return names
}

// Random returns a random instruction for target t, with a small image, that [Call.Run] accepts. It avoids what no
// source describes and no driver does: gathers from 3D images; gathers of integers with half-border modes before GCN
// 1.4; gathers from cubes with offsets, unnormalized coordinates or coordinates outside of a face; levels of MSAA
// images; reserved filters.
func Random(r *rand.Rand, t gcn.Target) *Call {
	groups := []string{"image_load", "image_store", "image_atomic", "image_get", "image_sample", "image_sample",
		"image_sample", "image_gather4"}
	group := groups[r.IntN(len(groups))]
	names := slices.DeleteFunc(Mnemonics(t.Gen()), func(name string) bool { return !strings.HasPrefix(name, group) })
	return RandomOf(r, t, names[r.IntN(len(names))])
}

// RandomOf is [Random] for one mnemonic.
func RandomOf(r *rand.Rand, t gcn.Target, name string) *Call {
	o, err := parse(name)
	if err != nil {
		panic("imgtest: " + err.Error())
	}
	d := &dice{Rand: r, t: t, o: o, vega: t.Gen() >= gcn.GCN14}
	for {
		s := d.surface()
		if s == nil {
			continue
		}
		c := s.Call(name)
		d.flags(c)
		d.view(c, &s.Image)
		d.registers(c)
		return c
	}
}

// dice creates the random parts of a call.
type dice struct {
	*rand.Rand
	t    gcn.Target
	o    op
	vega bool
	f    *texels
	img  gcn.Image // the image as the T# describes it
	full gcn.Image // the whole image
}

// one returns true with a probability of 1/n.
func (d *dice) one(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d *dice, list ...T) T { return list[d.IntN(len(list))] }

// codes are formats: each of the data formats with each of the number formats.
type codes struct{ data, num []uint8 }

// legal are the formats that exist. Source: rule IF1.
var legal = []codes{
	{[]uint8{1, 3, 10}, []uint8{unorm, snorm, uscaled, sscaled, uintNum, sintNum, srgb}},
	{[]uint8{10}, []uint8{unorm}},
	{[]uint8{2, 5, 12}, []uint8{unorm, snorm, uscaled, sscaled, uintNum, sintNum, float}},
	{[]uint8{4, 11, 14}, []uint8{uintNum, sintNum, float}},
	{[]uint8{4, 14}, []uint8{float}},
	{[]uint8{13}, []uint8{uintNum, sintNum, float}},
	{[]uint8{6, 7, 34}, []uint8{float}},
	{[]uint8{8, 9}, []uint8{unorm, uscaled, uintNum}},
	{[]uint8{16, 17, 18, 19, 57}, []uint8{unorm, uscaled}},
	{[]uint8{20, 21}, []uint8{unorm, uintNum}},
	{[]uint8{22}, []uint8{float}},
	{[]uint8{35, 36, 37, 41}, []uint8{unorm, srgb}},
	{[]uint8{38, 39, 40}, []uint8{unorm, snorm}},
	{[]uint8{1, 2, 3, 5}, []uint8{ubnorm, ubnormOGL, ubscaled}},
}

// vegaLegal are formats that drivers offer only on GCN 1.4, or on 1.2 and 1.4.
var vegaLegal = []codes{{[]uint8{8, 9}, []uint8{snorm, sscaled, sintNum}}, {[]uint8{32, 33}, []uint8{unorm}}}

// Formats for atomics, for float atomics, and for comparisons.
var (
	atomics = []codes{{[]uint8{4, 11}, []uint8{uintNum, sintNum}}, {[]uint8{5, 10, 12}, []uint8{uintNum}}}
	floats4 = []codes{{[]uint8{4, 11}, []uint8{float}}}
	depths  = []codes{{[]uint8{2, 20}, []uint8{unorm}}, {[]uint8{4}, []uint8{float}}, {[]uint8{4, 22}, []uint8{float}},
		{[]uint8{10}, []uint8{unorm}}}
)

// format picks a random format. ok is false if the instruction does not support it.
func (d *dice) format() (data, num uint8, ok bool) {
	list := legal
	switch {
	case d.o.kind == atomic && d.o.atomic[0] == 'f':
		list = floats4
	case d.o.kind == atomic:
		list = atomics
	case d.o.compare && !d.one(3):
		list = depths
	case d.vega && d.one(12):
		list = vegaLegal
	}
	c := pick(d, list...)
	data, num = pick(d, c.data...), pick(d, c.num...)
	f, err := newTexels(d.t, data, num)
	if f == nil || err != nil {
		return 0, 0, false
	}
	d.f = f
	switch {
	case d.o.kind == store && !f.storable(), d.o.compare && f.integer():
		return 0, 0, false
	case d.o.pck && (f.again != nil || f.name == "BC1"):
		return 0, 0, false
	}
	return data, num, true
}

// surface creates a random image with texels, or nil if that is not possible.
func (d *dice) surface() *Surface {
	data, num, ok := d.format()
	if !ok {
		return nil
	}
	types := []gcn.ImageType{
		gcn.Image2D, gcn.Image2D, gcn.Image2DArray, gcn.Image3D, gcn.ImageCube, gcn.Image1D, gcn.Image1DArray,
		gcn.Image2DMSAA, gcn.Image2DMSAAArray,
	}
	img := gcn.Image{Base: GoldenBase, Type: pick(d, types...), DataFormat: data, NumFormat: num, Width: 1 + d.IntN(40),
		Height: 1 + d.IntN(40)}
	depth := 1
	switch t := img.Type; {
	case msaa(t) && (d.o.sampler() || d.o.mip || d.f.name[0] == 'B' || d.f.bytes == 12),
		d.o.kind == gather && t == gcn.Image3D:
		return nil
	case t == gcn.Image3D:
		depth = 1 + d.IntN(9)
	case t == gcn.ImageCube:
		depth, img.Height = 6*(1+d.IntN(2)), img.Width
	case layered(t):
		depth = 1 + d.IntN(5)
	}
	if dims(img.Type) == 1 {
		img.Height = 1
	}
	switch {
	case msaa(img.Type):
		img.LastLevel = d.IntN(4)
	case !d.one(3):
		img.LastLevel = d.IntN(int(math.Log2(float64(max(img.Width, img.Height)))) + 1)
	}
	regs, err := tile.ForTarget(d.t)
	if err != nil {
		return nil
	}
	for range 5 {
		img.TileMode = d.IntN(32)
		s, err := NewSurface(d.t, regs, img, depth)
		if err != nil || len(s.Mem.Bytes) > 1<<19 {
			continue
		}
		if mask := s.Layout.SwizzleMask; mask != 0 && d.one(3) {
			img.Base |= d.Uint64() & mask
			if s, err = NewSurface(d.t, regs, img, depth); err != nil {
				return nil
			}
		}
		d.full = s.Image
		if s.Each(func([5]int) []byte { return d.texel() }) != nil {
			return nil
		}
		return s
	}
	return nil
}

// texel creates a random element. Float components are mostly numbers.
func (d *dice) texel() []byte {
	b := make([]byte, d.f.bytes)
	for i := range b {
		b[i] = byte(d.Uint32())
		if d.o.kind == atomic && i%4 != 0 && d.f.num != float {
			b[i] = 0
		}
	}
	if d.f.num == float && d.f.name != "5_9_9_9" && !d.one(50) {
		for _, p := range d.f.fields {
			if p.width != 8 {
				v := single(math.Round(d.Float64()*512-256) / 128)
				p.set(b, d.f.code(v, p.width))
			}
		}
	}
	return b
}

// flags sets random instruction flags.
func (d *dice) flags(c *Call) {
	c.DMASK = 1 + uint32(d.IntN(15))
	if d.one(40) {
		c.DMASK = 0
	}
	switch d.o.kind {
	case atomic:
		c.DMASK = map[int]uint32{4: 1, 8: 3}[d.f.bytes]
		if strings.HasSuffix(c.Name, "cmpswap") {
			c.DMASK *= map[int]uint32{4: 3, 8: 5}[d.f.bytes]
		}
		c.GLC = !d.one(3)
	case gather:
		c.DMASK = 1 << d.IntN(4)
	}
	c.UNRM = !d.o.sampler() || d.one(20) && d.full.Type != gcn.ImageCube
	c.DA = layered(d.full.Type)
	if d.one(15) {
		c.DA = !c.DA
	}
	c.A16 = d.vega && d.one(6)
	single := !layered(d.full.Type) && d.full.Type != gcn.Image3D
	c.R128 = !d.vega && single && d.one(8)
	results := d.o.kind == load || d.o.kind == sample || d.o.kind == gather
	c.D16 = (results || d.o.kind == store) && !d.o.pck && d.t.Gen() >= gcn.GCN12 && d.one(5)
	c.TFE, c.LWE = results && d.one(10), results && d.one(10)
	c.Exec = pick(d, ^uint64(0), ^uint64(0), d.Uint64(), d.Uint64()&d.Uint64()&d.Uint64())
}

// view limits the T# to some levels and slices and randomizes its other fields.
func (d *dice) view(c *Call, img *gcn.Image) {
	d.img = *img
	v := &d.img
	if !msaa(v.Type) {
		v.LastLevel = d.IntN(img.LastLevel + 1)
		v.BaseLevel = d.IntN(v.LastLevel + 1)
	}
	step := 1
	if v.Type == gcn.ImageCube {
		step = 6
	}
	if layered(v.Type) {
		layers := c.layers(img) / step
		first := d.IntN(layers)
		last := first + d.IntN(layers-first)
		v.BaseArray = step * first
		if d.vega {
			v.Depth = step * (last + 1)
		} else {
			v.LastArray = step*(last+1) - 1
		}
	}
	v.DstSel = [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}
	if d.one(3) {
		for i := range v.DstSel {
			v.DstSel[i] = pick(d, gcn.Sel0, gcn.Sel1, gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA)
		}
	}
	if d.one(4) {
		v.MinLOD = float32(d.IntN(256*(v.LastLevel+1))) / 256
	}
	if c.LWE {
		v.MinLODWarn = float32(d.IntN(256*(v.LastLevel+1))) / 256
	}
	if d.one(8) {
		v.PerfMod = uint8(d.IntN(8))
	}
	if d.vega && d.one(3) {
		v.BCSwizzle = uint8(d.IntN(6))
	}
	switch {
	case v.Type == gcn.Image2DArray && v.BaseArray > 0 && d.one(4): // a single slice as a 2D image
		v.Type = gcn.Image2D
	case v.Type == gcn.Image2D && !d.vega && !d.o.sampler() && !c.DA && d.one(10):
		v.Interlaced = true
	case d.one(150):
		v.Type = gcn.ImageType(d.IntN(8))
	case d.one(150) && d.o.kind != lodQuery:
		v.DataFormat = pick[uint8](d, 0, 15)
	}
	c.T = gcn.TSharp(v.Words(d.t.Gen()))
	if c.TFE && d.one(3) { // unmap some texels
		c.Mem = &Memory{c.Mem.Base, c.Mem.Bytes[:1+d.IntN(len(c.Mem.Bytes))]}
	}
}

// layers returns the number of layers of an image.
func (c *Call) layers(img *gcn.Image) int {
	if c.vega() {
		return img.Depth
	}
	return img.LastArray + 1
}
