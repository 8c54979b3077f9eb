package executor_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

const low, high = 0x1000, 0x9000

// addresses returns f(lane) for each lane.
func addresses(f func(lane int) uint64) (a [state.NumLanes]uint64) {
	for lane := range a {
		a[lane] = f(lane)
	}
	return a
}

// Every pattern of addresses moves the same bytes as a loop over lanes.
func TestGatherScatter(t *testing.T) {
	patterns := map[string][state.NumLanes]uint64{
		"contiguous":    addresses(func(l int) uint64 { return low + uint64(l)*4 }),
		"reversed":      addresses(func(l int) uint64 { return low + uint64(63-l)*4 }),
		"swapped":       addresses(func(l int) uint64 { return low + uint64(l^(l>>1&1&^(l>>5)))*4 }),
		"uniform":       addresses(func(int) uint64 { return low + 8 }),
		"misaligned":    addresses(func(l int) uint64 { return low + 1 + uint64(l)*4 }),
		"one misplaced": addresses(func(l int) uint64 { return low + uint64(l)*4 + uint64(l&(l-1)&(l+1)>>4&3) }),
		"two ranges":    addresses(func(l int) uint64 { return []uint64{low, high}[l&1] + uint64(l)*4 }),
		"last bytes":    addresses(func(l int) uint64 { return low + 1024 - 4 - uint64(l)&3 }),
	}
	for name, addr := range patterns {
		for _, size := range []int{1, 2, 4} {
			for _, mask := range []uint64{state.FullExec, 0xaaaa, 1 << 63, 0} {
				a, b := memtest.NewSpan(low, 1024), memtest.NewSpan(high, 1024)
				mem := memtest.Memory{a, b}
				byteAt := func(at uint64) *byte {
					if at >= high {
						return &b.Bytes[at-high]
					}
					return &a.Bytes[at-low]
				}
				var got, want state.Lanes
				for lane := range want {
					for i := range size {
						if mask>>lane&1 != 0 {
							want[lane] |= uint32(*byteAt(addr[lane] + uint64(i))) << (8 * i)
						}
					}
				}
				require.Nil(t, executor.Gather(mem, &got, executor.Elements{Addr: &addr, Size: size}, mask))
				require.Equal(t, want, got, "%s, %d bytes, mask %#x", name, size, mask)

				var src state.Lanes
				image := map[uint64]byte{}
				for lane := range src {
					src[lane] = uint32(lane) * 0x01020305
					for i := range size {
						if mask>>lane&1 != 0 {
							image[addr[lane]+uint64(i)] = byte(src[lane] >> (8 * i))
						}
					}
				}
				require.Nil(t, executor.Scatter(mem, &src, nil, executor.Elements{Addr: &addr, Size: size}, mask))
				for at, v := range image {
					require.Equal(t, v, *byteAt(at), "%s, %d bytes, mask %#x", name, size, mask)
				}
			}
		}
	}
}

// A lane whose address is not mapped faults, whatever the other lanes do; an element must be in one range.
func TestUnmappedLane(t *testing.T) {
	mem := memtest.Memory{memtest.NewSpan(low, 256), memtest.NewSpan(high, 256)}
	for _, bad := range []uint64{0, low - 1, low + 253, low + 256, high + 256, ^uint64(0)} {
		addr := addresses(func(l int) uint64 { return low + uint64(l)*4 })
		addr[40] = bad
		var v state.Lanes
		for _, f := range []*state.Fault{
			executor.Gather(mem, &v, executor.Elements{Addr: &addr, Size: 4}, state.FullExec),
			executor.Scatter(mem, &v, nil, executor.Elements{Addr: &addr, Size: 4}, state.FullExec),
		} {
			require.NotNil(t, f, "%#x", bad)
			require.Equal(t, state.FaultMemory, f.Kind)
			require.Equal(t, 40, f.Lane)
			require.Equal(t, bad, f.Addr)
		}
		require.Nil(t, executor.Gather(mem, &v, executor.Elements{Addr: &addr, Size: 4}, state.FullExec&^(1<<40)))
	}
}

// A range whose size is not a multiple of a dword keeps the bytes beyond its ends.
func TestUnevenRange(t *testing.T) {
	s := memtest.NewSpan(low, 256)
	s.Lo, s.Hi = 3, 13
	mem := memtest.Memory{s}
	var v state.Lanes
	for at := range uint64(20) {
		addr := addresses(func(int) uint64 { return low + at })
		f := executor.Gather(mem, &v, executor.Elements{Addr: &addr, Size: 4}, state.FullExec)
		require.Equal(t, at >= 3 && at <= 9, f == nil, "offset %d", at)
	}
}

func TestIssueSaturates(t *testing.T) {
	for _, target := range memtest.Targets {
		w := state.NewWave(target, 1)
		for range 300 {
			executor.Issue(w, isa.Counts{VM: 1, EXP: 1, LGKM: 2})
		}
		require.Equal(t, [3]uint8{isa.TraitsOf(w.Target).MaxVM, isa.TraitsOf(w.Target).MaxEXP,
			isa.TraitsOf(w.Target).MaxLGKM},
			[3]uint8{w.VMCnt, w.EXPCnt, w.LGKMCnt})
	}
}

