package run

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/sim"
)

// whole is a kernel that executes on a whole board. A figure is the difference of two executions of different length.
type whole struct {
	object      string // "" means "whole"
	size        int    // work-items in a work-group
	square      bool   // work-groups have the same size in y, and form a square grid
	across      int
	lds         uint32 // bytes of dynamic LDS in a work-group
	short, long int    // the two lengths; length 0 executes nothing
	repeats     bool   // the length is the number of dispatches
	groups      func(length int) int
	buffers     func(length int) []int // sizes in bytes
	scalars     func(length int) []uint32
	work        float64 // units of the figure (bytes, operations) for each element
}

const (
	mega    = 1 << 20
	plane   = 1 << 16 // cells of a plane
	apart   = 1 << 24 // cells of a lattice: the distance of its populations in elements
	oneMany = 12 * mega
	shoc    = 160 // work-groups in SHOC's figures
)

// wholes are the kernels of whole.cl and products.cl.
var wholes = map[string]whole{
	"lattice_f32": lattice(4), "lattice_f16": lattice(2),
	"write_rows": {size: 256, short: 20, long: 80, groups: fixed(shoc), work: shoc * 256 * 16 * 4,
		buffers: func(int) []int { return []int{64 * mega} },
		scalars: func(n int) []uint32 { return []uint32{16*mega - 1, uint32(n)} }},
	"read_rows": {size: 256, short: 32, long: 64, groups: fixed(shoc), work: shoc * 256 * 16 * 4,
		buffers: func(int) []int { return []int{64 * mega, shoc * 256 * 4} },
		scalars: func(n int) []uint32 { return []uint32{16*mega - 1, uint32(n)} }},
	"read_lds": {size: 256, short: 10, long: 50, groups: fixed(shoc), work: shoc * 256 * 16 * 4,
		buffers: func(int) []int { return []int{16 << 10, shoc * 256 * 4} },
		scalars: func(n int) []uint32 { return []uint32{uint32(n)} }},
	"again_4k": again(4<<10, 64, 320), "again_24k": again(24<<10, 10, 30), "again_256k": again(256<<10, 2, 5),
	"init_64": one(64, 1, 1), "read_64": one(64, 2, 1), "scale_64": one(64, 2, 2), "triad_64": one(64, 3, 3),
	"three_64": one(64, 2, 2), "init_512": one(512, 1, 1), "read_512": one(512, 2, 1), "scale_512": one(512, 2, 2),
	"triad_512": one(512, 3, 3), "three_512": one(512, 2, 2),
	"read_own": {size: 256, short: 1, long: 3, groups: fixed(32), work: 32 * 8 * 16384,
		buffers: func(int) []int { return []int{32 * 8 * 16384} },
		scalars: func(n int) []uint32 { return []uint32{uint32(n)} }},
	"product_32": product(32, 320, 640, 320), "product_16": product(16, 4096, 4096, 4096),
	"square_copy": squareOf(4096), "square_lds": squareOf(4096),
	"write_columns": {object: "products", size: 64, short: mega, long: 2 * mega, work: 64,
		groups:  func(items int) int { return items / 64 },
		buffers: func(items int) []int { return []int{64 * items} },
		scalars: func(items int) []uint32 { return []uint32{uint32(items)} }},
	"saxpy": {object: "products", size: 512, short: 2 * mega, long: 6 * mega, work: 12,
		groups:  func(items int) int { return items / 512 },
		buffers: func(items int) []int { return []int{4 * items, 4 * items} },
		scalars: func(items int) []uint32 { return []uint32{uint32(items), 0x40000000} }},
	"chain_f32": chain(4), "chain_f64": chain(8), "chain_f16": chain(2), "chain_i32": chain(4), "chain_i16": chain(2),
}

func fixed(n int) func(int) int { return func(int) int { return n } }

// lattice is a step of a lattice's planes. The figure counts cells.
func lattice(bytes int) whole {
	const rate = 0x3fd9999a // 1.7
	return whole{size: 64, short: 4, long: 8, work: plane,
		groups:  func(planes int) int { return planes * plane / 64 },
		buffers: func(planes int) []int { return []int{bytes * (18*apart + planes*plane), planes * plane} },
		scalars: func(planes int) []uint32 { return []uint32{uint32(planes * plane), apart, rate} }}
}

