package check

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// move sets the effects of x to the registers that M0, MODE or a T# selects, and outside to the effect whose
// registers the wave has not allocated.
func (x *step) move() {
	x.moved.effects = append(x.moved.effects[:0], x.site.effects...)
	x.effects = x.moved.effects
	x.outside = registers.Move(x.Wave, (*isa.Inst)(x.Inst), x.effects)
	x.moved.reads, x.moved.writes = x.sets(x.effects)
	x.reads, x.writes = &x.moved.reads, &x.moved.writes
}

// fetched returns the lanes from which lanes of x read data of other lanes.
func (x *step) fetched() uint64 {
	return registers.Fetched(x.Wave, (*isa.Inst)(x.Inst), x.exec, x.exec)
}
