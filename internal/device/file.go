package device

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/sim"
)

// File is one open file of the render node: an address space with its own buffer objects, contexts and sync objects.
// It is safe for concurrent use.
type File struct {
	dev   *Device
	id    int // counts from 1
	store *store
	space *space

	ctx    context.Context // canceled by Close before the work of the file has ended
	cancel context.CancelFunc
	closed atomic.Bool   // set by Close; a second Close does nothing
	ended  chan struct{} // closed when the engine has stopped
	calls  sync.WaitGroup

	stopTimes func() // makes the time model return soon; nil without one

	host     userMemories
	names    processNames
	oneByOne sync.Mutex // held by a dispatch that watchers or the time model observe
	recorded sync.Mutex // guards the engine's counts of dispatches and kernels

	mu       monitor // guards the fields below
	kfd      *KFD    // also allocates here; nil if the process has not opened /dev/kfd
	bos      handles[bo]
	lists    handles[boList]
	contexts handles[gpuContext]
	syncobjs handles[syncobj]
	engine   engine
	lost     bool // a context was lost

	echoes []echo     // changes of shared sync objects that other files have not received yet
	joined []*syncobj // shared sync objects that this file has just joined
}

// Open opens the device. The error says that memory is exhausted.
func (d *Device) Open() (*File, error) {
	s, err := newStore(d.options.MemoryBytes)
	if err != nil {
		return nil, err
	}
	f := &File{dev: d, store: s, ended: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	machine := sim.New(d.chip.Target)
	machine.Tiling = d.tiling
	machine.Config = sim.Config{Rules: d.options.Rules, Limit: d.options.Limit}
	machine.Objects = &d.objects
	f.space = &space{ctx: f.ctx, memory: &machine.Memory, store: s}
	d.mu.Lock()
	d.files++
	f.id = d.files
	d.mu.Unlock()
	times, err := d.newTimes()
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	f.engine = engine{machine: machine, times: times}
	if times.model != nil {
		f.stopTimes = times.model.Stop
	}
	go f.run()
	d.mu.Lock()
	if d.open == nil {
		d.open = map[*File]struct{}{}
	}
	d.open[f] = struct{}{}
	d.mu.Unlock()
	return f, nil
}

// Number returns the file's number among those of the device, from 1 on.
func (f *File) Number() int { return f.id }

// Stamps returns how many time stamps programs have requested through this file, by packets and by the ioctl INFO.
// Clock reads in kernels do not count, nor do the times that /dev/kfd queues store in signals.
func (f *File) Stamps() uint64 { return f.engine.clock.stamps.Load() }

// Memory returns the memory file that holds all buffer objects, at the offsets that the ioctl GEM_MMAP returns. It
// cannot be shrunk. The device closes it: a caller that needs it longer must duplicate the descriptor.
func (f *File) Memory() *os.File { return f.store.file }

// Close stops all work and frees all memory. Ioctls that wait end with EINTR, later ones with ENODEV.
func (f *File) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	f.cancel() // before taking the lock, so that goroutines that hold it end
	f.mu.Lock()
	if f.stopTimes != nil && f.engine.pending > 0 {
		f.stopTimes()
	}
	f.mu.broadcast()
	kfd := f.kfd
	f.mu.Unlock()
	f.dev.mu.Lock()
	delete(f.dev.open, f)
	f.dev.mu.Unlock()
	if kfd != nil {
		kfd.stop() // its queues use this file's memory
		f.mu.Lock()
		if f.kfd == kfd { // unless it was closed meanwhile
			kfd.leaveShares()
			f.kfd = nil
		}
		f.mu.Unlock()
	}
	<-f.ended
	f.calls.Wait()
	f.host.release()
	f.names.release()
	f.dev.sharing.leave(f)
	if r := f.engine.times.finish(f); r != nil && f.dev.options.Timed != nil {
		f.dev.tell.Lock()
		f.dev.options.Timed(f.id, r)
		f.dev.tell.Unlock()
	}
	return f.store.close()
}

// logf writes a line to the device's log, prefixed with the file's number.
func (f *File) logf(format string, args ...any) {
	f.dev.logf("file %d: %s", f.id, fmt.Sprintf(format, args...))
}
