package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

func kernelFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/kernels/" + name)
	require.NoError(t, err)
	return data
}

// loaded returns a machine of target and a module loaded into it.
func loaded(t testing.TB, target gcn.Target, data []byte, cache *ObjectCache) (*Machine, *Module) {
	t.Helper()
	m := New(target)
	m.Objects = cache
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	return m, mod
}

// launchOf returns a launch of a kernel with a kernarg segment of zeros that ends at its first instruction.
func launchOf(t testing.TB, mod *Module, kernel string) Launch {
	t.Helper()
	k, err := mod.Object.Kernel(kernel)
	require.NoError(t, err)
	return Launch{Module: mod, Kernel: kernel, Grid: [3]uint32{64}, Group: [3]uint32{64},
		Kernarg: make([]byte, k.KernargBytes), Config: Config{Limit: 1}}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestTheSecondLaunchAllocatesLittle: the decoded code and memory of the first launch are used again.
func TestTheSecondLaunchAllocatesLittle(t *testing.T) {
	ctx := context.Background()
	for _, k := range []struct{ file, kernel string }{{"spill.v6.fiji.co", "spill"}, {"structs.O0.fiji.co", "structs"},
		{"matmul.fiji.co", "matmul"}} {
		for _, workers := range []int{1, 2} {
			m, mod := loaded(t, gcn.GFX803, kernelFile(t, k.file), nil)
			l := launchOf(t, mod, k.kernel)
			l.Grid, l.Workers = [3]uint32{128}, workers
			launch := func() { _, _ = m.Dispatch(ctx, l) }
			first := allocated(launch)
			second := allocated(launch)
			t.Logf("%s: first launch %d bytes, second %d", k.kernel, first, second)
			assert.Less(t, second, uint64(32<<10), k.kernel)
		}
	}
}

func TestObjectCacheIsSharedByMachines(t *testing.T) {
	ctx := context.Background()
	data := kernelFile(t, "spill.v6.fiji.co")
	var cache ObjectCache
	o, err := cache.Parse(data)
	require.NoError(t, err)
	m1, mod1 := loaded(t, gcn.GFX803, data, &cache)
	m1.Alloc(1 << 20)
	assert.Same(t, o, mod1.Object)
	_, err = m1.Dispatch(ctx, launchOf(t, mod1, "spill"))
	require.ErrorContains(t, err, "limit of 1 instructions")

	// The caller may change its bytes afterwards.
	copied := bytes.Clone(data)
	clear(data)
	m2 := New(gcn.GFX803)
	m2.Alloc(1)
	m2.Objects = &cache
	mod2, err := m2.LoadObject(copied)
	require.NoError(t, err)
	assert.NotEqual(t, mod1.Base, mod2.Base)
	assert.Same(t, mod1.Object, mod2.Object)
	_, err = m2.Dispatch(ctx, launchOf(t, mod2, "spill"))
	require.ErrorContains(t, err, "limit of 1 instructions", "at the other address")
	k, err := o.Kernel("spill")
	require.NoError(t, err)
	p1, err := mod1.decoded(ctx, mod1.Base+k.Entry, k.VGPRs)
	require.NoError(t, err)
	p2, err := mod2.decoded(ctx, mod2.Base+k.Entry, k.VGPRs)
	require.NoError(t, err)
	assert.Same(t, &p1[0].steps[0], &p2[0].steps[0], "decoded once")
	assert.NotEqual(t, p1[0].Base, p2[0].Base)

	// Another target of the same generation has its own decoded code.
	_, mod3 := loaded(t, gcn.GFX810, copied, &cache)
	p3, err := mod3.decoded(ctx, mod3.Base+k.Entry, k.VGPRs)
	require.NoError(t, err)
	assert.NotSame(t, &p1[0].steps[0], &p3[0].steps[0])

	_, err = cache.Parse(data)
	require.Error(t, err, "zeros")
}

// TestOnlyWhatAKernelReachesIsDecoded: other functions are not decoded, unless the kernel calls an address in a
// register.
func TestOnlyWhatAKernelReachesIsDecoded(t *testing.T) {
	ctx := context.Background()
	_, mod := loaded(t, gcn.GFX803, kernelFile(t, "buffers.fiji.co"), nil)
	kernel, other := mod.Object.Functions[0], mod.Object.Functions[1]
	p, err := mod.decoded(ctx, mod.Base+kernel.VAddr, 64)
	require.NoError(t, err)
	require.Len(t, p, 1)
	assert.Equal(t, mod.Base+kernel.VAddr, p[0].Base)
	last, ok := p[0].Inst(p[0].End - 4)
	require.True(t, ok)
	assert.Equal(t, "s_endpgm", isa.Inst(last).Row().Name)
	_, ok = p[0].Inst(mod.Base + other.VAddr)
	assert.False(t, ok, other.Name)
	again, err := mod.decoded(ctx, mod.Base+kernel.VAddr, 64)
	require.NoError(t, err)
	assert.Same(t, p[0], again[0])

	_, mod = loaded(t, gcn.GFX803, kernelFile(t, "calls.O0.fiji.co"), nil)
	p, err = mod.decoded(ctx, mod.Base+mod.Object.Kernels[0].Entry, 64)
	require.NoError(t, err)
	for _, f := range mod.Object.Functions {
		_, ok := p[0].Inst(mod.Base + f.VAddr)
		assert.True(t, ok, f.Name)
	}
}

func TestObjectCacheForgets(t *testing.T) {
	cache := ObjectCache{MaxBytes: 10000}
	files := []string{"vadd.fiji.co", "vadd.tahiti.co", "vadd.hawaii.co"} // these have 2 to 3 KiB each
	for _, f := range files {
		_, err := cache.Parse(kernelFile(t, f))
		require.NoError(t, err)
	}
	first, err := cache.Parse(kernelFile(t, files[0]))
	require.NoError(t, err)
	_, err = cache.Parse(kernelFile(t, "spill.v6.fiji.co")) // this object alone is larger than the limit
	require.NoError(t, err)
	assert.Len(t, cache.objects, 1)
	again, err := cache.Parse(kernelFile(t, files[0]))
	require.NoError(t, err)
	assert.NotSame(t, first, again)
	for _, f := range files[1:] {
		_, err := cache.Parse(kernelFile(t, f))
		require.NoError(t, err)
	}
	same, err := cache.Parse(kernelFile(t, files[0]))
	require.NoError(t, err)
	assert.Same(t, again, same)
}

func TestObjectCacheIsSafeForConcurrentUse(t *testing.T) {
	cache := ObjectCache{MaxBytes: 100 << 10}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for _, name := range []string{"vadd", "matmul", "reduce"} {
				m, mod := loaded(t, gcn.GFX803, kernelFile(t, name+".fiji.co"), &cache)
				l := launchOf(t, mod, name)
				l.Grid[0] = 64 * uint32(i+1)
				_, err := m.Dispatch(context.Background(), l)
				assert.ErrorContains(t, err, "limit of 1")
			}
		})
	}
	wait.Wait()
}

