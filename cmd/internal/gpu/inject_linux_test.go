package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/device/guest"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
)

// Ioctls of the render node that an injection looks at, with the numbers of amdgpu_drm.h.
const (
	ioctlContext = 0x42
	ioctlSubmit  = 0x44
)

// injection is a card where one ioctl goes wrong: it is refused, or all contexts are lost before it.
type injection struct {
	guest.Device
	at      int // which ioctl, from 1 on; 0 is none
	refused syscall.Errno
	reached chan struct{} // closed at that ioctl

	mu    sync.Mutex
	calls []uint32 // the requests of the ioctls so far
	lost  int      // contexts
	files []*injectedFile
}

// injectedFile is an open file of an injection.
type injectedFile struct {
	guest.File
	i        *injection
	contexts []uint32 // the injection's mu guards them
}

// Open opens the card.
func (i *injection) Open() (guest.File, error) {
	f, err := i.Device.Open()
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	file := &injectedFile{File: f, i: i}
	i.files = append(i.files, file)
	return file, nil
}

// OpenKFD opens /dev/kfd.
func (i *injection) OpenKFD() (guest.File, error) {
	f, err := i.Device.OpenKFD()
	if err != nil {
		return nil, err
	}
	return &injectedFile{File: f, i: i}, nil
}

// Ioctl answers an ioctl, unless it is the one.
func (f *injectedFile) Ioctl(ctx context.Context, p device.Process, request uint32, arg uint64) syscall.Errno {
	i := f.i
	i.mu.Lock()
	i.calls = append(i.calls, request)
	if len(i.calls) == i.at {
		close(i.reached)
		if i.refused != 0 {
			i.mu.Unlock()
			return i.refused
		}
		for _, file := range i.files {
			for _, id := range file.contexts {
				if file.lose(ctx, id) {
					i.lost++
				}
			}
		}
	}
	i.mu.Unlock()
	errno := f.File.Ioctl(ctx, p, request, arg)
	var id [4]byte
	if request>>8&0xff == 'd' && request&0xff == ioctlContext && errno == 0 && p.ReadAt(id[:], arg) == nil {
		i.mu.Lock()
		f.contexts = append(f.contexts, binary.LittleEndian.Uint32(id[:])) // not always a context
		i.mu.Unlock()
	}
	return errno
}

// lose submits a command buffer to a context that is not mapped anywhere. It reports whether the context is lost.
func (f *injectedFile) lose(ctx context.Context, id uint32) bool {
	b := make(bytesOf, 256)
	le := binary.LittleEndian
	le.PutUint32(b[0:], id)
	le.PutUint32(b[8:], 1) // chunk
	le.PutUint64(b[16:], 64)
	le.PutUint64(b[64:], 128)
	le.PutUint32(b[128:], 1) // a command buffer
	le.PutUint32(b[132:], 8)
	le.PutUint64(b[136:], 192)
	le.PutUint64(b[200:], 0x1000)
	le.PutUint32(b[208:], 64)
	le.PutUint32(b[212:], 1) // a compute ring
	return f.File.Ioctl(ctx, b, 3<<30|24<<16|'d'<<8|ioctlSubmit, 0) == syscall.ECANCELED
}

// bytesOf is the memory of a process, from address 0 on.
type bytesOf []byte

// ReadAt fills p from addr on.
func (b bytesOf) ReadAt(p []byte, addr uint64) error { copy(p, b[addr:]); return nil }

// WriteAt copies p to addr.
func (b bytesOf) WriteAt(p []byte, addr uint64) error { copy(b[addr:], p); return nil }

// How long a program may continue after an injection before it is interrupted, on a machine with nothing else to do:
// patience beyond five times what it takes without, and leastPatient after a refusal, after which it may wait for ever
// by itself.
const (
	patience     = 10 * time.Second
	leastPatient = time.Second / 2
)

// slowdown keeps a thread busy until ctx ends, and returns how many times longer that took than the processor time that
// the thread got: 1 on a machine with nothing else to do.
func slowdown(ctx context.Context) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	processor := func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // each thread has this clock
		return time.Duration(t.Nano())
	}
	begun, used := time.Now(), processor()
	for ctx.Err() == nil {
	}
	return max(1, float64(time.Since(begun))/float64(max(1, processor()-used)))
}

// everywhere makes TestInjections long: it takes an hour.
var everywhere = flag.Bool("injections", false, "TestInjections: every error at every ioctl")

// inject runs a program with an injection; takes is how long the program runs without one. It returns what the
// injection has seen, and whether the program had to be stopped. Stopping that takes too long, as it may on a machine
// under load, is tried again: a wait that nothing ends takes too long each time.
func inject(t *testing.T, program []string, at int, refused syscall.Errno, takes time.Duration) (i *injection,
	stopped bool) {
	const tries = 5
	for try := 1; ; try++ {
		i, stopped, late := injectOnce(t, program, at, refused, takes)
		if late == nil || try == tries {
			require.NoError(t, late, "%v at ioctl %d", refused, at)
			return i, stopped
		}
	}
}

