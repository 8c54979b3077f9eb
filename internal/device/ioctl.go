package device

import (
	"context"
	"encoding/binary"
	"fmt"
	"syscall"

	"github.com/gcnsim/gcnsim/internal/tool/contexts"
)

// Process is the memory of the caller of an ioctl.
type Process interface {
	ReadAt(b []byte, addr uint64) error
	WriteAt(b []byte, addr uint64) error
}

// call is one ioctl in progress.
type call struct {
	ctx  context.Context // ends when the caller is gone
	proc Process
	log  []string // lines to log after the handler has returned, because a handler may hold locks
}

// logf adds a line to the device's log. It is written after the handler has returned.
func (c *call) logf(format string, args ...any) { c.log = append(c.log, fmt.Sprintf(format, args...)) }

// Numbers of ioctls. Source: asm-generic/ioctl.h, drm.h.
const (
	drmType     = 'd'
	commandBase = 0x40 // first number of the driver's own ioctls

	dirRead = 2 // the caller reads a result
)

// request is a decoded request number.
type request struct {
	nr   uint8
	size int // size of the struct in bytes
	back bool
}

// parseRequest decodes a request number. It fails if the request is not of type kind.
func parseRequest(v uint32, kind uint32) (r request, ok bool) {
	return request{nr: uint8(v), size: int(v >> 16 & 0x3fff), back: v>>30&dirRead != 0}, v>>8&0xff == kind
}

// handler implements one ioctl on an R, an open file. It reads the struct from b and stores the result there.
type handler[R any] func(r R, c *call, b []byte) syscall.Errno

// entry is an implemented ioctl on an R.
type entry[R any] struct {
	name string
	size int // size of its struct
	do   handler[R]
}

// on returns the table entry of an ioctl whose struct is In, or a union of In and Out: In is read completely before
// Out is written.
func on[R, In, Out any](name string, do func(r R, c *call, in *In) (Out, syscall.Errno)) entry[R] {
	var (
		in  In
		out Out
	)
	size := max(binary.Size(in), binary.Size(out))
	return entry[R]{name, size, func(r R, c *call, b []byte) syscall.Errno {
		var in In
		decode(b, &in)
		out, errno := do(r, c, &in)
		if errno == 0 {
			encode(b, &out)
		}
		return errno
	}}
}

// none is the Out type of an ioctl without a result.
type none struct{}

// decode and encode convert structs of the kernel's interface, which have fixed sizes and no hidden padding.
func decode(b []byte, v any) {
	if _, err := binary.Decode(b, binary.LittleEndian, v); err != nil {
		panic(fmt.Sprintf("device: %T in %d bytes: %v", v, len(b), err))
	}
}

func encode(b []byte, v any) {
	if _, err := binary.Encode(b, binary.LittleEndian, v); err != nil {
		panic(fmt.Sprintf("device: %T in %d bytes: %v", v, len(b), err))
	}
}

// Ioctl executes an ioctl on the file. arg is the address of its struct in the caller's memory. It may wait until ctx
// ends, and returns EINTR then. It is safe for concurrent use.
func (f *File) Ioctl(ctx context.Context, p Process, req uint32, arg uint64) syscall.Errno {
	ctx = contexts.Given(ctx)
	r, ok := parseRequest(req, drmType)
	if !ok {
		return syscall.ENOTTY
	}
	e, ok := ioctls[r.nr]
	switch {
	case !ok && !onRenderNodes(r.nr):
		return syscall.EACCES
	case !ok:
		f.logf("ioctl 0x%02x is not answered: ENOTTY", r.nr)
		return syscall.ENOTTY
	}
	f.mu.Lock()
	if f.ctx.Err() != nil {
		f.mu.Unlock()
		return syscall.ENODEV
	}
	f.calls.Add(1)
	f.mu.Unlock()
	defer f.calls.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)()
	errno := answer(ctx, f, &e, p, r, arg)
	f.spread()
	f.exchangeShared()
	return errno
}

// logger is an open file with a log.
type logger interface {
	logf(format string, args ...any)
}

// answer executes the ioctl e on r. It writes the handler's log lines after the handler has returned.
func answer[R logger](ctx context.Context, r R, e *entry[R], p Process, q request, arg uint64) syscall.Errno {
	b := make([]byte, max(e.size, q.size))
	if err := p.ReadAt(b[:q.size], arg); err != nil {
		return syscall.EFAULT
	}
	c := &call{ctx: ctx, proc: p}
	errno := e.do(r, c, b)
	for _, line := range c.log {
		r.logf("%s", line)
	}
	if errno == 0 && q.back {
		if err := p.WriteAt(b[:q.size], arg); err != nil {
			return syscall.EFAULT
		}
	}
	return errno
}

// onRenderNodes reports whether render nodes accept an ioctl: those of the driver and of sync objects. On the render
// node of any card the kernel refuses the other ioctls of DRM, which concern displays and names of buffers. Libraries
// try them to find out which kind of node they have opened. Source: DRM_RENDER_ALLOW in drm_ioctl.c.
func onRenderNodes(nr uint8) bool {
	const driverEnd, syncobjs, setClientName = 0xa0, 0xbf, 0xd1
	return nr >= commandBase && nr < driverEnd || nr >= syncobjs && nr <= setClientName
}

// write copies b to addr in the memory of the caller.
func (c *call) write(b []byte, addr uint64) syscall.Errno {
	if err := c.proc.WriteAt(b, addr); err != nil {
		return syscall.EFAULT
	}
	return 0
}
