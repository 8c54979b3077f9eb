//go:build linux

package guest

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// remoteCalls answers the system call in which a thread waits, and makes the thread execute other system calls before
// it continues: run calls its argument for each of them and receives the kernel's result. Meanwhile the thread is
// traced (ptrace). answer is called in any case, and answered is its error. The tracer is a new thread of this
// process. After an error the tracer ends, and the kernel then releases the program's thread.
func remoteCalls(thread process, answer func() error, run func(do remoteCall) error) (answered, err error) {
	done := make(chan struct{})
	go onThread(func() {
		defer close(done)
		t := tracee{process: thread}
		if err = t.seize(); err != nil {
			answered = answer()
			return
		}
		answered = answer()
		if err = t.begin(); err == nil {
			err = errors.Join(run(t.call), t.end())
		}
	})
	<-done
	return answered, err
}

// remoteCall makes a system call in another process.
type remoteCall func(number int, args ...uint64) (result int, err error)

// tracee is the thread that is traced.
type tracee struct {
	process
	regs unix.PtraceRegs // registers after its own system call
	mask uint64          // mask of the signals that it had blocked
	held bool            // a signal arrived that stops processes
}

// stopWithin is how long a traced thread may take to stop. It only has to return from a system call, which takes long
// only if there are more threads than processors.
const stopWithin = 10 * time.Second

// seize starts to trace the thread, which stops when it returns from its system call. It fails if the thread already
// has a tracer. It also fails if the thread has seccomp filters of its own, because a filter may kill it for an
// unknown call.
func (t *tracee) seize() error {
	theirs, err := t.status("Seccomp_filters")
	if err != nil {
		return err
	}
	ours, err := process(unix.Getpid()).status("Seccomp_filters")
	if err != nil {
		return err
	}
	if theirs > ours+1 {
		return fmt.Errorf("thread %d has a filter of system calls of its own: %w", t.process, errors.ErrUnsupported)
	}
	if err := unix.PtraceSeize(int(t.process)); err != nil {
		return err
	}
	return unix.PtraceInterrupt(int(t.process))
}

// stopped waits until the thread has stopped, and returns its registers. It polls instead of waiting for a child,
// because other threads of this process wait for children.
func (t *tracee) stopped() (regs unix.PtraceRegs, err error) {
	const patient = 100 // number of polls before it checks whether the thread was killed
	start := time.Now()
	for looks := 0; ; looks++ {
		err = unix.PtraceGetRegs(int(t.process), &regs)
		if !errors.Is(err, unix.ESRCH) || time.Since(start) > stopWithin || looks > patient && t.ended() {
			return regs, err
		}
		wait := unix.NsecToTimespec(int64(10 * time.Microsecond))
		_ = unix.Nanosleep(&wait, nil) // shorter than Go's timers; a signal may end it early
	}
}

// begin waits until the thread has stopped, and blocks its signals.
func (t *tracee) begin() (err error) {
	if t.regs, err = t.stopped(); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(int(t.process), unix.PTRACE_O_TRACESYSGOOD); err != nil {
		return err // PTRACE_GET_SYSCALL_INFO needs this option
	}
	var code [2]byte
	if err := t.ReadAt(code[:], t.regs.Rip-2); err != nil {
		return err
	}
	if code != [2]byte{0x0f, 0x05} {
		return fmt.Errorf("no syscall instruction at 0x%x: %w", t.regs.Rip-2, errors.ErrUnsupported)
	}
	if err := t.request(unix.PTRACE_GETSIGMASK, 8, unsafe.Pointer(&t.mask)); err != nil {
		return err
	}
	all := ^uint64(0)
	return t.request(unix.PTRACE_SETSIGMASK, 8, unsafe.Pointer(&all))
}

// end restores the thread's registers and signals and lets it continue.
func (t *tracee) end() error {
	err := errors.Join(unix.PtraceSetRegs(int(t.process), &t.regs),
		t.request(unix.PTRACE_SETSIGMASK, 8, unsafe.Pointer(&t.mask)), unix.PtraceDetach(int(t.process)))
	if t.held {
		err = errors.Join(err, unix.Kill(int(t.process), unix.SIGSTOP))
	}
	return err
}

// call makes the thread execute a system call, by executing its last instruction again.
func (t *tracee) call(number int, args ...uint64) (result int, err error) {
	regs := t.regs
	regs.Rip -= 2
	regs.Rax, regs.Orig_rax = uint64(number), ^uint64(0) // -1: there is no interrupted call to restart
	for i, to := range []*uint64{&regs.Rdi, &regs.Rsi, &regs.Rdx}[:len(args)] {
		*to = args[i]
	}
	if err := unix.PtraceSetRegs(int(t.process), &regs); err != nil {
		return 0, err
	}
	const entry, exit = 1, 2 // PTRACE_SYSCALL_INFO_ENTRY, _EXIT
	for _, want := range []byte{entry, exit} {
		for got := byte(0); got != want; {
			if err := unix.PtraceSyscall(int(t.process), 0); err != nil {
				return 0, err
			}
			if regs, err = t.stopped(); err != nil {
				return 0, err
			}
			if err := t.request(unix.PTRACE_GET_SYSCALL_INFO, 1, unsafe.Pointer(&got)); err != nil {
				return 0, err
			}
			t.held = t.held || got == 0 // all other signals are blocked
		}
	}
	const mostErrno = 4095
	if r := int64(regs.Rax); r < 0 && r >= -mostErrno {
		return 0, unix.Errno(-r)
	}
	return int(regs.Rax), nil
}

// request makes a ptrace request that transfers size bytes.
func (t *tracee) request(request, size uintptr, data unsafe.Pointer) error {
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, request, uintptr(t.process), size, uintptr(data), 0, 0); e != 0 {
		return e
	}
	return nil
}
