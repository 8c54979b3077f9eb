//go:build linux && (amd64 || arm64)

package guest

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// family is the set of processes that descend from this one. If this process adopts orphans, they all belong to the
// program.
type family struct {
	mu      sync.Mutex
	adopts  bool
	program int // process number of the program, which its [exec.Cmd] waits for; 0 before it starts
}

// adopt makes this process the parent of all orphans among its descendants.
func (f *family) adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return &UnsupportedError{Call: "prctl(PR_SET_CHILD_SUBREAPER)", Err: err}
	}
	f.adopts = true
	return nil
}

// begin sets which process is the program.
func (f *family) begin(program int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.program = program
}

// ending returns a channel that receives a signal when a child of this process ends.
func (f *family) ending() chan os.Signal {
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	return children
}

// release undoes adopt.
func (f *family) release() {
	f.reap()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.adopts {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) // undoing this option cannot fail
		f.adopts = false
	}
}

// reap collects the exit statuses of orphans that have ended.
func (f *family) reap() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.adopts && f.program != 0 {
		pid := exited()
		if pid == 0 || pid == f.program {
			return
		}
		if _, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err != nil {
			return
		}
	}
}

// cldTrapped says that a child has not ended, but stopped for a tracer.
const cldTrapped = 4

// exited returns the process number of a child that has ended and was not waited for, or 0.
func exited() int {
	const of = 16 // offset of si_pid, after three numbers of 32 bits and padding
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err != nil {
		return 0
	}
	if info.Code == cldTrapped { // a thread that remoteCalls is tracing
		return 0
	}
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), of)))
}

// kill kills the children of this process, and reports whether it had any. Their children become children of this
// process and are killed by the next call. A child's process number cannot be reused before it is reaped here, so
// kill never hits another process.
func (f *family) kill() (some bool) {
	f.reap()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.adopts {
		return false
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	for _, task := range tasks {
		children, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%s/children", task.Name()))
		if err != nil {
			continue // the thread has ended
		}
		for child := range strings.FieldsSeq(string(children)) {
			pid, err := strconv.Atoi(child)
			if err == nil && pid != f.program && unix.Kill(pid, unix.SIGKILL) == nil {
				some = true
			}
		}
	}
	return some
}
