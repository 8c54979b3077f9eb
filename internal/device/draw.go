package device

import (
	"cmp"
	"errors"

	"github.com/gcnsim/gcnsim/internal/device/rect"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
	"github.com/gcnsim/gcnsim/sim"
)

// draw executes a draw that copies, clears or scales an image, and refuses all others.
func (p *processor) draw(f *File, packet *pm4.Packet) error {
	if !packet.Has(pm4.Initiator) {
		return noGraphics(packet.Name, errors.New("indices, or sizes in memory"))
	}
	if p.registers.graphics == nil {
		p.registers.clearState()
	}
	d := &rect.Draw{
		Machine: f.engine.machine, Memory: cardMemory{f.space}, Registers: p.registers.graphics,
		Vertices: uint32(packet.Get(pm4.Data)), Instances: cmp.Or(p.instances, 1),
	}
	begin := f.engine.clock.now()
	err := d.Run(f.ctx)
	if f.engine.times.model == nil {
		f.engine.clock.add(d.Instructions / instructionsPerTick)
	}
	f.drawn(p, d, begin, err)
	if e, ok := errors.AsType[*rect.Error](err); ok {
		return noGraphics(packet.Name, e)
	}
	return err
}

// drawn calls Options.Drawn for a finished draw, unless the file is being closed.
func (f *File) drawn(p *processor, d *rect.Draw, begin uint64, err error) {
	f.engine.draws++
	if f.dev.options.Drawn == nil || f.ctx.Err() != nil {
		return
	}
	name := d.Name()
	if label := p.labels.innermost(); label != "" {
		name = label + ": " + name
	}
	f.dev.tell.Lock()
	defer f.dev.tell.Unlock()
	f.dev.options.Drawn(&Dispatch{
		File: f.id, Number: f.engine.draws, Ring: p.work.ring.String(), Submission: p.work.sequence,
		Kernel:    &Kernel{File: f.id, Name: name},
		Registers: sim.Compute{End: [3]uint32{d.Width, d.Height, d.Rectangles}, NumThread: [3]uint32{1, 1, 1}},
		Begin:     begin, End: f.engine.clock.now(), Result: &sim.Result{Instructions: d.Instructions}, Err: err,
	})
}

// noGraphics returns the error that refuses a draw.
func noGraphics(packet string, why error) error {
	return refuse("%s: the device has no graphics: of draws only those that copy, clear or scale images are modelled, not "+
		"%v; dispatch compute shaders in place of draws; if a copy or a clear was meant, a Vulkan program can have it without "+
		"a draw, on a queue family without VK_QUEUE_GRAPHICS_BIT (WebGPU and OpenGL leave no choice)", packet, why)
}

// cardMemory is the card's memory as package rect accesses it.
type cardMemory struct{ *space }

// Read fills b from addr.
func (m cardMemory) Read(b []byte, addr uint64) error { return m.read(b, addr) }

// Write writes b to addr.
func (m cardMemory) Write(b []byte, addr uint64) error { return m.write(b, addr) }