// TestRelocatedCodeIsNotShared: relocated words depend on the load address.
func TestRelocatedCodeIsNotShared(t *testing.T) {
	var cache ObjectCache
	m, mod := loaded(t, gcn.GFX900, kernelFile(t, "vadd.gfx900.co"), &cache)
	require.False(t, mod.code[0].own)
	mod.code[0].own = true // like an object with relocations in its code
	mod.code[0].buffer.SetUint32s(0xbf800000)
	entry := mod.code[0].buffer.Addr
	a, err := mod.decoded(context.Background(), entry, 64)
	require.NoError(t, err)
	in, ok := a[0].Inst(entry)
	require.True(t, ok)
	assert.Equal(t, "s_nop", isa.Inst(in).Row().Name)
	_, other := loaded(t, gcn.GFX900, kernelFile(t, "vadd.gfx900.co"), &cache)
	b, err := other.decoded(context.Background(), other.code[0].buffer.Addr, 64)
	require.NoError(t, err)
	in, _ = b[0].Inst(other.code[0].buffer.Addr)
	assert.NotEqual(t, "s_nop", isa.Inst(in).Row().Name)
	_ = m
}

// patch overwrites the first word of the vadd kernel.
func patch(t *testing.T, mod *Module, word uint32) {
	t.Helper()
	k, err := mod.Object.Kernel("vadd")
	require.NoError(t, err)
	require.NoError(t, mod.m.Write(mod.Base+k.Entry, binary.LittleEndian.AppendUint32(nil, word)))
}

func TestHostMayPatchCode(t *testing.T) {
	ctx := context.Background()
	m, mod := loaded(t, gcn.GFX803, kernelFile(t, "vadd.fiji.co"), nil)
	l := launchOf(t, mod, "vadd")
	_, err := m.Dispatch(ctx, l)
	require.Error(t, err)
	patch(t, mod, 0xbf810000) // s_endpgm
	res, err := m.Dispatch(ctx, l)
	require.NoError(t, err)
	assert.EqualValues(t, 1, res.Instructions)
}

// TestStoresToCodeAreFaults: a store to code must fault, because the program, decoded once, would not change.
func TestStoresToCodeAreFaults(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{
		"flat_store_dword v[0:1], v2",
		"flat_store_byte v[0:1], v2",
		"flat_store_dwordx4 v[0:1], v[2:5]",
		"flat_atomic_add v[0:1], v2",
		"flat_atomic_swap_x2 v[0:1], v[2:3]",
		"global_store_short_d16_hi v[0:1], v2, off",
		"global_atomic_cmpswap v2, v[0:1], v[2:3], off glc",
		"buffer_store_dword v2, off, s[4:7], 0",
		"buffer_store_format_xyzw v[2:5], off, s[4:7], 0",
		"buffer_atomic_inc v2, off, s[4:7], 0",
		"tbuffer_store_format_x v2, off, s[4:7], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_UINT]",
		"s_mov_b32 m0, -1\ns_nop 0\nbuffer_store_lds_dword s[4:7], 0 lds",
		"s_store_dwordx2 s[2:3], s[0:1], 0x0",
		"s_atomic_add s2, s[0:1], 0x0",
		"s_atomic_or_x2 s[2:3], s[0:1], 0x0",
	} {
		m, mod := loaded(t, gcn.GFX900, kernelFile(t, "vadd.gfx900.co"), nil)
		code := mod.code[0].buffer
		before := bytes.Clone(code.Bytes())
		w := m.NewWave()
		w.SetSGPRs(0, uint32(code.Addr), uint32(code.Addr>>32))
		w.SetSGPRs(4, gcn.Buffer{Base: code.Addr, NumRecords: 64, DataFormat: 14, NumFormat: 4,
			DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}}.Words()...)
		w.V = w.V[:8]
		for i := range w.V[0] {
			w.V[0][i], w.V[1][i] = uint32(code.Addr), uint32(code.Addr>>32)
		}
		w.SetExec(1 << 5)
		_, err := m.RunAsm(ctx, w, text)
		require.ErrorContains(t, err, "unsupported fault", text)
		require.ErrorContains(t, err, "code that changes itself is not modelled", text)
		assert.Equal(t, before, code.Bytes(), text)
		w.PC = 0
		_, err = m.RunAsm(ctx, w, "flat_load_dword v2, v[0:1]")
		require.NoError(t, err, "code may be read")
	}
}
