// Package aql decodes the contents of user-mode queues of the HSA runtime: packets of the Architected Queuing
// Language, and the structures that they refer to.
//
// Sources: HSA Runtime Programmer's Reference 1.2 and Platform System Architecture Specification 1.2 (packets,
// signals); ROCR-Runtime, amd_hsa_queue.h and amd_hsa_signal.h (layouts).
package aql

import (
	"encoding/binary"
	"fmt"
)

// PacketBytes is the size of a packet in bytes.
const PacketBytes = 64

// Type is the type of a packet, bits 7:0 of its header.
type Type uint8

// The types.
const (
	Vendor  Type = iota // vendor-specific; its meaning depends on the generation
	Invalid             // the slot is empty
	KernelDispatch
	BarrierAnd
	AgentDispatch
	BarrierOr
)

// String returns the name of the type, for example "kernel dispatch".
func (t Type) String() string {
	names := []string{"vendor", "invalid", "kernel dispatch", "barrier-and", "agent dispatch", "barrier-or"}
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Packet is the bytes of one packet.
type Packet [PacketBytes]byte

// Type returns the type of the packet.
func (p *Packet) Type() Type { return Type(p[0]) }

func (p *Packet) u16(at int) uint16 { return binary.LittleEndian.Uint16(p[at:]) }
func (p *Packet) u32(at int) uint32 { return binary.LittleEndian.Uint32(p[at:]) }
func (p *Packet) u64(at int) uint64 { return binary.LittleEndian.Uint64(p[at:]) }

// Signal returns the address of the signal that is decremented when the packet completes, 0 if there is none.
func (p *Packet) Signal() uint64 { return p.u64(56) }

// Dispatch holds the fields of a kernel dispatch packet.
type Dispatch struct {
	Group   [3]uint32 // size of a work-group in work-items; 1 in dimensions that the packet does not use
	Grid    [3]uint32 // size of the grid in work-items
	Private uint32    // bytes of private memory per work-item
	LDS     uint32    // bytes of LDS per work-group
	Kernel  uint64    // address of the kernel descriptor
	Kernarg uint64
}

// Dispatch decodes a packet of type [KernelDispatch].
func (p *Packet) Dispatch() Dispatch {
	d := Dispatch{
		Group: [3]uint32{1, 1, 1}, Grid: [3]uint32{1, 1, 1},
		Private: p.u32(24), LDS: p.u32(28), Kernel: p.u64(32), Kernarg: p.u64(40),
	}
	for i := range min(int(p[2]&3), 3) {
		d.Group[i], d.Grid[i] = uint32(p.u16(4+2*i)), p.u32(12+4*i)
	}
	return d
}

// Barrier returns the addresses of the signals that a packet of type [BarrierAnd] or [BarrierOr] waits for. An
// address of 0 means no signal.
func (p *Packet) Barrier() (signals [5]uint64) {
	for i := range signals {
		signals[i] = p.u64(8 + 8*i)
	}
	return signals
}

// Formats of vendor packets on GCN 1.4, byte 2 of the packet.
const (
	PM4IB        = 1 // executes a command buffer
	BarrierValue = 2 // waits for the value of a signal; see [Packet.BarrierValue]
)

// Format returns the format of a packet of type [Vendor] on GCN 1.4.
func (p *Packet) Format() uint8 { return p[2] }

// Value is a condition on the value of a signal.
type Value struct {
	Signal          uint64 // address of the signal
	Reference, Mask int64
	Condition       uint32 // 0 is ==, 1 is !=, 2 is <, 3 is >=
}

// BarrierValue decodes a vendor packet of that format.
func (p *Packet) BarrierValue() Value {
	return Value{p.u64(8), int64(p.u64(16)), int64(p.u64(24)), p.u32(32)}
}

// Holds reports whether the condition is true for the value of a signal. An unknown condition is true.
func (v *Value) Holds(value int64) bool {
	value &= v.Mask
	switch v.Condition {
	case 0:
		return value == v.Reference
	case 1:
		return value != v.Reference
	case 2:
		return value < v.Reference
	case 3:
		return value >= v.Reference
	}
	return true
}

// Fields of a signal (amd_signal_t), as byte offsets from its address. A signal has SignalBytes.
const (
	SignalValue   = 8 // 64 bits
	SignalMailbox = 16
	SignalEvent   = 24 // 32 bits
	SignalStart   = 32 // time when the packet started
	SignalEnd     = 40
	SignalBytes   = 64
)

// Fields of a queue (amd_queue_t), as byte offsets from its address. A queue has QueueBytes.
const (
	QueueReadIndex     = 128
	QueueTmpRing       = 140 // COMPUTE_TMPRING_SIZE, 32 bits
	QueueScratchVSharp = 144 // V#, four dwords
	QueueScratch       = 160 // address of the scratch memory; on GCN 1.1 and 1.2 an offset
	QueueScratchLane   = 176 // bytes of scratch per work-item, 32 bits
	QueueProperties    = 180
	QueueInactive      = 192 // address of the signal that reports errors
	QueueBytes         = 256
)

// ScratchOnce is a property of a queue: its scratch is for one dispatch only.
const ScratchOnce = 1 << 4

// Values of the signal at QueueInactive. Source: ROCR-Runtime, AqlQueue::DynamicScratchHandler.
const (
	NeedsScratch     = 1
	BadDimensions    = 2
	BadGroupMemory   = 4
	BadCode          = 8
	BadPacket        = 32
	BadGroupSize     = 64
	GivesScratchBack = 512
	IllegalCode      = 0x40000000
	TrapTaken        = 0x80000000
)

// Descriptor holds the fields of a kernel descriptor that a command processor reads. They have the same offsets in
// code objects v3 and later and in the amd_kernel_code_t of v2.
type Descriptor struct {
	Entry      int64 // offset of the first instruction from the descriptor
	RSRC       [3]uint32
	Properties uint32 // bit n is set if the n-th of the optional user SGPRs is enabled
}

// DescriptorBytes is the number of bytes of a descriptor that are read.
const DescriptorBytes = 64

// ReadDescriptor decodes a descriptor of DescriptorBytes.
func ReadDescriptor(b []byte) Descriptor {
	le := binary.LittleEndian
	return Descriptor{
		Entry: int64(le.Uint64(b[16:])), RSRC: [3]uint32{le.Uint32(b[48:]), le.Uint32(b[52:]), le.Uint32(b[44:])},
		Properties: le.Uint32(b[56:]),
	}
}

// Bits of Descriptor.Properties, in the order of the user SGPRs. Only v2 has the work-group counts.
const (
	HasPrivateVSharp = iota
	HasDispatchPtr
	HasQueuePtr
	HasKernargPtr
	HasDispatchID
	HasFlatScratch
	HasPrivateSize
	HasGroupCountX
	HasGroupCountY
	HasGroupCountZ
)

// Words returns n dwords of the packet, starting at dword at.
func (p *Packet) Words(at, n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = p.u32(4 * (at + i))
	}
	return words
}
