package source

import (
	"fmt"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// typ is a scalar type.
type typ uint8

// Types by width. Unsigned integers have odd numbers.
const (
	i8 typ = iota
	u8
	i16
	u16
	i32
	u32
	i64
	u64
	f16
	f32
	f64
	numTypes = iota
)

var typeNames = [numTypes]string{"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"}

var _ = enum.Full[typ](typeNames[:])

func (t typ) String() string { return enum.Name(typeNames[:], t) }

func (t typ) float() bool { return t >= f16 }

func (t typ) signed() bool { return !t.float() && t&1 == 0 }

// bits returns the width of the type.
func (t typ) bits() int {
	if t.float() {
		return 16 << (t - f16)
	}
	return 8 << (t / 2)
}

// word returns the unsigned type in which arithmetic on t cannot overflow.
func (t typ) word() typ {
	if t >= i64 {
		return u64
	}
	return u32
}

// integer returns a random integer type, mostly of 32 bits.
func (g *generator) integer() typ {
	if !g.narrow {
		return pick(g, i32, i32, u32, u32, u32, i64, u64)
	}
	return pick(g, i8, u8, i16, u16, i32, i32, i32, u32, u32, u32, i64, u64)
}

// anyType returns a random type.
func (g *generator) anyType() typ {
	if g.chance(5) {
		if !g.glsl && g.chance(4) {
			return f16
		}
		return pick(g, f32, f32, f64)
	}
	return g.integer()
}

// cast returns an integer expression converted to type t.
func cast(t typ, text string) string { return fmt.Sprintf("(%s)(%s)", t, text) }

// constant returns a constant of type t.
func (g *generator) constant(t typ) string {
	if t.float() {
		suffix := "f" // also for f16, because all constants are exact
		if t == f64 {
			suffix = ""
		}
		return fmt.Sprintf("%d.%d%s", g.IntN(300)-100, 25*g.IntN(4), suffix)
	}
	v := uint64(g.Uint32())
	switch g.IntN(4) {
	case 0:
		v = uint64(g.IntN(20))
	case 1:
		v = uint64(edge.Number(g.Rand))
	case 2:
		v = g.Uint64()
	}
	if t.bits() < 64 {
		v &= 1<<t.bits() - 1
	}
	if t.bits() == 64 {
		return fmt.Sprintf("(%s)%#xul", t, v)
	}
	return fmt.Sprintf("(%s)%#xu", t, v)
}
