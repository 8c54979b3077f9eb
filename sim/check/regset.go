package check

import (
	"iter"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// reg is a register.
type reg = registers.Reg

// regset is a set of registers.
type regset [registers.NumRegs / 64]uint64

func (s *regset) add(r reg)      { s[r>>6] |= 1 << (r & 63) }
func (s *regset) has(r reg) bool { return s[r>>6]>>(r&63)&1 != 0 }

func (s *regset) drop(r reg) { s[r>>6] &^= 1 << (r & 63) }

// meets reports whether s and t have a common register.
func (s *regset) meets(t *regset) bool {
	both := uint64(0)
	for i := range s {
		both |= s[i] & t[i]
	}
	return both != 0
}

func (s *regset) union(t *regset) {
	for i := range s {
		s[i] |= t[i]
	}
}

func (s *regset) remove(t *regset) {
	for i := range s {
		s[i] &^= t[i]
	}
}

// eachRegister returns the registers of effects, each with its effect.
func eachRegister(effects []isa.Effect) iter.Seq2[reg, *isa.Effect] {
	return func(yield func(reg, *isa.Effect) bool) {
		for i := range effects {
			first, n := registers.Span(&effects[i])
			for k := range n {
				if !yield(first+reg(k), &effects[i]) {
					return
				}
			}
		}
	}
}

// first returns the lowest register that is in both s and t. ok is false if there is none.
func (s *regset) first(t *regset) (r reg, ok bool) {
	for i := range s {
		if both := s[i] & t[i]; both != 0 {
			return reg(64*i + bits.TrailingZeros64(both)), true
		}
	}
	return 0, false
}

// all returns the registers of s, in order.
func (s *regset) all() iter.Seq[reg] {
	return func(yield func(reg) bool) {
		for i, m := range s {
			for ; m != 0; m &= m - 1 {
				if !yield(reg(64*i + bits.TrailingZeros64(m))) {
					return
				}
			}
		}
	}
}