// Waves on several goroutines add to one dword and one quadword; no sum is lost.
func TestAtomicsAreAtomic(t *testing.T) {
	span := memtest.NewSpan(low, 64)
	clear(span.Words)
	mem := memtest.Memory{span}
	add32 := &isa.Mem{Op: gcn.Atomic, Elem: 4, Count: 1, Atomic: isa.Add}
	add64 := &isa.Mem{Op: gcn.Atomic, Elem: 8, Count: 1, Atomic: isa.Add}
	const waves, rounds = 4, 50
	var wg sync.WaitGroup
	for range waves {
		wg.Go(func() {
			w := state.NewWave(gcn.GFX803, 3)
			for lane := range w.V[1] {
				w.V[1][lane], w.V[2][lane] = 0x10000000, 1
			}
			a := &state.Access{Exec: state.FullExec}
			for range rounds {
				a.Addr = addresses(func(int) uint64 { return low })
				_ = executor.Atomic(w, &executor.Ports{}, mem, add32, 2, executor.NoReg, executor.NoReg, a.Exec, a)
				a.Addr = addresses(func(int) uint64 { return low + 8 })
				_ = executor.Atomic(w, &executor.Ports{}, mem, add64, 1, executor.NoReg, executor.NoReg, a.Exec, a)
			}
		})
	}
	wg.Wait()
	const n = waves * rounds * state.NumLanes
	require.Equal(t, uint32(n), span.Words[0])
	require.Equal(t, uint64(n)*0x1_1000_0000, uint64(span.Words[2])|uint64(span.Words[3])<<32)
}

// Floating-point atomics compare values: NaN equals nothing, -0 equals +0 (rule DP9).
func TestFloatAtomics(t *testing.T) {
	const nan, minus0, one = 0x7fc00000, 0x80000000, 0x3f800000
	span := memtest.NewSpan(low, 64)
	mem := memtest.Memory{span}
	for _, tt := range []struct {
		op      isa.AtomicOp
		m, d, c uint64
		want    uint32
	}{
		{isa.FCmpSwap, nan, one, nan, nan},
		{isa.FCmpSwap, minus0, one, 0, one},
		{isa.FCmpSt, 0, minus0, one, one},
		{isa.FMin, nan, one, 0, nan},
		{isa.FMin, one, nan, 0, one},
		{isa.FMin, 0, minus0, 0, 0},
		{isa.FMax, minus0, 0, 0, minus0},
		{isa.FMax, minus0, one, 0, one},
		{isa.FAdd, one, 0x007fffff, 0, one},
		{isa.FAdd, 1, 1, 0, 0},
		{isa.FAdd, one, one, 0, 0x40000000},
	} {
		span.Words[0] = uint32(tt.m)
		m := &isa.Mem{Op: gcn.Atomic, Elem: 4, Count: 1, Atomic: tt.op}
		old, f := executor.ScalarAtomic(mem, m, low, tt.d, tt.c)
		require.Nil(t, f)
		require.Equal(t, tt.m, old)
		require.Equal(t, tt.want, span.Words[0], "%v %#x %#x %#x", tt.op, tt.m, tt.d, tt.c)
	}
}

// Lanes count as mapped if all their bytes are.
func TestMapped(t *testing.T) {
	mem := memtest.Memory{memtest.NewSpan(low, 64), memtest.NewSpan(low+64, 64)}
	addr := addresses(func(l int) uint64 { return low + uint64(l)*4 - 4 })
	require.Equal(t, uint64(1<<33-2), executor.Mapped(mem, &addr, 4, state.FullExec))
	require.Equal(t, uint64(1<<32-2), executor.Mapped(mem, &addr, 8, state.FullExec), "across ranges, too")
	require.Equal(t, uint64(6), executor.Mapped(mem, &addr, 4, 7))
}

// TestAcross: elements that start in one range and end in the next one can be loaded and stored. Nothing is stored if
// a part is not mapped or is sealed.
func TestAcross(t *testing.T) {
	first, second := memtest.NewSpan(low, 64), memtest.NewSpan(low+64, 64)
	mem := memtest.Memory{first, second}
	for i := range 64 {
		first.Bytes[i], second.Bytes[i] = byte(i), byte(64+i)
	}
	for _, size := range []int{1, 2, 4} {
		addr := addresses(func(l int) uint64 { return low + 31 + uint64(l) })
		var got state.Lanes
		require.Nil(t, executor.Gather(mem, &got, executor.Elements{Addr: &addr, Size: size}, state.FullExec))
		for lane, v := range got {
			want := uint32(0)
			for i := range size {
				want |= uint32(31+lane+i) << (8 * i)
			}
			require.Equal(t, want, v, "%d bytes, lane %d", size, lane)
		}
	}
	words := make([]uint32, 4)
	require.Nil(t, executor.ReadWords(mem, low+56, words))
	require.Equal(t, []uint32{0x3b3a3938, 0x3f3e3d3c, 0x43424140, 0x47464544}, words)
	require.Nil(t, executor.WriteWords(mem, low+56, []uint32{1, 2, 3, 4}))
	require.Equal(t, []uint32{1, 2, 3, 4}, append(append([]uint32{}, first.Words[14:16]...), second.Words[:2]...))

	addr := addresses(func(int) uint64 { return low + 62 })
	src := state.Lanes{0x44332211}
	require.Nil(t, executor.Scatter(mem, &src, nil, executor.Elements{Addr: &addr, Size: 4}, 1))
	require.Equal(t, []byte{0x11, 0x22, 0x33, 0x44}, append(append([]byte{}, first.Bytes[62:64]...), second.Bytes[:2]...))

	src[0] = 0
	second.Seal = executor.ReadOnly
	f := executor.Scatter(mem, &src, nil, executor.Elements{Addr: &addr, Size: 4}, 1)
	require.NotNil(t, f)
	require.Contains(t, f.What, "mapped for reading alone")
	require.NotNil(t, executor.WriteWords(mem, low+60, []uint32{0, 0}))
	f = executor.Scatter(memtest.Memory{first}, &src, nil, executor.Elements{Addr: &addr, Size: 4}, 1)
	require.NotNil(t, f)
	require.Equal(t, low+62, int(f.Addr))
	require.Equal(t, byte(0x11), first.Bytes[62], "as it was")
}
