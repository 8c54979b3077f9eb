package device

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// Sources and destinations of WRITE_DATA and COPY_DATA: SRC_SEL and DST_SEL.
const (
	selRegister  = 0
	selMemory    = 1
	selL2        = 2
	selImmediate = 5 // as SRC_SEL
	selAsync     = 5 // as DST_SEL: memory
	selClock     = 9
)

// predicate decides whether predicated packets are executed.
func (p *processor) predicate(f *File, packet *pm4.Packet) error {
	const end, bool64, bool32 = 0, 3, 4
	op := packet.Get(pm4.Operation)
	size := 8
	switch op {
	case end:
		p.skip = false
		return nil
	case bool64:
	case bool32:
		size = 4
	default:
		return refuse("SET_PREDICATION with operation %d: only 32 and 64-bit values in memory are modelled", op)
	}
	var b [8]byte
	if err := f.space.read(b[:size], packet.Get(pm4.Addr)); err != nil {
		return err
	}
	runIfSet := packet.Get(pm4.Condition) != 0
	p.skip = (binary.LittleEndian.Uint64(b[:]) != 0) != runIfSet
	return nil
}

// condExec skips the following words if a dword in memory is 0.
func (p *processor) condExec(f *File, packet *pm4.Packet) error {
	v, err := f.space.word(packet.Get(pm4.Addr))
	if err != nil || v != 0 {
		return err
	}
	top := &p.frames[len(p.frames)-1]
	n := int(packet.Get(pm4.Dwords))
	if n > len(top.words)-top.at {
		return refuse("COND_EXEC skips %d dwords, over the end of the buffer", n)
	}
	top.at += n
	return nil
}

// setRegister writes a register by its dword offset, as WRITE_DATA and COPY_DATA do.
func (p *processor) setRegister(packet *pm4.Packet, offset uint64, values []uint32) error {
	for i, v := range values {
		r := p.registers.at(uint32(min(offset+uint64(i), 1<<20)) * 4)
		if r == nil {
			return refuse("%s writes register 0x%x, which is not modelled", packet.Name, 4*(offset+uint64(i)))
		}
		*r = v
	}
	return nil
}

