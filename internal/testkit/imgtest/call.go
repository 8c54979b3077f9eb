package imgtest

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// ErrUnsupported is wrapped by errors about features that are illegal or that no source describes.
var ErrUnsupported = errors.New("imgtest: unsupported")

func unsupported(text string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(text, args...))
}

// ErrUnmapped is wrapped by errors about unmapped texels.
var ErrUnmapped = errors.New("imgtest: not mapped")

// Memory is one mapped range.
type Memory struct {
	Base  uint64
	Bytes []byte
}

// At returns n bytes at addr, or nil if one of them is unmapped.
func (m *Memory) At(addr uint64, n int) []byte {
	at := addr - m.Base
	if addr < m.Base || at > uint64(len(m.Bytes)) || uint64(len(m.Bytes))-at < uint64(n) {
		return nil
	}
	return m.Bytes[at:][:n]
}

// Call is an image instruction with the registers and the memory that it uses.
type Call struct {
	Target gcn.Target
	Name   string // mnemonic, such as "image_sample_c_d_cl_o"
	T      gcn.TSharp
	R128   bool // GCN 1.0 to 1.2: words 4 to 7 of T are missing
	S      gcn.SSharp
	DMASK  uint32

	UNRM, GLC, DA, A16, TFE, LWE, D16 bool

	Exec  uint64
	VAddr [][64]uint32 // the address VGPRs
	VData [][64]uint32 // the data VGPRs
	Mem   *Memory
	Regs  *tile.Registers
	// Border are the border colours of the table for BORDER_COLOR_TYPE 3. Missing entries are transparent black.
	Border [][4]uint32
	// SRAMECC makes D16 loads clear the upper half of a VGPR if they do not fill it.
	SRAMECC bool
}

// Clone returns a copy that shares no registers and no memory with c.
func (c *Call) Clone() *Call {
	d := *c
	d.VAddr, d.VData = slices.Clone(c.VAddr), slices.Clone(c.VData)
	d.Mem = &Memory{c.Mem.Base, slices.Clone(c.Mem.Bytes)}
	return &d
}

// kind is the kind of an instruction: load, store, sample and so on.
type kind uint8

const (
	load kind = iota
	store
	atomic
	resinfo
	lodQuery
	sample
	gather
)

// op is the result of parsing a mnemonic.
type op struct {
	kind         kind
	atomic       string // such as "umin"
	mip          bool
	pck, sgn     bool
	offset       bool // _O
	bias         bool // _B
	compare      bool // _C
	deriv        bool // _D and _CD
	lod, lodZero bool // _L, _LZ
	clamp        bool // _CL
}

// sampler reports whether the instruction has an S# and float coordinates.
func (o *op) sampler() bool { return o.kind >= lodQuery }

// kinds are the stems of mnemonics, with their kinds. Source: rule IM1.
var kinds = []struct {
	stem string
	kind kind
}{
	{"image_load", load}, {"image_store", store}, {"image_atomic_", atomic}, {"image_get_resinfo", resinfo},
	{"image_get_lod", lodQuery}, {"image_sample", sample}, {"image_gather4", gather},
}

// parse parses a mnemonic.
func parse(name string) (o op, err error) {
	for _, k := range kinds {
		rest, ok := strings.CutPrefix(name, k.stem)
		if !ok {
			continue
		}
		o.kind = k.kind
		if k.kind == atomic {
			o.atomic = rest
			return o, nil
		}
		for _, word := range strings.Split(rest, "_")[1:] {
			flags := map[string]*bool{
				"mip": &o.mip, "pck": &o.pck, "sgn": &o.sgn, "o": &o.offset, "b": &o.bias, "c": &o.compare, "d": &o.deriv,
				"cd": &o.deriv,
				"l":  &o.lod, "lz": &o.lodZero, "cl": &o.clamp,
			}
			if flags[word] == nil {
				return o, unsupported("%s", name)
			}
			*flags[word] = true
		}
		if rest != "" && rest[0] != '_' { // image_gather4h: rule IM13
			return o, unsupported("%s", name)
		}
		return o, nil
	}
	return o, unsupported("%s", name)
}

// vega reports whether the target is GCN 1.4.
func (c *Call) vega() bool { return c.Target.Gen() >= gcn.GCN14 }

// packs reports whether D16 packs two components into a VGPR, as on GCN 1.4 and Stoney. Source: rule IM6.
func (c *Call) packs() bool { return c.vega() || c.Target == gcn.GFX810 }

// check refuses illegal combinations of instruction fields.
func (c *Call) check(o *op) error {
	plain := o.kind != atomic && o.kind != resinfo && o.kind != lodQuery && !o.pck
	switch {
	case c.R128 && c.vega(), c.A16 && !c.vega():
		return unsupported("R128 or A16 on %v", c.Target) // rule IM2
	case c.D16 && (c.Target.Gen() < gcn.GCN12 || !plain):
		return unsupported("D16 of %s on %v", c.Name, c.Target) // rule IM6
	}
	return nil
}

// Components returns the number of components that are loaded or stored, before D16 packs them: those in DMASK, or 4
// for gathers. Source: rule IM5.
func (c *Call) Components() int {
	if strings.HasPrefix(c.Name, "image_gather4") {
		return 4
	}
	return max(1, bits.OnesCount32(c.DMASK))
}

// DataVGPRs returns the number of VGPRs for the components, without the status VGPR of TFE and LWE. Source: rule IM6.
func (c *Call) DataVGPRs() int {
	n := c.Components()
	if c.D16 && c.packs() {
		n = (n + 1) / 2
	}
	return n
}

// put writes the components of a lane to VDATA. Source: rule IM6.
func (r *run) put(lane int, values []uint32) {
	c := r.Call
	for i, v := range values {
		switch {
		case !c.D16:
			c.VData[i][lane] = v
		case !c.packs():
			c.VData[i][lane] = v & 0xffff
		case i%2 == 1:
			c.VData[i/2][lane] = c.VData[i/2][lane]&0xffff | v<<16
		case i == len(values)-1 && c.SRAMECC:
			c.VData[i/2][lane] = v & 0xffff
		default:
			c.VData[i/2][lane] = c.VData[i/2][lane]&^0xffff | v&0xffff
		}
	}
}

// get returns component i of a lane from VDATA. A D16 component is in the low bits.
func (r *run) get(lane, i int) uint32 {
	c := r.Call
	switch {
	case !c.D16:
		return c.VData[i][lane]
	case !c.packs():
		return c.VData[i][lane] & 0xffff
	}
	return c.VData[i/2][lane] >> (i % 2 * 16) & 0xffff
}
