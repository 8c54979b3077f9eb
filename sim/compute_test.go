package sim_test

import (
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestRegistersAreTheSameWay dispatches each kernel from the registers that Dispatch derives from its launch. Memory,
// counts and the fidelity report must equal those of the launch, whether the code is decoded as a module or when
// waves reach it.
func TestRegistersAreTheSameWay(t *testing.T) {
	for _, k := range kernelTests() {
		for _, file := range k.objects(t) {
			if !effort.Full() && file != k.objects(t)[0] {
				continue
			}
			name := filepath.Base(file)
			o, err := new(sim.ObjectCache).Parse(kernelObject(t, name))
			require.NoError(t, err)
			m := sim.New(o.Target)
			mod, err := m.LoadObject(kernelObject(t, name))
			require.NoError(t, err)
			buffers := make([]*sim.Buffer, len(k.args))
			l := sim.Launch{Module: mod, Kernel: k.name, Grid: k.grid, Group: k.group}
			for i, a := range k.args {
				if a.in != nil {
					buffers[i] = m.Alloc(len(a.in))
					a.value = sim.BufferArg(buffers[i])
				}
				l.Args = append(l.Args, a.value)
			}
			run := func(launch func() (*sim.Result, error)) (*sim.Result, [][]byte) {
				for i, b := range buffers {
					if b != nil {
						copy(b.Bytes(), k.args[i].in)
					}
				}
				res, err := launch()
				require.NoError(t, err, name)
				var left [][]byte
				for _, b := range buffers {
					if b != nil {
						left = append(left, append([]byte(nil), b.Bytes()...))
					}
				}
				return res, left
			}
			want, left := run(func() (*sim.Result, error) { return m.Dispatch(ctx, l) })
			got, now := run(func() (*sim.Result, error) {
				c, release, err := sim.RegistersOf(m, &l)
				require.NoError(t, err)
				defer release()
				return m.Compute(ctx, *c)
			})
			assert.Equal(t, want.Instructions, got.Instructions, name)
			assert.Equal(t, want.ByClass, got.ByClass, name)
			assert.Equal(t, want.Fidelity, got.Fidelity, name)
			assert.Equal(t, left, now, name)
		}
	}
}

// lentPages returns aligned storage of n pages.
func lentPages(n int) []byte {
	words := make([]uint64, n*4096/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n*4096)
}

// computeBench is a machine with lent memory: code at 0x10000, three pages of data at 0x20000.
type computeBench struct {
	*sim.Machine
	t          testing.TB
	code, data []byte
}

func newComputeBench(t testing.TB, target gcn.Target) *computeBench {
	b := &computeBench{sim.New(target), t, lentPages(2), lentPages(3)}
	require.NoError(t, b.Lend(0x10000, b.code, "code", false))
	require.NoError(t, b.Lend(0x20000, b.data, "data", false))
	return b
}

// put assembles text at byte offset at of the code.
func (b *computeBench) put(at int, text string) {
	b.t.Helper()
	p, err := asm.Assemble(b.Target, text, asm.LLVM)
	require.NoError(b.t, err)
	for i, w := range p.Words {
		copy(b.code[at+4*i:], []byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
	}
}

// words returns the data as dwords.
func (b *computeBench) words() []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b.data[0])), len(b.data)/4)
}

// rsrc returns registers for waves with 16 VGPRs, 32 SGPRs, user user SGPRs, and the system SGPRs that system
// selects.
func rsrc(user int, system uint32, ids int) gcn.RSRC {
	return gcn.RSRC{3 | 3<<6 | 0xc0<<12, system&0xf<<7 | system>>4 | uint32(user)<<1 | uint32(ids-1)<<11, 0}
}

// vsharp returns a V# for the data.
func (b *computeBench) vsharp() []uint32 {
	return gcn.Buffer{Base: 0x20000, NumRecords: uint32(len(b.data))}.Words()
}

