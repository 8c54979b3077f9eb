package device

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// processor is the state of a ring's command processor: its registers, and its position in the command buffers.
type processor struct {
	work   *submission // the current submission, nil between submissions
	next   int         // index of its next buffer
	frames []frame     // stack of the buffers that are being executed, the innermost last
	steps  int         // packets of the submission that were executed
	calls  int         // buffers of the submission that were entered

	registers registerFile
	labels    labels
	base      [bases]uint64 // base addresses that SET_BASE packets set
	instances uint32        // instances of the next draws, 0 means 1
	skip      bool          // skip predicated packets
	waiting   *wait         // condition that the next packet waits for
}

// frame is a command buffer in progress. Its words are a copy, because the process may change the original.
type frame struct {
	addr  uint64
	words []uint32
	at    int // index of the next packet
}

// Limits of command buffers.
const (
	bases       = 16      // number of bases that SET_BASE can set
	maxIBDwords = 1 << 20 // INDIRECT_BUFFER has a size field of 20 bits
	maxDepth    = 8
	maxPackets  = 1 << 26 // packets of a submission, in
	maxBuffers  = 1 << 16 // this many buffers, because buffers may chain in a circle
)

// wait is a comparison with memory that is not yet true.
type wait struct {
	addr            uint64
	function        uint8
	mask, reference uint32
	wide            bool // compares 64 bits for equality
	reference64     uint64
}

// stream returns the packet format of a ring.
func (f *File) stream(r *ring) pm4.Stream {
	s := pm4.Stream{Gen: f.dev.chip.Target.Gen(), Ring: pm4.Compute}
	if r.id.ip == ipGFX {
		s.Ring = pm4.Graphics
	}
	return s
}

// run executes a submission until it is done, or until p.waiting says what it waits for. moved is false if no packet
// was executed.
func (p *processor) run(f *File, s *submission) (moved bool, err error) {
	if p.work != s {
		p.work, p.next, p.frames, p.steps, p.calls, p.waiting, p.skip = s, 0, s.frames, 0, 0, nil, false
	}
	stream := f.stream(s.ring)
	for {
		n := len(p.frames)
		switch {
		case n == 0 && p.next == len(s.ibs):
			p.work = nil
			return true, nil
		case n == 0:
			b := s.ibs[p.next]
			p.next++
			if err := p.enter(f, b); err != nil {
				return true, err
			}
			continue
		case p.frames[n-1].at == len(p.frames[n-1].words):
			p.frames = p.frames[:n-1]
			continue
		}
		top := &p.frames[n-1]
		packet, size, err := stream.Next(top.words, top.at)
		if err != nil {
			return true, err
		}
		if p.steps++; p.steps > maxPackets {
			return true, refuse("the submission has more than %d packets", maxPackets)
		}
		if err := s.ring.ctx(f).Err(); err != nil { // check often: a packet may copy 64 MiB
			return true, err
		}
		top.at += size
		if packet.Predicated && p.skip {
			continue
		}
		if err := p.execute(f, &packet); err != nil {
			return true, err
		}
		if p.waiting != nil {
			p.frames[n-1].at = packet.At // repeat the packet when memory has changed
			return moved, nil
		}
		moved = true
		f.engine.clock.add(1)
	}
}

// enter begins to execute a buffer.
func (p *processor) enter(f *File, b buffer) error {
	if p.calls++; p.calls > maxBuffers {
		return refuse("the submission has more than %d command buffers: its buffers chain in a circle", maxBuffers)
	}
	words, err := f.space.words(b.addr, b.words)
	if err != nil {
		return fmt.Errorf("a command buffer of %d dwords at 0x%x: %w", b.words, b.addr, err)
	}
	p.frames = append(p.frames, frame{addr: b.addr, words: words})
	f.list(p.work, b, words)
	return nil
}

// list writes a listing of a buffer before it is executed, if the user asked for listings.
func (f *File) list(s *submission, b buffer, words []uint32) {
	d := f.dev
	d.tell.Lock()
	defer d.tell.Unlock()
	if d.options.Commands == nil {
		return
	}
	_, err := fmt.Fprintf(d.options.Commands, "file %d, %v, submission %d: %d dwords at %s\n", f.id, s.ring, s.sequence,
		b.words, f.space.place(b.addr))
	if err == nil {
		err = f.stream(s.ring).List(d.options.Commands, words)
	}
	if err != nil {
		d.options.Commands = nil
		if d.options.Log != nil {
			fmt.Fprintf(d.options.Log, "no listing of command buffers from here on: %v\n", err)
		}
	}
}

// call executes a buffer inside of the current one, or continues there without returning.
func (p *processor) call(f *File, packet *pm4.Packet) error {
	b := buffer{packet.Get(pm4.Addr), int(packet.Get(pm4.Dwords))}
	if packet.Get(pm4.Chain) != 0 {
		p.frames = p.frames[:len(p.frames)-1]
	}
	if len(p.frames) >= maxDepth {
		return refuse("command buffers are nested more than %d deep", maxDepth)
	}
	if b.words == 0 {
		return nil
	}
	return p.enter(f, b)
}

// where returns the location of the packet that is being executed.
func (p *processor) where(f *File) string {
	if len(p.frames) == 0 {
		return ""
	}
	top := &p.frames[len(p.frames)-1]
	return fmt.Sprintf("before dword %d of the command buffer at %s", top.at, f.space.place(top.addr))
}

// execute executes one packet.
func (p *processor) execute(f *File, packet *pm4.Packet) error {
	switch packet.Effect { //exhaustive:enforce
	case pm4.Nothing:
	case pm4.SetRegisters:
		if packet.Register() == pm4.SqThreadTraceUserdata2 {
			p.labels.mark(packet.Payload())
		}
		p.registers.set(packet.Register(), packet.Payload())
	case pm4.LoadRegisters:
		values, err := f.space.words(packet.Get(pm4.Addr), int(packet.Get(pm4.Dwords)))
		if err != nil {
			return err
		}
		p.registers.set(packet.Register(), values)
	case pm4.SetBase:
		p.base[packet.Get(pm4.Index)] = packet.Get(pm4.Addr)
	case pm4.Dispatch:
		return p.dispatch(f, [3]uint32{uint32(packet.Get(pm4.DimX)), uint32(packet.Get(pm4.DimY)),
			uint32(packet.Get(pm4.DimZ))}, packet)
	case pm4.DispatchIndirect:
		return p.dispatchIndirect(f, packet)
	case pm4.Predicate:
		return p.predicate(f, packet)
	case pm4.CondExec:
		return p.condExec(f, packet)
	case pm4.WriteData:
		return p.writeData(f, packet)
	case pm4.CopyData:
		return p.copyData(f, packet)
	case pm4.WaitMemory:
		return p.waitMemory(f, packet)
	case pm4.Call:
		return p.call(f, packet)
	case pm4.CopyMemory:
		return p.copyMemory(f, packet)
	case pm4.Atomic:
		return p.atomic(f, packet)
	case pm4.Event:
		return p.event(f, packet)
	case pm4.EndOfPipe:
		return p.endOfPipe(f, packet)
	case pm4.ClearState:
		p.registers.clearState()
	case pm4.Instances:
		p.instances = uint32(packet.Get(pm4.Data))
	case pm4.Draw:
		return p.draw(f, packet)
	}
	return nil
}

// Refusal is the error that the device does not model something.
type Refusal struct{ What string }

// Error returns the name of the unmodelled feature.
func (e *Refusal) Error() string { return e.What }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }
