package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/device"
	"github.com/gcnsim/gcnsim/device/guest"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
)

// Ioctls of the render node that an injection looks at, with the numbers of amdgpu_drm.h.
const (
	ioctlContext = 0x42
	ioctlSubmit  = 0x44
)

// injection is a card of which one ioctl goes wrong: it is refused, or all contexts are lost before it.
type injection struct {
	guest.Device
	at      int // which ioctl, from 1 on; 0 is none
	refused syscall.Errno

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

// How long a program may go on after an injection before it is interrupted: patience beyond five times what it takes
// without. After a refusal it may wait for ever by itself, so that there is less to learn.
const (
	patience     = 10 * time.Second
	leastPatient = time.Second / 2
)

// everywhere makes TestInjections long: it takes an hour.
var everywhere = flag.Bool("injections", false, "TestInjections: every error at every ioctl")

// inject runs a program with an injection; takes is how long the program runs without one. It returns what the
// injection has seen, and whether the program had to be stopped. Stopping it may take a second.
func inject(t *testing.T, program []string, at int, refused syscall.Errno, takes time.Duration) (i *injection,
	stopped bool) {
	d, err := device.New(device.Options{Chip: "vega10"})
	require.NoError(t, err)
	i = &injection{Device: guest.Card(d), at: at, refused: refused}
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Env = guest.Environ(os.Environ())
	g, err := guest.Start(cmd, i, &guest.Options{})
	guesttest.Started(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked time.Time
	stopping := make(chan struct{})
	most := patience + 5*takes
	if refused != 0 {
		most = leastPatient
	}
	timer := time.AfterFunc(most, func() { asked = time.Now(); close(stopping); cancel() })
	err = g.Wait(ctx)
	if !timer.Stop() {
		<-stopping // it may have ended just then
		assert.Less(t, time.Since(asked), time.Second, "%v at ioctl %d", refused, at)
		stopped = true
	}
	require.False(t, errors.Is(err, guest.ErrBusy), "%v at ioctl %d", refused, at)
	return i, stopped
}

// TestInjections: whatever goes wrong with ioctls of a program, it ends, or can be ended within a second.
func TestInjections(t *testing.T) {
	effort.Long(t)
	always := func(args ...string) func(*testing.T) []string {
		return func(*testing.T) []string { return args }
	}
	ffmpeg := func(filter string) func(*testing.T) []string {
		return always("ffmpeg", "-nostdin", "-loglevel", "error", "-init_hw_device", "vulkan=vk:0", "-filter_hw_device", "vk",
			"-f", "lavfi", "-i", "testsrc=s=64x48:r=1:d=1", "-vf", "format=yuv420p,hwupload,"+filter+
				",hwdownload,format=yuv420p", "-f", "null", "-")
	}
	for i, program := range []struct {
		name string
		args func(*testing.T) []string
	}{
		{"sum.py", always(python, "testdata/sum.py")},
		{"rocminfo", always("rocminfo")},
		{"lds", func(t *testing.T) []string { return vulkan(t, "lds") }},
		{"clinfo", always("clinfo")},
		{"vulkaninfo", always("vulkaninfo", "--summary")},
		{"race.py", always(python, "testdata/race.py")},
		{"names", func(t *testing.T) []string { return []string{hip(t, "names")} }},
		{"atomics", func(t *testing.T) []string { return vulkan(t, "atomics") }},
		{"blur", ffmpeg("gblur_vulkan")},
		{"draws", ffmpeg("libplacebo=w=100:h=60")},
	} {
		if !effort.Full() && !*everywhere && i >= 2 {
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
			n, waited, lost := len(clean.calls), 0, 0
			places := placesOf(clean.calls, i%2)
			switch {
			case *everywhere:
				places = places[:0]
				for at := range 3 * n {
					places = append(places, at/3+1)
				}
			case !effort.Full():
				places = places[len(places)/2:][:3]
			}
			for ran, at := range places {
				errno := []syscall.Errno{0, syscall.ENOMEM, syscall.EINVAL}[ran%3]
				i, stopped := inject(t, args, at, errno, takes)
				lost += i.lost
				if stopped {
					waited++
					t.Logf("it waits for ever by itself after errno %d at ioctl %d of %d", errno, at, n)
					assert.NotZero(t, errno, "after a lost context at ioctl %d", at)
				}
			}
			t.Logf("%d ioctls, %d runs, of which %d were stopped; %d contexts were lost", n, len(places), waited, lost)
		})
	}
}

// placesOf returns where to inject: at the first ioctl of every other kind, and at the last one of the others. With
// turn 1 it is the other way round.
func placesOf(requests []uint32, turn int) (places []int) {
	at, kinds := map[uint32][2]int{}, []uint32{}
	for i, request := range requests {
		if _, ok := at[request]; !ok {
			at[request] = [2]int{i + 1}
			kinds = append(kinds, request)
		}
		at[request] = [2]int{at[request][0], i + 1}
	}
	for i, kind := range kinds {
		places = append(places, at[kind][(i+turn)%2])
	}
	return places
}
