package draw

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// maxSteps is the greatest number of instructions in a picture of EXEC.
const maxSteps = 64

// step is an executed instruction, with EXEC after it.
type step struct {
	text string
	exec uint64
}

// execPicture shows the active lanes of the wave that executes first.
type execPicture struct {
	wave  *state.Wave
	steps []step
	more  int // instructions for which the picture is too small
}

// See records an instruction of the first wave.
func (p *execPicture) See(e *sim.Event) {
	if p.wave == nil {
		p.wave = e.Wave
	}
	switch {
	case e.Wave != p.wave:
	case len(p.steps) == maxSteps:
		p.more++
	default:
		p.steps = append(p.steps, step{asm.Format(*e.Inst, asm.LLVM), e.Wave.Exec()})
	}
}

// Canvas draws the instructions. The error says that there is none or that there are too many.
func (p *execPicture) Canvas() (*svg.Canvas, error) {
	switch {
	case len(p.steps) == 0:
		return nil, errors.New("no instruction executes")
	case p.more > 0:
		return nil, fmt.Errorf("the first wave executes %d instructions, and a picture shows at most %d; leave some out",
			maxSteps+p.more, maxSteps)
	}
	return drawExec(p.steps), nil
}

// drawExec draws a row of 64 lanes for each instruction.
func drawExec(steps []step) *svg.Canvas {
	const side, top, high = 12.0, 142.0, 22.0
	text := Text{
		Title: "Which lanes EXEC leaves on",
		Caption: "A row is an executed instruction, a cell a lane after it. Vector instructions change registers and memory " +
			"in lanes of EXEC alone; scalar ones do not look at it (rule ST1).",
		Description: "For each executed instruction 64 cells, filled where the lane is on afterwards.",
	}
	mono, left := svg.Style{Size: 12}, 120.0
	for _, s := range steps {
		left = max(left, 24+mono.Width(s.text)+16)
	}
	c := svg.New(left+state.NumLanes*side+64, top+high*float64(len(steps))+16, text.Title, text.Description)
	y := c.Heading(24, text.Title, text.Caption)
	c.Legend(24, y+4, left+state.NumLanes*side, svg.Style{Size: 13}, svg.Entry{Fill: svg.Tints[0], Text: "on"},
		svg.Entry{Fill: svg.None, Text: "off"})
	for n := 0; n < state.NumLanes; n += 8 {
		c.Text(left+(float64(n)+0.5)*side, top-8, svg.Style{Size: 11, Fill: svg.Soft, Anchor: "middle"}, fmt.Sprint(n))
	}
	c.Text(left+state.NumLanes*side+12, top-8, svg.Style{Size: 11, Fill: svg.Soft}, "on")
	for i, s := range steps {
		y := top + high*float64(i)
		c.Text(24, y+15, mono, s.text)
		for n := range state.NumLanes {
			fill := svg.None
			if s.exec>>n&1 != 0 {
				fill = svg.Tints[0]
			}
			c.Box(left+float64(n)*side, y+3, side, high-6, fill)
		}
		c.Text(left+state.NumLanes*side+12, y+15, svg.Style{Size: 11, Fill: svg.Soft}, fmt.Sprint(bits.OnesCount64(s.exec)))
	}
	return c
}
