package job

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/sim"
)

// Limits of what one request may take of the host.
const (
	maxMemoryBytes  = 4 << 30  // mapped by all ranges of a request, or by all its buffers
	maxDumpBytes    = 1 << 30  // shown as hex by one reply
	maxProgramWords = 16 << 20 // of the words of a request
)

// byRegister is what an object gives registers: by number, ascending.
type byRegister []registerValues

type registerValues struct {
	first int
	numbers
}

func (l *byRegister) decodeFrom(d *decoder, path string) error {
	err := d.object(path, func(key string, at int) error {
		first, err := strconv.ParseUint(key, 10, 16)
		if err != nil {
			return d.fail(at, path, "%s is not the number of a register", quoted(key))
		}
		r := registerValues{first: int(first)}
		err = r.decodeFrom(d, join(path, key))
		*l = append(*l, r)
		return err
	})
	slices.SortFunc(*l, func(a, b registerValues) int { return cmp.Compare(a.first, b.first) })
	return err
}

type memRange struct {
	Addr bits64   `json:"addr"`
	Hex  hexBytes `json:"hex"`
	Size *count64 `json:"size"`
}

// memInput is a range that a request maps.
type memInput struct {
	memRange
	// NoInit: its contents are undefined, see [check.Checker.NoInit].
	NoInit bool `json:"noinit"`
	randomSpec
}

type storage struct {
	Size *count64 `json:"size"`
	Hex  hexBytes `json:"hex"`
}

// sized returns how many bytes a range has: size, if it is given, or those of its data.
func sized(size *count64, data []byte) (uint64, error) {
	have := uint64(len(data))
	switch {
	case size == nil:
		return have, nil
	case uint64(*size) < have:
		return 0, fmt.Errorf("a size of %d bytes, but there are %d bytes of data; leave size out or give more", *size, have)
	}
	return uint64(*size), nil
}

// value returns what p points to, 0 if that is nothing.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// setMemory maps the memory of the request, with the seeds of o. It returns the ranges that have no data.
func (req *ExecRequest) setMemory(m *sim.Machine, o *Options) (empty []*sim.Buffer, err error) {
	left := uint64(maxMemoryBytes)
	for i, r := range req.Mem {
		size, err := sized(r.Size, r.Hex)
		if err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		random, err := r.given(r.Hex != nil, r.NoInit)
		if err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		if size > left {
			return nil, fmt.Errorf("mem[%d]: with %d bytes at 0x%x the ranges are more than the %d bytes that a request may map", i, size, uint64(r.Addr), uint64(maxMemoryBytes))
		}
		left -= size
		b, err := m.Map(uint64(r.Addr), size)
		if err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		copy(b.Bytes(), r.Hex)
		if random {
			if err := r.fill(b.Bytes(), i, o.Seed); err != nil {
				return nil, fmt.Errorf("mem[%d]: %w", i, err)
			}
		}
		if r.NoInit {
			empty = append(empty, b)
		}
	}
	if err := req.LDS.set("lds", &m.LDSSize, m.LDS); err != nil {
		return nil, err
	}
	return empty, req.GDS.set("gds", &m.GDSSize, m.GDS)
}

// maxStorage is the size of the largest LDS and GDS.
const maxStorage = 64 << 10

// set sets the size of LDS or GDS, called name, and the data that get then returns.
func (s *storage) set(name string, size *int, get func() *sim.Buffer) error {
	if s == nil {
		return nil
	}
	bytes, err := sized(s.Size, s.Hex)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if most := max(*size, maxStorage); bytes > uint64(most) {
		return fmt.Errorf("%s: %d bytes are more than the %d there are", name, bytes, most)
	}
	*size = int(bytes)
	copy(get().Bytes(), s.Hex)
	return nil
}

// errWraps says that a range ends beyond the address space.
var errWraps = errors.New("it wraps around the end of the address space")

// view returns the size bytes at addr, which may span adjacent ranges: views of them, not
// copies.
func view(m *sim.Machine, addr, size uint64) ([][]byte, error) {
	if addr+size < addr {
		return nil, errWraps
	}
	var parts [][]byte
	for size > 0 {
		part := m.View(addr)
		if len(part) == 0 {
			return nil, fmt.Errorf("no mapped range holds 0x%x", addr)
		}
		part = part[:min(uint64(len(part)), size)]
		parts = append(parts, part)
		addr, size = addr+uint64(len(part)), size-uint64(len(part))
	}
	return parts, nil
}