// injectOnce is one try of inject. The supervisor has given up on late.
func injectOnce(t *testing.T, program []string, at int, refused syscall.Errno, takes time.Duration) (i *injection,
	stopped bool, late error) {
	d, err := device.New(device.Options{Chip: "vega10"})
	require.NoError(t, err)
	i = &injection{Device: guest.Card(d), at: at, refused: refused, reached: make(chan struct{})}
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Env = guest.Environ(os.Environ())
	g, err := guest.Start(cmd, i, &guest.Options{})
	guesttest.Started(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- g.Wait(ctx) }()
	if i.ends(ended, takes) {
		return i, false, nil
	}
	cancel()
	if err = <-ended; errors.Is(err, guest.ErrBusy) || errors.Is(err, guest.ErrOrphans) {
		late = err
	}
	return i, true, late
}

// ends reports whether the program ends in time after the injection. Where the time is over, a program that must end by
// itself gets as many times more as the machine is slower just then.
func (i *injection) ends(ended chan error, takes time.Duration) bool {
	within := func(limit time.Duration, or chan struct{}) bool {
		select {
		case err := <-ended:
			ended <- err
			return true
		case <-or:
		case <-time.After(limit):
		}
		return false
	}
	most := patience + 5*takes
	if i.refused != 0 {
		return within(most, i.reached) || within(leastPatient, nil)
	}
	if within(most, nil) {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return within(time.Duration((slowdown(ctx)-1)*float64(most)), nil)
}

// TestInjections: whatever goes wrong with ioctls of a program, it ends, or can be ended.
func TestInjections(t *testing.T) {
	effort.Long(t)
	if *everywhere {
		t.Setenv("GCNSIM_TESTS", "full") // programs are compiled
	}
	openCL := func(name string) func(*testing.T) []string {
		return func(t *testing.T) []string { return openCLProgram(t, name) }
	}
	onVulkan := func(args ...string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			if len(guest.VulkanDrivers()) == 0 {
				t.Skip("Mesa's driver for Vulkan is not installed: apt-get install mesa-vulkan-drivers")
			}
			return args
		}
	}
	ffmpeg := func(filter string) func(*testing.T) []string {
		return onVulkan("ffmpeg", "-nostdin", "-loglevel", "error", "-init_hw_device", "vulkan=vk:0",
			"-filter_hw_device", "vk", "-f", "lavfi", "-i", "testsrc=s=64x48:r=1:d=1", "-vf", "format=yuv420p,hwupload,"+filter+
				",hwdownload,format=yuv420p", "-f", "null", "-")
	}
	for i, program := range []struct {
		name string
		args func(*testing.T) []string
	}{
		{"sum.py", openCL("sum.py")},
		{"rocminfo", func(*testing.T) []string { return []string{"rocminfo"} }},
		{"lds", func(t *testing.T) []string { return vulkan(t, "lds") }},
		{"clinfo", func(t *testing.T) []string { guesttest.OpenCL(t, guest.OpenCLDriver()); return []string{"clinfo"} }},
		{"vulkaninfo", onVulkan("vulkaninfo", "--summary")},
		{"race.py", openCL("race.py")},
		{"names", func(t *testing.T) []string { return []string{hip(t, "names")} }},
		{"atomics", func(t *testing.T) []string { return vulkan(t, "atomics") }},
		{"blur", ffmpeg("gblur_vulkan")},
		{"draws", ffmpeg("libplacebo=w=100:h=60")},
	} {
		if !effort.Full() && i >= 2 {
			continue
		}
		t.Run(program.name, func(t *testing.T) {
			args := program.args(t)
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skipf("%s is not installed", args[0])
			}
			begun := time.Now()
			clean, stopped := inject(t, args, 0, 0, time.Minute)
			require.False(t, stopped)
			takes := time.Since(begun)
			n, reached, waited, lost := len(clean.calls), 0, 0, 0
			places := placesOf(clean.calls, i)
			switch {
			case *everywhere:
				places = places[:0]
				for at := range 3 * n {
					places = append(places, at/3+1)
				}
			case !effort.Full():
				require.Greater(t, len(places), 4, "%v makes fewer kinds of ioctls than a program that uses the card", args)
				places = places[len(places)/2:][:3]
			}
			for ran, at := range places {
				errno := []syscall.Errno{0, syscall.ENOMEM, syscall.EINVAL}[ran%3]
				i, stopped := inject(t, args, at, errno, takes)
				lost += i.lost
				if len(i.calls) >= at {
					reached++
				}
				if stopped {
					waited++
					assert.NotZero(t, errno, "after a lost context at ioctl %d", at)
				}
			}
			assert.Greater(t, 2*reached, len(places), "runs that came to the ioctl") // programs call as often as they look
			t.Logf("%d ioctls, %d runs, of which %d came to their ioctl and %d were stopped; %d contexts were lost", n,
				len(places), reached, waited, lost)
		})
	}
}

// placesOf returns where to inject: at the first ioctl of every other kind, or at the last one. Four turns have the
// first and the last one of all kinds.
func placesOf(requests []uint32, turn int) (places []int) {
	at, kinds := map[uint32][2]int{}, []uint32{}
	for i, request := range requests {
		if _, ok := at[request]; !ok {
			at[request] = [2]int{i + 1}
			kinds = append(kinds, request)
		}
		at[request] = [2]int{at[request][0], i + 1}
	}
	for i := turn % 2; i < len(kinds); i += 2 {
		places = append(places, at[kinds[i]][turn/2%2])
	}
	return places
}
