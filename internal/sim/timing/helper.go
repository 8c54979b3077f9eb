package timing

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// helper executes tasks on its own goroutine, in parallel to the goroutine that starts them. Most tasks of a window
// take 20 to 500 us, and Go needs about 70 us to start a ready goroutine on another core. An idle helper therefore
// polls for the next task, and wait polls for the end of a task. A goroutine that polls in vain ends; the next start
// creates another one.
type helper struct {
	tasks   chan func()
	results chan error  // errors of the tasks that the helper has executed
	pending int         // number of tasks started since the last wait
	alive   atomic.Bool // the goroutine is polling for tasks

	idle, waiting patience // polling times of the goroutine, and of wait
}

// maxPending is the largest number of pending tasks: one of prepare, which executes work-groups, and one of run,
// which simulates clusters. Both may be started on one helper before either waits.
const maxPending = 2

func newHelper() *helper {
	return &helper{tasks: make(chan func(), maxPending), results: make(chan error, maxPending)}
}

// start starts task f. If there is only one core, wait executes it.
func (h *helper) start(f func()) {
	h.pending++
	h.tasks <- f
	if runtime.GOMAXPROCS(0) > 1 && !h.alive.Swap(true) {
		go h.run()
	}
}

// run executes tasks until it has polled in vain. It polls once more after clearing alive, because start may have
// seen alive set.
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

// wait executes the tasks that have not started, waits for the others, and returns an error of one of them.
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

// guarded calls f and returns a panic as an error.
func guarded(f func()) (err error) {
	defer crash.Guard(&err)
	f()
	return nil
}

// patience is the number of times that poll checks a channel before it gives up. It grows with each success, up to
// about 150 us, and halves with each failure, so that little time is lost when other programs use the cores.
type patience int

const leastPatience, morePatience, mostPatience = 1 << 10, 1 << 12, 1 << 15

// poll receives a value from a channel if one arrives while it polls.
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