// TestComputeStartsWaves: each work-item of each work-group stores its initial registers.
func TestComputeStartsWaves(t *testing.T) {
	// Each work-item adds to 16 bytes for its work-group: the number of work-items, the sum of x + 256 y + 65536 z, the
	// sum of TG_SIZE, and the sum of the scratch offsets.
	const text = `
		s_mul_i32 s12, s5, 3
		s_add_u32 s12, s12, s4
		s_mul_i32 s13, s6, 6
		s_add_u32 s12, s12, s13
		s_lshl_b32 s12, s12, 4
		v_lshlrev_b32 v1, 8, v1
		v_lshlrev_b32 v2, 16, v2
		v_add_u32 v0, vcc, v0, v1
		v_add_u32 v0, vcc, v0, v2
		v_mov_b32 v3, 1
		v_mov_b32 v4, s7
		v_mov_b32 v5, s8
		buffer_atomic_add v3, off, s[0:3], s12
		buffer_atomic_add v0, off, s[0:3], s12 offset:4
		buffer_atomic_add v4, off, s[0:3], s12 offset:8
		buffer_atomic_add v5, off, s[0:3], s12 offset:12
		s_endpgm`
	type group struct{ items, sum, info, scratch uint32 }
	// expect returns the sums of a work-group with items x, y, z and 2 KiB of scratch per wave.
	expect := func(items [3]uint32) (g group) {
		waves := (items[0]*items[1]*items[2] + 63) / 64
		for z := range items[2] {
			for y := range items[1] {
				for x := range items[0] {
					n := x + y*items[0] + z*items[0]*items[1]
					g.items++
					g.sum += x + y<<8 + z<<16
					g.info += waves | n/64<<6
					if n/64 == 0 {
						g.info += 1 << 31
					}
					g.scratch += n / 64 * 2048
				}
			}
		}
		return g
	}
	for name, c := range map[string]struct {
		compute sim.Compute
		want    map[[3]uint32][3]uint32 // number of work-items in each work-group
	}{
		"whole": {
			sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, End: [3]uint32{2, 1, 1},
				NumThread: [3]uint32{96, 2, 1}},
			map[[3]uint32][3]uint32{{0}: {96, 2, 1}, {1}: {96, 2, 1}},
		},
		"partial": {
			sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable | sim.PartialGroups,
				End: [3]uint32{2, 2, 1}, NumThread: [3]uint32{8 | 3<<16, 4 | 1<<16, 2}},
			map[[3]uint32][3]uint32{{0, 0}: {8, 4, 2}, {1, 0}: {3, 4, 2}, {0, 1}: {8, 1, 2}, {1, 1}: {3, 1, 2}},
		},
		"no partial without its bit": {
			sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, End: [3]uint32{1, 1, 1},
				NumThread: [3]uint32{8 | 3<<16, 1, 1}},
			map[[3]uint32][3]uint32{{0}: {8, 1, 1}},
		},
		"start": {
			sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, Start: [3]uint32{1, 0, 1},
				End: [3]uint32{3, 1, 2}, NumThread: [3]uint32{5, 1, 1}},
			map[[3]uint32][3]uint32{{1, 0, 1}: {5, 1, 1}, {2, 0, 1}: {5, 1, 1}},
		},
		"start that does not count": {
			sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable | sim.StartAtZero, Start: [3]uint32{1},
				End: [3]uint32{1, 1, 1}, NumThread: [3]uint32{5, 1, 1}},
			map[[3]uint32][3]uint32{{0}: {5, 1, 1}},
		},
		"work-items": {
			sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable | sim.CountsThreads,
				End: [3]uint32{70, 2, 1}, NumThread: [3]uint32{64, 2, 1}},
			map[[3]uint32][3]uint32{{0}: {64, 2, 1}, {1}: {6, 2, 1}},
		},
		"nothing enabled": {sim.Compute{End: [3]uint32{1, 1, 1}, NumThread: [3]uint32{1, 1, 1}}, nil},
		"an empty grid":   {sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, Start: [3]uint32{1}, End: [3]uint32{1, 1, 1}, NumThread: [3]uint32{1, 1, 1}}, nil},
		"no work-items":   {sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable | sim.CountsThreads, End: [3]uint32{0, 1, 1}, NumThread: [3]uint32{8, 1, 1}}, nil},
	} {
		b := newComputeBench(t, gcn.GFX803)
		b.put(256, text)
		c.compute.Program = 0x10100
		c.compute.RSRC = rsrc(4, 0x1f, 3)
		copy(c.compute.UserData[:], b.vsharp())
		c.compute.TmpRing, c.compute.Workers = 16|2<<12, 1
		_, err := b.Compute(ctx, c.compute)
		require.NoError(t, err, name)
		want := make([]uint32, len(b.words()))
		for id, items := range c.want {
			g := expect(items)
			at := 4 * (id[0] + 3*id[1] + 6*id[2])
			copy(want[at:], []uint32{g.items, g.sum, g.info, g.scratch})
		}
		assert.Equal(t, want, b.words(), name)
	}
}

