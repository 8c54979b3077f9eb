//go:build linux && (amd64 || arm64)

package device

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// arena is the memory of a process that plays the driver.
type arena struct {
	mu    sync.Mutex // makes accesses of process and device exclusive; it does not order them
	bytes []byte
	used  uint64
}

const arenaBase = 0x7f0000000000

var errBadAddress = errors.New("not mapped")

func (a *arena) at(addr uint64, n int) ([]byte, error) {
	off := addr - arenaBase
	if addr < arenaBase || off > uint64(len(a.bytes)) || uint64(n) > uint64(len(a.bytes))-off {
		return nil, errBadAddress
	}
	return a.bytes[off : off+uint64(n)], nil
}

func (a *arena) ReadAt(b []byte, addr uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	from, err := a.at(addr, len(b))
	copy(b, from)
	return err
}

func (a *arena) WriteAt(b []byte, addr uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	to, err := a.at(addr, len(b))
	copy(to, b)
	return err
}

// put writes a struct of the kernel's interface and returns its address.
func (a *arena) put(v any) uint64 {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	addr := arenaBase + a.used
	copy(a.bytes[a.used:], b)
	a.used += uint64(len(b)+15) &^ 15
	return addr
}

// client is a driver in this process. It fills structs like libdrm.
type client struct {
	t testing.TB
	f *File
	*arena
	// before is called before each ioctl, unless it is nil. If it returns an error, the ioctl is not made.
	before func(nr uint8) syscall.Errno
	ctx    context.Context // context of its ioctls
	fds    *[]*os.File     // descriptors, which several clients may share
}

// Give adds a descriptor to the client.
func (c *client) Give(file *os.File, _ bool) (fd int, err error) {
	twin, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return -1, err
	}
	*c.fds = append(*c.fds, os.NewFile(uintptr(twin), file.Name()))
	return len(*c.fds) - 1, nil
}

// Inode returns the inode of the file behind a descriptor.
func (c *client) Inode(fd int) (device, inode uint64, err error) {
	if fd < 0 || fd >= len(*c.fds) {
		return 0, 0, syscall.EBADF
	}
	return inodeOf((*c.fds)[fd])
}

// playing returns a client that uses f.
func playing(t testing.TB, f *File, memory int) *client {
	return &client{t: t, f: f, arena: &arena{bytes: make([]byte, memory)}, ctx: t.Context(), fds: new([]*os.File)}
}

// Hold returns the client itself, because the arena outlives every call.
func (c *client) Hold() (Held, error) { return c, nil }

// Close does nothing.
func (c *client) Close() error { return nil }

// untilStacks returns when n goroutines have all of texts in their stack traces: "name(" for a function in progress,
// "[select" for the kind of wait.
func untilStacks(t testing.TB, n int, texts ...string) {
	t.Helper()
	b := make([]byte, 1<<20)
	require.Eventually(t, func() bool {
		found := 0
		for stack := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(stack, text) }) {
				found++
			}
		}
		return found == n
	}, time.Minute, time.Millisecond, "%d goroutines with %q", n, texts)
}

// untilWaiting returns when n ioctls wait for a change.
func untilWaiting(t testing.TB, n int) {
	t.Helper()
	untilStacks(t, n, "[select", ".(*monitor).change(", ".Ioctl(")
}

// hang makes the device treat a wait for memory as a hang, as if [Options.HangAfter] had passed.
func (c *client) hang() {
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	c.f.engine.progress -= int64(c.f.dev.options.HangAfter)
}

func newClient(t testing.TB, o Options) *client {
	t.Helper()
	d, err := New(o)
	require.NoError(t, err)
	return openClient(t, d)
}

func openClient(t testing.TB, d *Device) *client {
	t.Helper()
	f, err := d.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return playing(t, f, 1<<20)
}

// ioctl makes an ioctl with the struct in, and decodes the result into out, which may be nil.
func (c *client) ioctl(nr uint8, in, out any) syscall.Errno {
	c.t.Helper()
	if c.before != nil {
		if errno := c.before(nr); errno != 0 {
			return errno
		}
	}
	mark := c.used
	size := binary.Size(in)
	if out != nil {
		size = max(size, binary.Size(out))
	}
	addr := c.put(make([]byte, size))
	c.used = mark
	c.put(in)
	c.used = mark + uint64(size+15)&^15
	errno := c.f.Ioctl(c.ctx, c, 3<<30|uint32(size)<<16|drmType<<8|uint32(nr), addr)
	if out != nil && errno == 0 {
		b, err := c.at(addr, binary.Size(out))
		require.NoError(c.t, err)
		decode(b, out)
	}
	c.used = mark
	return errno
}