func (p *processor) writeData(f *File, packet *pm4.Packet) error {
	data, dst := packet.Payload(), packet.Get(pm4.Dst)
	switch sel := packet.Get(pm4.DstSel); sel {
	case selRegister:
		return p.setRegister(packet, uint64(packet.Body[1])|uint64(packet.Body[2])<<32, data)
	case selMemory, selL2, selAsync:
	default:
		return refuse("WRITE_DATA with DST_SEL %d: only registers and memory are modelled", sel)
	}
	if packet.Get(pm4.OneTo) != 0 {
		data = data[len(data)-1:]
	}
	b := make([]byte, 0, 4*len(data))
	for _, v := range data {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return f.space.write(b, dst)
}

func (p *processor) copyData(f *File, packet *pm4.Packet) error {
	size := 4
	if packet.Get(pm4.Wide) != 0 {
		size = 8
	}
	var b [8]byte
	le := binary.LittleEndian
	src, dst := packet.Get(pm4.Src), packet.Get(pm4.Dst)
	switch sel := packet.Get(pm4.SrcSel); sel {
	case selRegister:
		for i := range size / 4 {
			r := p.registers.at(uint32(min(src+uint64(i), 1<<20)) * 4)
			if r == nil {
				return refuse("COPY_DATA reads register 0x%x, which is not modelled", 4*(src+uint64(i)))
			}
			le.PutUint32(b[4*i:], *r)
		}
	case selMemory, selL2:
		if err := f.space.read(b[:size], src&vaMask); err != nil {
			return err
		}
	case selImmediate:
		le.PutUint64(b[:], src)
	case selClock:
		le.PutUint64(b[:], p.work.ring.stamp(f))
	default:
		return refuse("COPY_DATA with SRC_SEL %d: only registers, memory, data and the clock are modelled", sel)
	}
	switch sel := packet.Get(pm4.DstSel); sel {
	case selRegister:
		return p.setRegister(packet, dst, []uint32{le.Uint32(b[:]), le.Uint32(b[4:])}[:size/4])
	case selMemory, selL2, selAsync:
		return f.space.write(b[:size], dst&vaMask)
	default:
		return refuse("COPY_DATA with DST_SEL %d: only registers and memory are modelled", sel)
	}
}

// vaMask has the bits of a dword's address.
const vaMask = 1<<48 - 1 - 3

// compares are the functions of WAIT_REG_MEM.
var compares = [8]func(v, reference uint32) bool{
	func(uint32, uint32) bool { return true },
	func(v, r uint32) bool { return v < r },
	func(v, r uint32) bool { return v <= r },
	func(v, r uint32) bool { return v == r },
	func(v, r uint32) bool { return v != r },
	func(v, r uint32) bool { return v >= r },
	func(v, r uint32) bool { return v > r },
	nil,
}

// compareSigns are the same functions as text.
var compareSigns = [8]string{"anything", "<", "<=", "=", "/=", ">=", ">", ""}

func (p *processor) waitMemory(f *File, packet *pm4.Packet) error {
	w := wait{
		addr: packet.Get(pm4.Addr), function: uint8(packet.Get(pm4.Function)),
		mask: uint32(packet.Get(pm4.Mask)), reference: uint32(packet.Get(pm4.Reference)),
	}
	switch {
	case packet.Get(pm4.Space) == 0:
		return refuse("WAIT_REG_MEM waits for register 0x%x, which is not modelled", 4*w.addr/4)
	case compares[w.function] == nil:
		return refuse("WAIT_REG_MEM with the reserved function 7")
	}
	return p.waitFor(f, &w)
}

// waitFor makes the processor wait until a comparison with memory is true.
func (p *processor) waitFor(f *File, w *wait) error {
	ok, err := w.holds(f)
	if p.waiting = nil; !ok {
		p.waiting = w
	}
	return err
}

// holds reports whether the comparison is true. It also returns true after an error, so that a wait that cannot
// succeed ends at once.
func (w *wait) holds(f *File) (bool, error) {
	if w.wide {
		var b [8]byte
		err := f.space.read(b[:], w.addr)
		return err != nil || binary.LittleEndian.Uint64(b[:]) == w.reference64, err
	}
	v, err := f.space.word(w.addr)
	return err != nil || compares[w.function](v&w.mask, w.reference), err
}

// holds reports whether the condition that the ring waits for is true.
func (p *processor) holds(f *File) bool {
	ok, _ := p.waiting.holds(f) // the packet reports the error
	return ok
}

// hang returns an error that describes what the ring waited for in vain.
func (p *processor) hang(f *File) error {
	w := p.waiting
	if w.wide {
		return refuse("hang: would wait for ever: 64 bits at %s, wanted 0x%x", f.space.place(w.addr), w.reference64)
	}
	v, err := f.space.word(w.addr)
	if err != nil {
		return err
	}
	return refuse("hang: would wait for ever: [%s] & 0x%x = 0x%x, wanted %s 0x%x, and nothing pending writes it",
		f.space.place(w.addr), w.mask, v&w.mask, compareSigns[w.function], w.reference)
}

// Events that write counters. Source: Mesa, V_028A90_*.
const (
	eventZPass         = 0x15
	eventPipelineStats = 0x1e
)

// event executes an event that writes counters. Nothing is drawn, so all counters are 0.
func (p *processor) event(f *File, packet *pm4.Packet) error {
	if !packet.Has(pm4.Addr) {
		return nil
	}
	addr := packet.Get(pm4.Addr)
	switch kind := packet.Get(pm4.EventType); kind {
	case eventZPass:
		// Each render backend writes its counter with bit 63 set. The counters are 16 bytes apart.
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], 1<<63)
		for i := range uint64(f.dev.chip.Identity.RBs) {
			if err := f.space.write(b[:], addr+16*i); err != nil {
				return err
			}
		}
		return nil
	case eventPipelineStats:
		var counts [11 * 8]byte
		return f.space.write(counts[:], addr)
	default:
		return refuse("EVENT_WRITE of event %d to memory is not modelled", kind)
	}
}

// endOfPipe writes a value after all earlier work is done, which is always the case.
func (p *processor) endOfPipe(f *File, packet *pm4.Packet) error {
	const none, data32, data64, clock = 0, 1, 2, 3
	const eosData = 2
	sel := packet.Get(pm4.DataSel)
	if packet.Has(pm4.Command) { // the packet is EVENT_WRITE_EOS
		if command := packet.Get(pm4.Command); command != eosData {
			return refuse("EVENT_WRITE_EOS with command %d: only data is modelled", command)
		}
		sel = data32
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], packet.Get(pm4.Data))
	size := 8
	switch sel {
	case none:
		return nil
	case data32:
		size = 4
	case data64:
	case clock:
		binary.LittleEndian.PutUint64(b[:], p.work.ring.stamp(f))
	default:
		return refuse("%s with DATA_SEL %d: only data and the clock are modelled", packet.Name, sel)
	}
	return f.space.write(b[:size], packet.Get(pm4.Addr))
}