func TestComputeRefusesWhatCannotStart(t *testing.T) {
	b := newComputeBench(t, gcn.GFX803)
	b.put(0, "s_endpgm")
	good := sim.Compute{Label: "dispatch 7", Initiator: sim.ShaderEnable, End: [3]uint32{1, 1, 1},
		NumThread: [3]uint32{64, 1, 1}, Program: 0x10000, RSRC: rsrc(0, 0, 1)}
	for what, change := range map[string]func(*sim.Compute){
		"NUM_THREAD_Y.FULL is 0":  func(c *sim.Compute) { c.NumThread[1] = 0 },
		"NUM_THREAD_Y.FULL is 17": func(c *sim.Compute) { c.NumThread[1] = 17 },
		"PARTIAL is 65, more than FULL, 64": func(c *sim.Compute) {
			c.NumThread[0] |= 65 << 16
			c.Initiator |= sim.PartialGroups
		},
		"more than 2^31-1":                     func(c *sim.Compute) { c.End = [3]uint32{1 << 20, 1 << 20, 1} },
		"ordered append":                       func(c *sim.Compute) { c.Initiator |= sim.OrderedAppend },
		"TIDIG_COMP_CNT is 3":                  func(c *sim.Compute) { c.RSRC[1] |= 3 << 11 },
		"USER_SGPR is 17":                      func(c *sim.Compute) { c.RSRC[1] |= 17 << 1 },
		"LDS_SIZE gives a work-group 66048":    func(c *sim.Compute) { c.RSRC[1] |= 129 << 15 },
		"WAVES is 0, a work-group has 1 waves": func(c *sim.Compute) { c.RSRC[1] |= 1; c.TmpRing = 1 << 12 },
	} {
		c := good
		change(&c)
		_, err := b.Compute(ctx, c)
		var e *sim.Error
		require.ErrorAs(t, err, &e, what)
		assert.Equal(t, "dispatch 7", e.Kernel)
		assert.ErrorContains(t, err, what)
	}
	_, err := b.Compute(ctx, good)
	require.NoError(t, err)
}

// TestCodeIsWhatMemoryHolds checks that execution follows code anywhere, and reads changed code again.
func TestCodeIsWhatMemoryHolds(t *testing.T) {
	b := newComputeBench(t, gcn.GFX900)
	launch := func() error {
		c := sim.Compute{Label: "dispatch 1", Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable,
			End: [3]uint32{3, 1, 1}, NumThread: [3]uint32{64, 1, 1}, Program: 0x11000, RSRC: rsrc(4, 1<<isa.SystemGroupX, 1)}
		copy(c.UserData[:], b.vsharp())
		_, err := b.Compute(ctx, c)
		return err
	}
	// The entry point calls a function before it and one in the other page, and branches backwards.
	b.put(0x1000, `
		s_getpc_b64 s[8:9]
		s_sub_u32 s10, s8, 0x804
		s_subb_u32 s11, s9, 0
		s_swappc_b64 s[12:13], s[10:11]
		s_add_u32 s10, s8, 0x7fc
		s_addc_u32 s11, s9, 0
		s_swappc_b64 s[12:13], s[10:11]
		s_branch -200`)
	b.put(0x800, "s_movk_i32 s20, 5\ns_setpc_b64 s[12:13]")
	b.put(0x1800, "s_movk_i32 s21, 6\ns_setpc_b64 s[12:13]")
	const store = `
		s_add_u32 s20, s20, s21
		s_lshl_b32 s22, s4, 2
		v_mov_b32 v1, s20
		buffer_store_dword v1, off, s[0:3], s22
		s_endpgm`
	b.put(0x1000+branchTarget(t, b, 0x1000), store)
	require.NoError(t, launch())
	assert.Equal(t, []uint32{11, 11, 11}, b.words()[:3])

	b.put(0x800, "s_movk_i32 s20, 50\ns_setpc_b64 s[12:13]")
	require.NoError(t, launch())
	assert.Equal(t, []uint32{56, 56, 56}, b.words()[:3], "a function has changed")

	b.put(0x1800, "s_movk_i32 s21, 6\ns_movk_i32 s21, 7\ns_setpc_b64 s[12:13]")
	require.NoError(t, launch())
	assert.Equal(t, []uint32{57, 57, 57}, b.words()[:3], "a function is longer")

	b.put(0x1800, "s_endpgm\ns_endpgm\ns_endpgm")
	require.NoError(t, launch(), "it ends there")
	b.Unmap(0x10000, 0x1000)
	err := launch()
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, state.FaultMemory, f.Kind)
	assert.EqualValues(t, 0x10800, f.Addr)
	assert.Equal(t, "dispatch 1", f.Dispatch)
	assert.Contains(t, f.What, "2048 bytes before code (0x11000 to 0x11fff")
}

// branchTarget returns the target of the s_branch at byte offset at, relative to that offset.
func branchTarget(t testing.TB, b *computeBench, at int) int {
	for i := 0; i < 256; i += 4 {
		w := uint32(b.code[at+i]) | uint32(b.code[at+i+1])<<8 | uint32(b.code[at+i+2])<<16 | uint32(b.code[at+i+3])<<24
		in, err := isa.Decode(b.Target, []uint32{w, 0})
		require.NoError(t, err)
		if to, ok := in.BranchTarget(uint64(0x10000 + at + i)); ok {
			return int(int64(to) - int64(0x10000+at))
		}
		if in.Size == 8 {
			i += 4
		}
	}
	t.Fatal("no branch")
	return 0
}