// must makes an ioctl that must succeed.
func (c *client) must(nr uint8, in, out any) {
	c.t.Helper()
	require.Zero(c.t, c.ioctl(nr, in, out))
}

// query makes an INFO query.
func (c *client) query(q uint32, out any, arg ...uint32) syscall.Errno {
	c.t.Helper()
	in := infoIn{Pointer: arenaBase + uint64(len(c.bytes)) - 4096, Size: uint32(binary.Size(out)), Query: q}
	copy(in.Arg[:], arg)
	errno := c.ioctl(nrInfo, &in, nil)
	b, err := c.at(in.Pointer, int(in.Size))
	require.NoError(c.t, err)
	decode(b, out)
	return errno
}

// buffer creates a buffer object and returns its handle and its bytes.
func (c *client) buffer(size uint64) (handle uint32, bytes []byte) {
	c.t.Helper()
	var out handleOut
	c.must(nrGemCreate, &gemCreateIn{Size: size, Alignment: 4096, Domains: domainVRAM}, &out)
	var offset gemMmapOut
	c.must(nrGemMmap, &out, &offset)
	return out.Handle, c.f.store.bytes[offset.Offset : offset.Offset+size]
}

// mapped creates a buffer object and maps it at a GPU address.
func (c *client) mapped(va, size uint64) (handle uint32, bytes []byte) {
	c.t.Helper()
	handle, bytes = c.buffer(size)
	c.must(nrGemVA, &gemVA{Handle: handle, Operation: vaMap, Flags: pageReadable | pageWriteable | pageExecutable,
		Addr: va, Size: (size + pageBytes - 1) &^ (pageBytes - 1)}, nil)
	return handle, bytes
}

func (c *client) context() uint32 {
	c.t.Helper()
	var out ctxOut
	c.must(nrCtx, &ctxIn{Op: ctxAlloc}, &out)
	return out.First
}

// queue is a ring of a context with a buffer object for its commands.
type queue struct {
	*client
	context, ip, ring uint32
	at                uint64 // GPU address of the commands
	bytes             []byte
}

func (c *client) queue(ip ipType, ring uint32, at uint64) *queue {
	c.t.Helper()
	_, bytes := c.mapped(at, 64<<10)
	return &queue{c, c.context(), uint32(ip), ring, at, bytes}
}

// chunk is one chunk of a submission.
type chunk struct {
	id   uint32
	data any
}

// cs submits chunks.
func (q *queue) cs(chunks ...chunk) (sequence uint64, errno syscall.Errno) {
	q.t.Helper()
	mark := q.used
	defer func() { q.used = mark }()
	var pointers []uint64
	for _, ch := range chunks {
		h := chunkHeader{ch.id, uint32(binary.Size(ch.data) / 4), q.put(ch.data)}
		pointers = append(pointers, q.put(&h))
	}
	in := csIn{Context: q.context, NumChunks: uint32(len(chunks)), Chunks: q.put(pointers)}
	var out csOut
	errno = q.ioctl(nrCS, &in, &out)
	return out.Sequence, errno
}

// ib writes words to the commands and returns the chunk that submits them.
func (q *queue) ib(words ...uint32) chunk {
	for i, w := range words {
		binary.LittleEndian.PutUint32(q.bytes[4*i:], w)
	}
	return chunk{chunkIB, &ibChunk{Addr: q.at, Bytes: uint32(4 * len(words)), IP: q.ip, ID: q.ring}}
}

// submit submits packets and returns their sequence number. They must succeed.
func (q *queue) submit(words ...uint32) uint64 {
	q.t.Helper()
	sequence, errno := q.cs(q.ib(words...))
	require.Zero(q.t, errno)
	return sequence
}

// packet makes a packet.
func packet(op uint32, body ...uint32) []uint32 {
	return append([]uint32{3<<30 | uint32(len(body)-1)<<16 | op<<8}, body...)
}

// low and high are the halves of an address.
func low(a uint64) uint32  { return uint32(a) }
func high(a uint64) uint32 { return uint32(a >> 32) }

func dword(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
