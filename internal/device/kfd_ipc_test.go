//go:build linux && (amd64 || arm64)

package device

import (
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// second opens the render node and /dev/kfd of r's device for another process.
func (r *rocr) second(t *testing.T) *rocr {
	t.Helper()
	c := openClient(t, r.f.dev)
	k, err := c.f.dev.OpenKFD()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	o := &rocr{client: c, k: k}
	require.Zero(t, o.call(0x15, &kfdAcquireVM{0, gpuID}, nil))
	return o
}

// exported exports a buffer and returns its key.
func (r *rocr) exported(handle uint64) shareKey {
	r.t.Helper()
	e := kfdIPCExport{Handle: handle, GPU: gpuID, Flags: 0x1234}
	require.Zero(r.t, r.call(0x81, &e, &e))
	return e.Key
}

// imported imports a buffer at an address and maps it.
func (r *rocr) imported(key shareKey, at uint64) (handle uint64) {
	r.t.Helper()
	i := kfdIPCImport{VA: at, Key: key, GPU: gpuID}
	require.Zero(r.t, r.call(0x80, &i, &i))
	assert.EqualValues(r.t, 0x1234, i.Flags)
	assert.Zero(r.t, i.Offset)
	require.Zero(r.t, r.call(nrMap, &kfdMap{Handle: i.Handle, Count: 1}, nil))
	return i.Handle
}

const sharedAt = 0x100900000

// TestIPC: three processes access the same bytes, also after the first one has freed them or has ended.
func TestIPC(t *testing.T) {
	for _, ends := range []bool{false, true} {
		r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
		two, three := r.second(t), r.second(t)
		handle := r.alloc(sharedAt, 64<<10, allocVRAM)
		key := r.exported(handle)
		assert.Equal(t, key, r.exported(handle), "it has one key")
		r.gpu(sharedAt)[5] = 1
		theirs := two.imported(key, 0x200000000)
		assert.Equal(t, byte(1), two.gpu(0x200000000)[5])
		third := three.imported(key, 0x300000000)
		again := three.exported(third)
		assert.Equal(t, key, again)
		three.gpu(0x300000000)[6] = 2
		assert.Equal(t, byte(2), r.gpu(sharedAt)[6])
		used := r.f.store.taken()
		if ends {
			require.NoError(t, r.f.Close())
		} else {
			require.Zero(t, r.call(nrFree, &kfdHandle{handle}, nil))
			assert.Equal(t, used, r.f.store.taken(), "others have it")
			require.EqualValues(t, syscall.EINVAL, r.call(nrFree, &kfdHandle{handle}, nil))
		}
		assert.Equal(t, []byte{1, 2}, two.gpu(0x200000000)[5:7])
		i := kfdIPCImport{VA: 0x400000000, Key: key, GPU: gpuID}
		require.EqualValues(t, syscall.EINVAL, two.call(0x80, &i, nil), "it is freed")
		require.Zero(t, two.call(nrFree, &kfdHandle{theirs}, nil))
		if !ends {
			assert.Equal(t, used, r.f.store.taken())
			require.Zero(t, three.call(nrFree, &kfdHandle{third}, nil))
			assert.Equal(t, used-64<<10, r.f.store.taken())
		}
	}
}

// TestIPCRefuses: invalid exports and imports are refused.
func TestIPCRefuses(t *testing.T) {
	r := newRuntime(t, Options{Chip: "fiji", MemoryBytes: 64 << 20})
	two := r.second(t)
	key := r.exported(r.alloc(sharedAt, 64<<10, allocVRAM))
	user := kfdAlloc{VA: 0x100a00000, Size: 4096, GPU: gpuID, Flags: allocUserptr | allocWritable,
		Offset: arenaBase + 0x80000}
	require.Zero(t, r.call(nrAlloc, &user, &user))
	twice := r.alloc(0x100b00000, 8192, allocGTT|allocAQL)
	for _, e := range []kfdIPCExport{{Handle: 1, GPU: gpuID}, {Handle: user.Handle, GPU: gpuID},
		{Handle: twice, GPU: gpuID}, {Handle: twice}} {
		assert.EqualValues(t, syscall.EINVAL, r.call(0x81, &e, nil), e)
	}
	wrong := slices.Clone(key[:])
	wrong[3]++
	for _, i := range []kfdIPCImport{{VA: 0x200000000, Key: key}, {VA: 0x200000001, Key: key, GPU: gpuID},
		{VA: vaEnd - 4096, Key: key, GPU: gpuID}, {VA: 0x200000000, Key: shareKey(wrong), GPU: gpuID}} {
		assert.EqualValues(t, syscall.EINVAL, two.call(0x80, &i, nil), i)
	}
}

// TestGWS: only one queue of a process at a time has global wave sync, from GCN 1.4 on.
func TestGWS(t *testing.T) {
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
	ask := func(queue, count uint32) syscall.Errno { return r.call(0x1e, &kfdGWS{Queue: queue, Count: count}, nil) }
	q := kfdCreateQueue{Ring: kfdData, RingBytes: 1024, ReadPtr: kfdData + 0x1080, WritePtr: kfdData + 0x2000, GPU: gpuID,
		Kind: kindAQL}
	require.Zero(t, r.call(nrCreateQueue, &q, &q))
	assert.EqualValues(t, syscall.EINVAL, ask(7, 64))
	assert.EqualValues(t, syscall.EINVAL, ask(r.queue, 0))
	assert.Zero(t, ask(r.queue, 64))
	assert.EqualValues(t, syscall.EINVAL, ask(r.queue, 64))
	assert.EqualValues(t, syscall.EBUSY, ask(q.ID, 64))
	assert.Zero(t, ask(r.queue, 0))
	assert.Zero(t, ask(q.ID, 64))
	r = newRuntime(t, Options{Chip: "fiji", MemoryBytes: 64 << 20})
	assert.EqualValues(t, syscall.ENODEV, r.call(0x1e, &kfdGWS{Queue: r.queue, Count: 64}, nil))
}

// TestClosedAtOnce: both files of a process that shares memory are closed at the same time, as if it were killed.
func TestClosedAtOnce(t *testing.T) {
	d, err := New(Options{Chip: "vega10", MemoryBytes: 64 << 20})
	require.NoError(t, err)
	for range 20 {
		f, err := d.Open()
		require.NoError(t, err)
		k, err := d.OpenKFD()
		require.NoError(t, err)
		r := &rocr{client: playing(t, f, 1<<20), k: k}
		require.Zero(t, r.call(0x15, &kfdAcquireVM{0, gpuID}, nil))
		for i := range uint64(200) {
			r.exported(r.alloc(sharedAt+i<<20, 4096, allocVRAM))
		}
		var all sync.WaitGroup
		all.Go(func() { assert.NoError(t, f.Close()) })
		all.Go(func() { assert.NoError(t, k.Close()) })
		all.Wait()
	}
	assert.Empty(t, d.shares.all)
}
