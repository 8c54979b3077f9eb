// Package draw makes pictures that show the effect of instructions and descriptors. The command, the examples and the
// handbook use it.
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

// Text has the title of a picture, and its description for people who cannot see it.
type Text struct{ Title, Caption, Description string }

// Picture is a picture of a program's execution.
type Picture interface {
	// See is called after each instruction.
	See(*sim.Event)
	// Canvas returns the picture of the instructions that See received. The error says why there is no picture.
	Canvas() (*svg.Canvas, error)
}

// pictures has a constructor for each picture of an execution, by name.
var pictures = map[string]func() Picture{
	"exec":  func() Picture { return new(execPicture) },
	"lds":   func() Picture { return new(ldsPicture) },
	"lines": func() Picture { return new(linesPicture) },
}

// Names returns the sorted names of the pictures of executions.
func Names() []string { return slices.Sorted(maps.Keys(pictures)) }

// New returns an empty picture by its name, one of [Names]. It is nil for other names.
func New(name string) Picture {
	if of := pictures[name]; of != nil {
		return of()
	}
	return nil
}

// Of returns the picture of an execution, or the error of the execution or of [Picture].Canvas.
func Of(run Run, p Picture) (*svg.Canvas, error) {
	if err := run(p.See); err != nil {
		return nil, err
	}
	return p.Canvas()
}

// A Run executes instructions and calls see after each of them.
type Run func(see func(*sim.Event)) error

// MemoryBytes is the size of the memory that a [Program] can access.
const MemoryBytes = 64 << 10

// Program returns a Run that executes a program in LLVM syntax on one wave of t. v0 has the lane number and M0 all
// ones. s[0:3] is a V# of [MemoryBytes] zeroed bytes, whose address is in s[4:5] and v[2:3]. Other registers are 0.
// The error comes from [sim.Machine.RunAsm].
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

// first is how many executions of the instruction [Only] shows.
const first = 4

// ParsePC parses the PC of an instruction.
func ParsePC(text string) (uint64, error) {
	pc, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no PC; give an address such as 0x1040, as gcnsim dis --addresses prints it", text)
	}
	return pc, nil
}

// Only limits a picture to one instruction, and to its first four executions.
type Only struct {
	PC uint64 // in its code object, as disassemblers print PCs
	Picture
	n int
}

// See passes e on if it is an execution of the instruction.
func (o *Only) See(e *sim.Event) {
	if e.PC-e.Program.Load != o.PC || o.n >= first {
		return
	}
	o.n++
	o.Picture.See(e)
}

// Canvas returns the picture. It is also an error if the instruction was not executed.
func (o *Only) Canvas() (*svg.Canvas, error) {
	if o.n == 0 {
		return nil, fmt.Errorf("no instruction at 0x%x executes", o.PC)
	}
	return o.Picture.Canvas()
}

// maxAccesses is the greatest number of accesses in a picture.
const maxAccesses = 8

// tooMany returns the error that the execution has more than a picture can show.
func tooMany(what string) error {
	return fmt.Errorf("the run has more than %d %s, which is what a picture shows; choose one instruction, or leave "+
		"some out", maxAccesses, what)
}
