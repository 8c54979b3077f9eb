package timing

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// helper executes tasks on a goroutine of its own, beside the goroutine that starts them. Most tasks of a window take
// 20 to 500 us, and Go needs about 70 us to let another core run a goroutine that is ready. So a helper without a task
// polls for the next one, and wait polls for the end of a task. A goroutine that polls in vain ends by itself; the
// next start begins another one.
type helper struct {
	tasks   chan func()
	results chan error  // of the tasks that the helper has executed
	pending int         // how many tasks were started since the latest wait
	alive   atomic.Bool // the goroutine looks for tasks

	idle, waiting patience // of the goroutine, and of wait
}

// maxPending is how many tasks may be pending: one that executes work-groups, of prepare, and one that runs clusters,
// of run. Both may be started on one helper before either waits.
const maxPending = 2

func newHelper() *helper {
	return &helper{tasks: make(chan func(), maxPending), results: make(chan error, maxPending)}
}

// start makes f a task. If there is only one core, wait executes it.
func (h *helper) start(f func()) {
	h.pending++
	h.tasks <- f
	if runtime.GOMAXPROCS(0) > 1 && !h.alive.Swap(true) {
		go h.run()
	}
}

// run executes tasks until it has polled for one in vain. It looks once more after it has cleared alive, since start
// may have seen alive set.
func (h *helper) run() {
	for {
		f, ok := poll(&h.idle, h.tasks)
		if !ok {
			h.alive.Store(false)
			if len(h.tasks) == 0 || h.alive.Swap(true) {
				return
			}
			continue
		}
		h.results <- guarded(f)
	}
}

// wait executes the tasks that have not begun, waits for the others, and returns an error of one of them.
func (h *helper) wait() (err error) {
	for ; h.pending > 0; h.pending-- {
		select {
		case f := <-h.tasks:
			err = cmp.Or(err, guarded(f))
		default:
			result, ok := poll(&h.waiting, h.results)
			if !ok {
				result = <-h.results
			}
			err = cmp.Or(err, result)
		}
	}
	return err
}

// guarded calls f and returns the error of a panic.
func guarded(f func()) (err error) {
	defer crash.Guard(&err)
	f()
	return nil
}

// patience is how many times poll looks at a channel before it gives up. It grows with each success, up to about 150
// us, and halves with each failure, so that little is lost where other programs use the cores.
type patience int

const leastPatience, morePatience, mostPatience = 1 << 10, 1 << 12, 1 << 15

// poll receives from a channel if something comes while it polls.
func poll[T any](p *patience, from <-chan T) (x T, ok bool) {
	for range max(*p, leastPatience) {
		select {
		case x = <-from:
			*p = min(*p+morePatience, mostPatience)
			return x, true
		default:
		}
	}
	*p /= 2
	return x, false
}
