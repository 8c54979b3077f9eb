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

// File is one open file of the render node: an address space with its own buffer objects,
// contexts and sync objects. It is safe for concurrent use.
type File struct {
	dev   *Device
	id    int // counts from 1
	store *store
	space *space

	ctx    context.Context // ends with the file, before what runs has returned
	cancel context.CancelFunc
	closed atomic.Bool   // by Close, whose second call does nothing
	ended  chan struct{} // closed when the engine has ended
	calls  sync.WaitGroup

	stopTimes func() // lets the time model return soon; nil without times

	host     userMemories
	names    processNames
	oneByOne sync.Mutex // held by a dispatch that watchers or times look at
	recorded sync.Mutex // guards what the engine counts of dispatches and kernels

	mu       monitor // guards what follows
	kfd      *KFD    // which allocates here, too; nil if the process has not opened /dev/kfd
	bos      handles[bo]
	lists    handles[boList]
	contexts handles[gpuContext]
	syncobjs handles[syncobj]
	engine   engine
	lost     bool // a context was lost

	echoes []echo     // changes of shared sync objects that other files have not seen
	joined []*syncobj // shared sync objects that are new here
}

// Open opens the device once more. The error says that there is no memory for it.
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

// Number is the number of the file among those of the device, from 1 on.
func (f *File) Number() int { return f.id }

// Stamps returns how many time stamps of the card programs have asked for by this file: by packets and by INFO. What
// kernels read is not counted, nor what queues of /dev/kfd note in each signal.
func (f *File) Stamps() uint64 { return f.engine.clock.stamps.Load() }

// Memory returns the memory file that holds all buffer objects, at the offsets that
// GEM_MMAP gives. It cannot be shrunk. The device closes it; who keeps it duplicates it.
func (f *File) Memory() *os.File { return f.store.file }

// Close ends what runs and gives everything back. Ioctls that wait end with EINTR, those
// that come later are ENODEV.
func (f *File) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	f.cancel() // before the lock: what works under it ends
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
		kfd.stop() // it executes packets in this file's memory
		f.mu.Lock()
		if f.kfd == kfd { // it has not been closed meanwhile
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

// logf writes a line to the log of the device, with the file it is about.
func (f *File) logf(format string, args ...any) {
	f.dev.logf("file %d: %s", f.id, fmt.Sprintf(format, args...))
}