// again reads the given bytes in each of 120 work-groups, repeatedly.
func again(bytes, short, long int) whole {
	return whole{size: 256, short: short, long: long, groups: fixed(120), work: 120 * float64(bytes),
		buffers: func(int) []int { return []int{120 * 256 * 16, bytes} },
		scalars: func(n int) []uint32 { return []uint32{0, uint32(n)} }}
}

// product is a product of matrices in tiles. A small product is repeated; the length of a large one is its rows of
// tiles.
func product(tile, height, width, inner int) whole {
	k := whole{object: "products", size: tile, square: true, across: width / tile, repeats: height*width <= mega,
		short: 1, long: 3, work: 2 * float64(tile*width*inner),
		groups:  func(rows int) int { return rows * width / tile },
		buffers: func(int) []int { return []int{4 * height * inner, 4 * width * inner, 4 * height * width} },
		scalars: func(int) []uint32 { return []uint32{uint32(width), uint32(inner)} }}
	if k.repeats {
		rows := height / tile
		k.work *= float64(rows)
		k.groups = fixed(rows * width / tile)
	}
	return k
}

// squareOf is a copy or a transpose of a square matrix of floats.
func squareOf(side int) whole {
	return whole{object: "products", size: 32, square: true, across: side / 32, long: 1,
		groups:  fixed(side / 32 * side / 32),
		buffers: func(int) []int { return []int{4 * side * side, 4 * side * side} },
		scalars: func(int) []uint32 { return []uint32{uint32(side)} }}
}

// chain is a chain of operations on values of the given size. The figure counts two operations for each.
func chain(bytes int) whole {
	return whole{size: 256, short: 256, long: 512, work: 256 * 128 * 16 * 2,
		groups:  func(groups int) int { return groups },
		buffers: func(groups int) []int { return []int{groups * 256 * bytes} },
		scalars: func(int) []uint32 { return []uint32{3, 5} }}
}

// one processes one double an item in each of some buffers. Two work-groups fit into a CU.
func one(size, buffers, counted int) whole {
	return whole{size: size, lds: 32 << 10, short: 1, long: 2, work: 8 * float64(counted) * oneMany / 8,
		groups: func(n int) int { return n * oneMany / 8 / size },
		buffers: func(n int) (all []int) {
			for range buffers {
				all = append(all, n*oneMany+16)
			}
			return all
		},
		scalars: func(int) []uint32 { return nil }}
}

// predict returns the prediction for f in its unit.
func (k *whole) predict(ctx context.Context, f *boards.Figure, p timing.Params, target gcn.Target) (float64,
	*timing.Result, error) {
	var last *timing.Result
	var cycles [2]uint64
	for i, n := range []int{k.short, k.long} {
		if n == 0 {
			continue
		}
		m := sim.New(target)
		var args []sim.Arg
		for _, bytes := range k.buffers(n) {
			args = append(args, sim.BufferArg(m.Alloc(bytes)))
		}
		for _, v := range k.scalars(n) {
			args = append(args, sim.Bytes(binary.LittleEndian.AppendUint32(nil, v)))
		}
		j, err := stored(m, p, cmp.Or(k.object, "whole")+"."+objectOf[target.Gen()], f.Kernel)
		if err != nil {
			return 0, nil, err
		}
		l := sim.Launch{Grid: [3]uint32{uint32(k.groups(n) * k.size)}, Group: [3]uint32{uint32(k.size)}, Args: args,
			DynamicLDS: k.lds}
		if k.square {
			l.Grid = [3]uint32{uint32(k.across * k.size), uint32(k.groups(n) / k.across * k.size)}
			l.Group[1] = l.Group[0]
		}
		if k.repeats {
			j.times = n
		}
		if last, err = j.run(ctx, l); err != nil {
			return 0, nil, fmt.Errorf("%s: %w", f.Kernel, err)
		}
		cycles[i] = last.Cycles
	}
	if f.Unit == "us" {
		return float64(cycles[1]-cycles[0]) / float64(p.ClockMHz), last, nil
	}
	v := k.work * float64(k.long-k.short) / float64(cycles[1]-cycles[0]) * float64(p.ClockMHz)
	if f.Unit != "MLUP/s" { // MLUP/s are millions; other units are thousands of millions
		v /= 1000
	}
	return v, last, nil
}

// objectOf are the processors for which whole.cl is compiled.
var objectOf = [gcn.NumGens]string{gcn.GCN10: "gfx600", gcn.GCN11: "gfx701", gcn.GCN12: "gfx803", gcn.GCN14: "gfx900",
	gcn.GCN141: "gfx906"}

var _ = enum.Full[gcn.Gen](objectOf[:])