// A dispatch that changes its own code faults, after the code decoded before has executed.
func TestComputeSeesThatItsCodeChanged(t *testing.T) {
	b := newComputeBench(t, gcn.GFX803)
	b.put(0, "v_mov_b32 v1, 0\nbuffer_store_dword v1, off, s[0:3], 0\ns_endpgm")
	c := sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, End: [3]uint32{1, 1, 1},
		NumThread: [3]uint32{64, 1, 1}, Program: 0x10000, RSRC: rsrc(4, 0, 1)}
	copy(c.UserData[:], gcn.Buffer{Base: 0x10000, NumRecords: 64}.Words())
	_, err := b.Compute(ctx, c)
	require.ErrorContains(t, err, "changed while the dispatch ran")
}

// TestComputeScratch: work-groups that execute at the same time have different scratch slots.
func TestComputeScratch(t *testing.T) {
	b := newComputeBench(t, gcn.GFX803)
	b.put(0, `
		s_mul_i32 s6, s4, 4
		v_mov_b32 v1, s5
		buffer_store_dword v1, off, s[0:3], s6
		s_endpgm`)
	c := sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, End: [3]uint32{200, 1, 1},
		NumThread: [3]uint32{64, 1, 1}, Program: 0x10000, RSRC: rsrc(4, 1<<isa.SystemGroupX|1<<isa.SystemScratchOffset, 1)}
	copy(c.UserData[:], b.vsharp())
	c.TmpRing, c.Workers = 3|2<<12, 8
	_, err := b.Compute(ctx, c)
	require.NoError(t, err)
	for _, offset := range b.words()[:200] {
		assert.Contains(t, []uint32{0, 2048, 4096}, offset)
	}
}

// TestComputeMayRunAtATime executes several dispatches on one machine at a time, while its memory changes.
func TestComputeMayRunAtATime(t *testing.T) {
	b := newComputeBench(t, gcn.GFX803)
	b.put(0, `
		v_mov_b32 v1, 1
		s_movk_i32 s5, 100
		buffer_atomic_add v1, off, s[0:3], 0
		s_sub_u32 s5, s5, 1
		s_cmp_lg_u32 s5, 0
		s_cbranch_scc1 -5
		s_endpgm`)
	c := sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, End: [3]uint32{5, 1, 1},
		NumThread: [3]uint32{64, 1, 1}, Program: 0x10000, RSRC: rsrc(4, 1<<isa.SystemGroupX, 1)}
	copy(c.UserData[:], b.vsharp())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := b.Compute(ctx, c)
			assert.NoError(t, err)
		})
	}
	other := lentPages(4)
	for i := range 100 {
		assert.NoError(t, b.Lend(0x100000, other, "other", false))
		b.Unmap(0x101000, uint64(0x1000*(i%3)))
		b.Unmap(0x100000, 0x4000)
	}
	all.Wait()
	assert.EqualValues(t, 8*5*64*100, b.words()[0])
}

// TestBorderColoursInMemory: the border colour that a sampler names is read from memory when it is used.
func TestBorderColoursInMemory(t *testing.T) {
	b := newComputeBench(t, gcn.GFX803)
	b.put(0, `
		v_mov_b32 v0, 2.0
		v_mov_b32 v1, 2.0
		image_sample v[2:5], v[0:1], s[0:7], s[8:11] dmask:0xf
		s_waitcnt vmcnt(0)
		v_mov_b32 v6, 0
		buffer_store_dwordx4 v[2:5], off, s[12:15], 0
		s_endpgm`)
	image := gcn.Image{Type: gcn.Image2D, DataFormat: 14, NumFormat: gcn.NumFLOAT, Width: 4, Height: 4, Base: 0x20100,
		TileMode: 8, DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}}
	s := gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampBorder, gcn.ClampBorder, gcn.ClampBorder},
		BorderColorType: gcn.BorderRegister, BorderColorPtr: 2}
	c := sim.Compute{Config: sim.Config{Limit: 10000}, Initiator: sim.ShaderEnable, End: [3]uint32{1, 1, 1},
		NumThread: [3]uint32{1, 1, 1}, Program: 0x10000, RSRC: rsrc(16, 0, 1), BorderColors: 0x21000}
	copy(c.UserData[:8], image.Words(gcn.GCN12))
	copy(c.UserData[8:], s.Words(gcn.GCN12))
	copy(c.UserData[12:], b.vsharp())
	for _, red := range []uint32{0x3f800000, 0x40000000, 0} {
		copy(b.words()[1024+8:], []uint32{red, 0x3f000000, 0, 0x40000000})
		_, err := b.Compute(ctx, c)
		require.NoError(t, err)
		assert.Equal(t, []uint32{red, 0x3f000000, 0, 0x40000000}, b.words()[:4])
	}
}
