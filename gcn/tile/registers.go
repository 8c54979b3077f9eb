package tile

import (
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Registers are the tiling registers of a chip, as a driver programs them. GCN 1.0 has no GB_MACROTILE_MODE; GCN 1.4
// has neither of the two tables.
type Registers struct {
	Chip          string // name of the chip, "" if unknown
	Gen           gcn.Gen
	AddrConfig    uint32     // GB_ADDR_CONFIG
	TileMode      [32]uint32 // GB_TILE_MODE, indexed by T#.TILING_INDEX
	MacroTileMode [16]uint32 // GB_MACROTILE_MODE
}

// arrayMode is the ARRAY_MODE of GB_TILE_MODE: the tiling of a level. Source: rule TM2.
type arrayMode uint8

const (
	linearGeneral arrayMode = 0
	linearAligned arrayMode = 1
)

// family is one of the three kinds of tiling.
type family uint8

const (
	linear family = iota
	micro         // tiles of 8x8 elements behind one another
	macro         // micro tiles distributed over pipes and banks
)

// arrayModeFacts describes an ARRAY_MODE.
type arrayModeFacts struct {
	name      string
	family    family
	thick     int       // slices in a micro tile
	prt       bool      // partially resident texture
	wrapTile  bool      // pipe and bank repeat in every macro tile (rule TL5)
	rotate    rotateBy  // how the slice number rotates pipe and bank
	splitBank bool      // tile splits rotate the bank (rule TL5)
	assumed   bool      // assumption prtRotation applies
	thinner   arrayMode // the mode of levels with too few slices, if ThinLevels (rule TL6)
	small     arrayMode // the mode of levels smaller than a macro tile
}

// rotateBy selects whether the slice number rotates nothing, the banks, or the pipes and then the banks.
type rotateBy uint8

const (
	noRotation rotateBy = iota
	rotate2D            // banks
	rotate3D            // pipes, then banks
)

// arrayModes are the array modes, indexed by code. Source: rules TM2, TL5 and TL6. PRT_2D and PRT_3D (6, 10, 11, 15)
// are addressed as PRT, as in addrlib.
var arrayModes = [16]arrayModeFacts{
	0:  {name: "LINEAR_GENERAL", thick: 1},
	1:  {name: "LINEAR_ALIGNED", thick: 1},
	2:  {name: "1D_THIN1", family: micro, thick: 1},
	3:  {name: "1D_THICK", family: micro, thick: 4, thinner: 2},
	4:  {name: "2D_THIN1", family: macro, thick: 1, rotate: rotate2D, splitBank: true, small: 2},
	5:  {name: "PRT_THIN1", family: macro, thick: 1, prt: true, wrapTile: true, small: 2},
	6:  {name: "PRT_2D_THIN1", family: macro, thick: 1, prt: true, wrapTile: true, assumed: true, small: 2},
	7:  {name: "2D_THICK", family: macro, thick: 4, rotate: rotate2D, thinner: 4, small: 3},
	8:  {name: "2D_XTHICK", family: macro, thick: 8, rotate: rotate2D, thinner: 7, small: 3},
	9:  {name: "PRT_THICK", family: macro, thick: 4, prt: true, wrapTile: true, thinner: 5, small: 3},
	10: {name: "PRT_2D_THICK", family: macro, thick: 4, prt: true, wrapTile: true, assumed: true, thinner: 6, small: 3},
	11: {name: "PRT_3D_THIN1", family: macro, thick: 1, prt: true, wrapTile: true, assumed: true, small: 2},
	12: {name: "3D_THIN1", family: macro, thick: 1, rotate: rotate3D, splitBank: true, small: 2},
	13: {name: "3D_THICK", family: macro, thick: 4, rotate: rotate3D, thinner: 12, small: 3},
	14: {name: "3D_XTHICK", family: macro, thick: 8, rotate: rotate3D, thinner: 13, small: 3},
	15: {name: "PRT_3D_THICK", family: macro, thick: 4, prt: true, wrapTile: true, assumed: true, thinner: 11, small: 3},
}

var _ = enum.Full[arrayMode](arrayModes[:])

// thickness returns how many slices share a micro tile: 1, 4 or 8.
func (m arrayMode) thickness() int { return arrayModes[m&15].thick }

// b3 to b6 are bits of x and y in texels. A micro tile has 8x8 texels, so its position starts at bit 3.
const (
	b3 = 1 << (3 + iota)
	b4
	b5
	b6
)

// pipeConfig describes how the position of a micro tile selects a pipe.
type pipeConfig struct {
	name string
	bits [][2]uint32 // the bits of x and y that are XORed, for each pipe bit from the lowest
	flaw string      // why addresses are not unique, "" if they are
}

// oddBank is the flaw of two configurations with a bank width of 1. Source: rule TL5.
const oddBank = "addrlib ORs bank bits for this PIPE_CONFIG with BANK_WIDTH 1: addresses are not unique"

// pipeConfigs are the pipe configurations, indexed by code. Source: rules TM3 and TL5.
var pipeConfigs = [32]pipeConfig{
	0:  {name: "P2", bits: [][2]uint32{{b3, b3}}},
	4:  {name: "P4_8x16", bits: [][2]uint32{{b4, b3}, {b3, b4}}},
	5:  {name: "P4_16x16", bits: [][2]uint32{{b3 | b4, b3}, {b4, b4}}},
	6:  {name: "P4_16x32", bits: [][2]uint32{{b3 | b4, b3}, {b4, b5}}},
	7:  {name: "P4_32x32", bits: [][2]uint32{{b3 | b5, b3}, {b5, b5}}, flaw: oddBank},
	8:  {name: "P8_16x16_8x16", bits: [][2]uint32{{b4 | b5, b3}, {b3, b5}, {0, 0}}},
	9:  {name: "P8_16x32_8x16", bits: [][2]uint32{{b4 | b5, b3}, {b3, b4}, {b4, b5}}},
	10: {name: "P8_32x32_8x16", bits: [][2]uint32{{b4 | b5, b3}, {b3, b4}, {b5, b5}}},
	11: {name: "P8_16x32_16x16", bits: [][2]uint32{{b3 | b4, b3}, {b5, b4}, {b4, b5}}},
	12: {name: "P8_32x32_16x16", bits: [][2]uint32{{b3 | b4, b3}, {b4, b4}, {b5, b5}}},
	13: {name: "P8_32x32_16x32", bits: [][2]uint32{{b3 | b4, b3}, {b4, b6}, {b5, b5}}},
	14: {name: "P8_32x64_32x32", bits: [][2]uint32{{b3 | b5, b3}, {b6, b5}, {b5, b6}}, flaw: oddBank},
	16: {name: "P16_32x32_8x16", bits: [][2]uint32{{b4, b3}, {b3, b4}, {b5, b6}, {b6, b5}}},
	17: {name: "P16_32x32_16x16", bits: [][2]uint32{{b3 | b4, b3}, {b4, b4}, {b5, b6}, {b6, b5}}},
}

// pipe returns the pipe of the micro tile at texel x, y.
func (c *pipeConfig) pipe(x, y uint32) (pipe uint32) {
	for i, m := range c.bits {
		pipe |= uint32(bits.OnesCount32(x&m[0])+bits.OnesCount32(y&m[1])) & 1 << i
	}
	return pipe
}

// bankBits are the bits of u and v, the position in bank tiles, that select a bank: for 2, 4, 8 and 16 banks. Source:
// rule TL5.
var bankBits = [4][][2]uint32{
	{{1, 1}},
	{{1, 2}, {2, 1}},
	{{1, 4}, {2, 2 | 4}, {4, 1}},
	{{1, 8}, {2, 4 | 8}, {4, 2}, {8, 1}},
}

// microMode is the order of texels in a micro tile.
type microMode uint8

const (
	microDisplay microMode = iota
	microThin
	microDepth
	microRotated
	microThick
	numMicroModes = iota
)

// tiling is an entry of the two tables, decoded for surfaces with a given element size.
type tiling struct {
	mode         arrayMode
	micro        microMode
	pipes        *pipeConfig
	np           int // number of pipes
	bankW, bankH int // width and height of a bank in micro tiles
	aspect       int // MACRO_TILE_ASPECT
	banks        int
	split        int // bytes of a tile above which it is split over slices of pipes and banks
}

// interleave returns the size in bytes of a pipe interleave.
func (r *Registers) interleave() (int, error) {
	if v := r.AddrConfig >> 8 & 7; v != 0 {
		return 0, registerError("GB_ADDR_CONFIG", r.AddrConfig, "BANK_INTERLEAVE_SIZE is not 0")
	}
	return 256 << (r.AddrConfig >> 4 & 7), nil
}

// rowSize returns the size in bytes of a DRAM row.
func (r *Registers) rowSize() int { return 1 << 10 << (r.AddrConfig >> 28 & 3) }

// tiling decodes entry index of GB_TILE_MODE for surface s. Source: rules TM1 and TL1.
func (r *Registers) tiling(s *Surface) (t tiling, err error) {
	v := r.TileMode[s.Mode]
	wrong := func(why string) (tiling, error) {
		return t, registerError(fmt.Sprintf("GB_TILE_MODE%d", s.Mode), v, why)
	}
	style := isa.GenTraits(r.Gen)
	t.mode = arrayMode(v >> 2 & 15)
	am := &arrayModes[t.mode]
	if style.MacroModes {
		t.micro = microMode(v >> 22 & 7)
	} else {
		t.micro = microMode(v & 3)
	}
	switch {
	case t.micro > microThick || !style.MacroModes && t.micro > microDepth:
		return wrong("the micro tile mode is reserved")
	case am.prt && !style.PRTModes:
		return wrong("ARRAY_MODE " + am.name + " does not exist on " + r.Gen.String())
	case am.thick > 1 && s.Samples > 1:
		return t, &Error{NotSupported, am.name + " with more than one sample"}
	case am.family != macro:
		return t, nil
	}
	t.pipes = &pipeConfigs[v>>6&31]
	if t.pipes.name == "" {
		return wrong("PIPE_CONFIG is reserved")
	}
	t.np = 1 << len(t.pipes.bits)
	split := 64 << (v >> 11 & 7)
	bank := v >> 14 // BANK_WIDTH, BANK_HEIGHT, MACRO_TILE_ASPECT, NUM_BANKS
	if style.MacroModes {
		tile := 64 * am.thick * s.Bytes
		if t.micro != microDepth {
			split = max(256, tile<<(v>>25&3))
		}
		split = min(split, r.rowSize())
		i := log2(uint32(max(64, min(split, s.Samples*tile)) / 64))
		if am.prt {
			i += 8
		}
		bank = r.MacroTileMode[i]
	}
	t.split = split
	t.bankW, t.bankH, t.aspect, t.banks = 1<<(bank&3), 1<<(bank>>2&3), 1<<(bank>>4&3), 2<<(bank>>6&3)
	return t, nil
}

// macroSize returns the size of a macro tile in elements.
func (t *tiling) macroSize() (w, h int) {
	return 8 * t.bankW * t.np * t.aspect, 8 * t.bankH * t.banks / t.aspect
}
