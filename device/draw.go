package device

import (
	"cmp"
	"errors"

	"github.com/gcnsim/gcnsim/device/internal/rect"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// draw executes a draw with which a driver copies, clears or scales an image, and refuses all others.
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
	err := d.Run(f.ctx)
	if f.engine.times.model == nil {
		f.engine.clock.add(d.Instructions / instructionsPerTick)
	}
	if e, ok := errors.AsType[*rect.Error](err); ok {
		return noGraphics(packet.Name, e)
	}
	return err
}

// noGraphics refuses a draw.
func noGraphics(packet string, why error) error {
	return refuse("%s: the device has no graphics; use a queue family without VK_QUEUE_GRAPHICS_BIT: of draws only those "+
		"that copy, clear or scale images are modelled, not %v", packet, why)
}

// cardMemory is the memory of the card for draws.
type cardMemory struct{ *space }

// Read fills b from addr.
func (m cardMemory) Read(b []byte, addr uint64) error { return m.read(b, addr) }

// Write writes b to addr.
func (m cardMemory) Write(b []byte, addr uint64) error { return m.write(b, addr) }
