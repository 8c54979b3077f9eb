package check

import (
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file finds accesses to a buffer outside of its declared parts.

// Part is a part of a buffer with a separate owner, for example an allocation from a memory pool.
type Part struct {
	Offset uint64 `json:"offset"` // in bytes, like Size
	Size   uint64 `json:"size"`
	Name   string `json:"name"` // name in messages; "" means its number
}

// pool is a buffer with declared parts.
type pool struct {
	lo, hi uint64
	parts  []Part
}

// Parts declares the parts of b. A finding is reported for an access outside of them, and for an access through a V#
// or an SADDR whose base is in one part and that accesses another part. Parts may be adjacent and overlap. It must be
// called before each launch. ok is false if c does not look for such accesses; the call then has no effect.
func (c *Checker) Parts(b *sim.Buffer, parts ...Part) (ok bool) {
	c.next = append(c.next, pool{b.Addr, b.Addr + b.Size, parts})
	return c.has(Bounds)
}

// outOfPart finds lanes that access a buffer outside of its parts.
func (c *Checker) outOfPart(x *step) {
	if len(c.pools) == 0 || !x.touches() || x.Access.Space != state.Global {
		return
	}
	a := x.Access
	lanes := a.Exec &^ (a.LDSLanes | a.ScratchLanes)
	if a.Scalar {
		lanes = 1
	}
	var mask uint64
	var first *pool
	var at uint64 // address of the first lane's first byte outside
	base, based := x.base()
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(lanes)
		for i := range int(a.Count) {
			addr := a.At(i, lane)
			p := c.poolOf(addr)
			out := a.Out[min(i, 3)] >> lane
			if a.Scalar {
				out = a.Out[0] >> i
			}
			if p == nil || out&1 != 0 || p.holds(addr, uint64(a.Elem), base, based) {
				continue
			}
			if mask |= 1 << lane; first == nil {
				first, at = p, addr
			}
			break
		}
	}
	if mask == 0 {
		return
	}
	f := x.first(defect{kind: Bounds, reg: fmt.Sprintf("0x%x", first.lo)})
	if f == nil {
		return
	}
	x.tellLanes(f, mask)
	f.Severity, f.Reg = Error, ""
	f.message = f.message.and("outside of %s of the buffer at 0x%x: byte %d of it%s", first.owner(base, based), first.lo,
		at-first.lo, first.near(at-first.lo))
}

// base returns the base address of a buffer or of GLOBAL with SADDR.
func (x *step) base() (addr uint64, ok bool) {
	switch in := (*isa.Inst)(x.Inst); in.Enc {
	case isa.MUBUF, isa.MTBUF:
		var v gcn.VSharp
		copy(v[:], x.Wave.S[4*in.Get(isa.SRSRC):])
		return isa.VBase.In(&v), true
	case isa.GLOBAL:
		if code := in.Get(isa.SADDR); code != isa.NoSADDR {
			return x.Wave.Scalar64(code), true
		}
	}
	return 0, false
}

// poolOf returns the buffer with parts that contains addr, or nil.
func (c *Checker) poolOf(addr uint64) *pool {
	for i := range c.pools {
		if p := &c.pools[i]; addr-p.lo < p.hi-p.lo {
			return p
		}
	}
	return nil
}

// holds reports whether one part contains the bytes at addr. If base is in a part, only such parts count.
func (p *pool) holds(addr, size, base uint64, based bool) bool {
	inside, found := false, false
	for i := range p.parts {
		k := &p.parts[i]
		has := addr-p.lo-k.Offset < k.Size && size <= k.Size-(addr-p.lo-k.Offset)
		if based && base-p.lo-k.Offset < k.Size {
			found = true
			if has {
				return true
			}
		}
		inside = inside || has
	}
	return inside && !found
}

// owner names where accesses must be: in the part of base, or in any part.
func (p *pool) owner(base uint64, based bool) string {
	for i := range p.parts {
		if based && base-p.lo-p.parts[i].Offset < p.parts[i].Size {
			return p.name(i)
		}
	}
	return "the parts"
}

// near describes the position of a byte relative to the last part that begins before it.
func (p *pool) near(at uint64) string {
	best := -1
	for i := range p.parts {
		if k := &p.parts[i]; k.Offset <= at && (best < 0 || k.Offset >= p.parts[best].Offset) {
			best = i
		}
	}
	if best < 0 {
		return ", before all of them"
	}
	k := &p.parts[best]
	return fmt.Sprintf(", byte %d of %s, which has %d", at-k.Offset, p.name(best), k.Size)
}

// name returns the name of a part in messages.
func (p *pool) name(i int) string {
	if p.parts[i].Name != "" {
		return fmt.Sprintf("part %q", p.parts[i].Name)
	}
	return fmt.Sprintf("part %d", i)
}
