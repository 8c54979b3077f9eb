// Package draw makes the pictures of what instructions and descriptors do. The command, the examples and
// the handbook share them.
package draw

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state/lane"
)

// Text holds the title of a picture, and its description for those who do not see it.
type Text struct{ Title, Caption, Description string }

// Picture is a picture of a run.
type Picture interface {
	// See is called after each instruction.
	See(*sim.Event)
	// Canvas returns the picture of what See has seen. The error says why there is none.
	Canvas() (*svg.Canvas, error)
}

// pictures makes the pictures of runs by name.
var pictures = map[string]func() Picture{
	"exec":  func() Picture { return new(execPicture) },
	"lds":   func() Picture { return new(ldsPicture) },
	"lines": func() Picture { return new(linesPicture) },
}

// Names returns the names of the pictures of runs, in order.
func Names() []string { return slices.Sorted(maps.Keys(pictures)) }

// New returns an empty picture of a run by its name, one of [Names], nil for other names.
func New(name string) Picture {
	if of := pictures[name]; of != nil {
		return of()
	}
	return nil
}

// Of returns the picture of a run, or the error of the run or of [Picture].Canvas.
func Of(run Run, p Picture) (*svg.Canvas, error) {
	if err := run(p.See); err != nil {
		return nil, err
	}
	return p.Canvas()
}

// A Run executes instructions and shows each of them to see, after it has executed.
type Run func(see func(*sim.Event)) error

// MemoryBytes is how much memory a [Program] can reach.
const MemoryBytes = 64 << 10

// Program returns a run of a program in LLVM syntax on one wave of t: v0 holds the number of the lane, M0 is
// all ones, s[0:3] are a V# of [MemoryBytes] of zeroed memory, s[4:5] and v[2:3] its address, and other
// registers are 0. The error of the run comes from [sim.Machine.RunAsm].
func Program(ctx context.Context, t gcn.Target, program string) Run {
	return func(see func(*sim.Event)) error {
		m := sim.New(t)
		if err := m.Watch(sim.Observer(see)); err != nil {
			return err
		}
		buf := m.Alloc(MemoryBytes)
		w := m.NewWave()
		w.S[gcn.M0] = 0xffffffff
		w.SetVGPR(0, lane.Times(1))
		w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: MemoryBytes})
		low, high := uint32(buf.Addr), uint32(buf.Addr>>32)
		w.SetSGPRs(4, low, high)
		w.SetVGPR(2, lane.All(low))
		w.SetVGPR(3, lane.All(high))
		_, err := m.RunAsm(ctx, w, program)
		return err
	}
}

// first is how many executions of an instruction [Only] shows.
const first = 4

// ParsePC reads the PC of an instruction.
func ParsePC(text string) (uint64, error) {
	pc, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no PC; give an address such as 0x1040, as gcnsim dis --addresses prints it", text)
	}
	return pc, nil
}

// Only is a picture of one instruction alone, the first four times that it executes.
type Only struct {
	PC uint64 // in its code object, as disassemblers print PCs
	Picture
	n int
}

// See shows the picture e if it is of the instruction.
func (o *Only) See(e *sim.Event) {
	if e.PC-e.Program.Load != o.PC || o.n >= first {
		return
	}
	o.n++
	o.Picture.See(e)
}

// Canvas is the canvas of the picture. The error says, too, if the instruction has not executed.
func (o *Only) Canvas() (*svg.Canvas, error) {
	if o.n == 0 {
		return nil, fmt.Errorf("no instruction at 0x%x executes", o.PC)
	}
	return o.Picture.Canvas()
}

// maxAccesses is how many accesses a picture shows.
const maxAccesses = 8

// tooMany says that a run has more than a picture shows.
func tooMany(what string) error {
	return fmt.Errorf("the run has more than %d %s, which is what a picture shows; choose one instruction, or leave "+
		"some out", maxAccesses, what)
}
