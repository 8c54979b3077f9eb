package sim

import (
	"fmt"
	"slices"
)

// packed is the value of [Memory].Placement that is not a seed.
const packed = 0

// Alloc uses no address below 4 GiB, so that an address cut to 32 bits is not mapped. It leaves a page between
// ranges, so that an access beyond the end of a range is a fault.
const (
	pageBytes   = 0x1000
	allocBase   = windowBytes
	spreadAlign = 256
)

// The address space of a spread placement: 127 pairs of windows of 4 GiB, from 8 GiB on. A range lies across the
// start of the first window of a pair, or inside the second window. An address computed without the carry therefore
// lies at the start of the window below, where nothing is mapped. The number of pairs is prime, so that every step
// visits all.
const (
	windowBytes = 1 << 32
	windowPairs = 127
	vaBits      = 40
)

// maxSlots bounds the number of addresses that are tried for a range.
const maxSlots = 1 << 16

// placedAt returns the address of a range in a slot. The first slots are two in each pair of windows; the others lie
// inside of the windows.
func placedAt(placement, slot, size, align uint64) uint64 {
	seed := mix(placement)
	pair := (slot/2*(1+seed%(windowPairs-1)) + seed>>32) % windowPairs
	start := (2 + 2*pair) * windowBytes
	random := mix(seed + slot)
	room := (size + spreadAlign - 1) &^ (spreadAlign - 1)
	switch across := (placement+slot)%2 == 0 && slot < 2*windowPairs; {
	case across && room > pageBytes: // the range ends at the end of a page
		start += (1+random%((room-1)/pageBytes))*pageBytes - room
	case across && room > spreadAlign:
		start -= (1 + random%(room/spreadAlign-1)) * spreadAlign
	case across:
		start -= room
	default:
		const quarter = windowBytes / 4
		start += windowBytes + quarter + random%(2*quarter)&^(pageBytes-1) + -room%pageBytes
	}
	return start - start%align
}

// mix computes one step of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// extent is a range of addresses.
type extent struct{ lo, hi uint64 }

// overlap returns a mapped or reserved range that overlaps the addresses from lo up to hi.
func (m *Memory) overlap(lo, hi uint64) (extent, bool) {
	for e := range m.ranges.From(lo) {
		if e.Lo < hi {
			return extent{e.Lo, e.Hi}, true
		}
		break
	}
	for _, r := range m.reserved {
		if r.lo < hi && lo < r.hi {
			return r, true
		}
	}
	return extent{}, false
}

// Alloc maps size zeroed bytes at an address that it selects; see [Memory].Placement. A buffer of size 0 has an
// address of its own, at which nothing is mapped, like the address of malloc(0). Alloc panics where [Memory.Allocate]
// returns an error; use Allocate for sizes that come from input.
func (m *Memory) Alloc(size int) *Buffer {
	if size < 0 {
		panic(fmt.Sprintf("sim: Alloc: a buffer of %d bytes", size))
	}
	b, err := m.Allocate(uint64(size), 1)
	if err != nil {
		panic("sim: Alloc: " + err.Error())
	}
	return b
}

// Allocate does what [Memory.Alloc] does. The address is also a multiple of align; 0 means 1. The error is an
// *[Error].
func (m *Memory) Allocate(size, align uint64) (*Buffer, error) {
	if size == 0 {
		return m.reserve(1, align)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.checkSize(0, size); err != nil {
		return nil, err
	}
	addr, slot, err := m.room(size, align)
	if err != nil {
		return nil, err
	}
	b, err := m.mapOwn(addr, size)
	if err != nil {
		return nil, err
	}
	m.taken(addr, size, slot)
	b.slot = slot
	return b, nil
}

// reserve returns a buffer of size 0 at an address from which size bytes stay unmapped until it is freed.
func (m *Memory) reserve(size, align uint64) (*Buffer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	addr, slot, err := m.room(size, align)
	if err != nil {
		return nil, err
	}
	m.reserved = append(m.reserved, extent{addr, addr + size})
	m.taken(addr, size, slot)
	return &Buffer{Addr: addr, span: newSpan(addr, 0), slot: slot}, nil
}

// taken records that a range now occupies the address that room returned. The caller holds m.mu.
func (m *Memory) taken(addr, size, slot uint64) {
	if m.Placement == packed {
		m.next = (addr+size+pageBytes-1)&^(pageBytes-1) + pageBytes
	} else {
		m.slot = slot + 1
	}
}

// commonMultiple returns the least common multiple of a and power, a power of two.
func commonMultiple(a, power uint64) uint64 {
	common := min(a&-a, power) // the greatest power of two that divides both
	return a * (power / common)
}

// room returns an unused address for a range of size bytes, and its slot. align 0 means 1. The caller holds m.mu.
func (m *Memory) room(size, align uint64) (addr, slot uint64, err error) {
	own := uint64(spreadAlign)
	if m.Placement == packed {
		own = pageBytes
	}
	asked := max(align, 1)
	if asked < 1<<vaBits { // then the product does not overflow 64 bits
		align = commonMultiple(asked, own)
	}
	if asked >= 1<<vaBits || align >= 1<<vaBits {
		return 0, 0, badRange(0, size, "no address of %d bits is a multiple of %d, and of %d as all ranges are", vaBits,
			asked, own)
	}
	if m.Placement == packed {
		addr, err := m.roomPacked(size, align)
		return addr, 0, err
	}
	for slot := m.slot; slot < m.slot+maxSlots; slot++ {
		addr := placedAt(m.Placement, slot, size, align)
		if addr < allocBase+pageBytes || addr > 1<<vaBits || size > 1<<vaBits-addr {
			continue
		}
		if _, used := m.overlap(addr-pageBytes, addr+size+pageBytes); !used {
			return addr, slot, nil
		}
	}
	return 0, 0, badRange(0, size, "there is no room in %d bits of addresses", vaBits)
}

func (m *Memory) roomPacked(size, align uint64) (uint64, error) {
	for addr := max(m.next, allocBase); ; {
		addr = (addr + align - 1) / align * align
		if addr > 1<<vaBits || size > 1<<vaBits-addr { // mappings at fixed addresses may lie higher
			return 0, badRange(0, size, "there is no room in %d bits of addresses", vaBits)
		}
		o, used := m.overlap(addr, addr+size)
		if !used {
			return addr, nil
		}
		addr = (o.hi+pageBytes-1)&^(pageBytes-1) + pageBytes
	}
}

// Free unmaps b. It does nothing if b is not mapped.
func (m *Memory) Free(b *Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free(b)
}

// free does what Free does. The caller holds m.mu.
func (m *Memory) free(b *Buffer) {
	if s, _ := m.ranges.Find(b.Addr); s != nil && s == b.span {
		m.mapped -= b.Size
		m.replace(b.Addr, b.Addr+b.Size)
	} else if i := slices.IndexFunc(m.reserved, func(r extent) bool { return r.lo == b.Addr }); b.Size == 0 && i >= 0 {
		m.reserved = slices.Delete(m.reserved, i, i+1)
	} else {
		return
	}
	m.next = min(max(m.next, allocBase), b.Addr)
	m.slot = min(m.slot, b.slot)
}
