package gpu

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/device/guest"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// run executes a program and returns Run's messages. It skips the test if this host cannot execute programs with a
// card.
func run(t *testing.T, o Options, args ...string) (status int, told string) {
	t.Helper()
	effort.Long(t)
	var stderr strings.Builder
	out, err := Run(t.Context(), &o, args, &stderr)
	guesttest.Started(t, err)
	return out.Status, stderr.String()
}

// outcome is like run for an installed program, and returns the whole Outcome.
func outcome(t *testing.T, o Options, args ...string) (out Outcome, told string) {
	t.Helper()
	effort.Long(t)
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skipf("%s is not installed", args[0])
	}
	var stderr strings.Builder
	out, err := Run(t.Context(), &o, args, &stderr)
	guesttest.Started(t, err)
	return out, stderr.String()
}

const python = "/usr/bin/python3" // the one for which distributions install modules

var pyopencl = sync.OnceValue(func() error { return exec.Command(python, "-c", "import pyopencl").Run() })

// openCLProgram returns the command for a Python program in testdata that uses OpenCL. It skips the test if a part is
// not installed.
func openCLProgram(t *testing.T, name string, args ...string) []string {
	t.Helper()
	guesttest.OpenCL(t, guest.OpenCLDriver())
	if err := pyopencl(); err != nil {
		t.Skipf("%s has no pyopencl (%v): apt-get install python3-pyopencl", python, err)
	}
	return append([]string{python, filepath.Join("testdata", name)}, args...)
}

// openCL executes a Python program that uses OpenCL.
func openCL(t *testing.T, o Options, name string, args ...string) (out Outcome, told string) {
	t.Helper()
	return outcome(t, o, openCLProgram(t, name, args...)...)
}

func TestSum(t *testing.T) {
	chips := []string{"tahiti", "hawaii", "fiji", "vega10"}
	if !effort.Full() {
		chips = chips[1:2]
	}
	dir := t.TempDir()
	for _, name := range chips {
		o := Options{
			Chip: name, Timing: spec.Timed, Stats: true, Check: []string{"all"},
			Trace: filepath.Join(dir, "trace.json"), Report: filepath.Join(dir, "report.html"), Log: filepath.Join(dir, "log"),
		}
		out, told := openCL(t, o, "sum.py")
		assert.Equal(t, Outcome{}, out)
		assert.Regexp(t, `(?m)^\d+ +1 +1 +\d+ +\d+ +buffer object \d+ \+ 0x`, told, "the kernel's counts")
		assert.Contains(t, told, "no findings in 1 kernel")
		assert.Contains(t, told, "asked the card for no time")
		trace, err := os.ReadFile(o.Trace)
		require.NoError(t, err)
		assert.True(t, json.Valid(trace))
		report, err := os.ReadFile(o.Report)
		require.NoError(t, err)
		assert.Contains(t, string(report), "kernel 1")
	}
}

// TestStamps: for a program that reads the card's clock, there is no message that it reads no clock.
func TestStamps(t *testing.T) {
	out, told := openCL(t, Options{Chip: "fiji", Timing: spec.Sampled}, "sum.py", "measure")
	assert.Equal(t, Outcome{}, out, told)
	assert.NotContains(t, told, "asked the card for no time")
	assert.Contains(t, told, "by any other clock that of this computer")
	assert.Contains(t, told, "sampled, but all of")
}

// TestClocksWithoutTiming: a count of instructions is not reported as time.
func TestClocksWithoutTiming(t *testing.T) {
	for _, c := range []struct {
		o      Options
		stamps uint64
		want   string
	}{
		{Options{Chip: "fiji"}, 0, "^$"},
		{Options{Chip: "fiji"}, 1, "counts instructions.*neither is time of fiji; give --timing"},
		{Options{Chip: "fiji", Trace: "t.json"}, 0, "asked the card for no time"},
		{Options{Chip: "fiji", Trace: "t.json"}, 1, "events is the time of fiji"},
	} {
		var told strings.Builder
		w := &watcher{want: &c.o, tell: &told, stamps: c.stamps, kernels: []*kernel{{}}}
		w.tellClocks("bench")
		assert.Regexp(t, c.want, told.String())
	}
}

// TestChecksOfARunThatIsCut: if an execution was cut short, the output says which part was checked.
func TestChecksOfARunThatIsCut(t *testing.T) {
	var told strings.Builder
	k := &kernel{Kernel: &device.Kernel{}}
	w := &watcher{want: &Options{Chip: "fiji", Check: []string{"all"}}, tell: &told, kernels: []*kernel{k}}
	w.ended(&device.Dispatch{Kernel: k.Kernel}, k)
	require.NoError(t, w.judge(io.Discard, 0))
	w.ended(&device.Dispatch{Kernel: k.Kernel, Err: context.Canceled}, k)
	require.NoError(t, w.judge(io.Discard, 0))
	w.killed = "signal: terminated"
	require.NoError(t, w.judge(io.Discard, 1))
	const cut = "the run was cut: checks watched 2 dispatches, 1 of them to the end"
	assert.Equal(t, "no findings in 1 kernel\nno findings so far in 1 kernel; "+cut+"\n"+cut+
		"; the program did not end by itself (signal: terminated)\n", told.String())
	_, text := run(t, *w.want, "sh", "-c", "kill -KILL $$")
	assert.Contains(t, text, "no findings so far in 0 kernels; the run was cut: checks watched 0 dispatches")
	assert.Contains(t, text, "(signal: killed)")
}

func TestRace(t *testing.T) {
	out, told := openCL(t, Options{Chip: "fiji", Check: []string{"race"}}, "race.py")
	require.NotEmpty(t, out.Findings)
	assert.Equal(t, check.Error, out.Findings[0].Severity)
	assert.Contains(t, told, "error race: lds")
}

func TestFault(t *testing.T) {
	out, told := openCL(t, Options{Chip: "vega10"}, "fault.py")
	assert.Equal(t, 1, out.Faults)
	assert.Equal(t, 1, out.Status, "Clover ends the process")
	assert.Contains(t, told, "gcnsim gpu: vega10, file 2: compute ring")
	assert.Contains(t, told, "global_store_dword")
	assert.Contains(t, told, "beyond the end of buffer object")
}

// TestChips: Mesa's drivers recognise every chip that they know.
func TestChips(t *testing.T) {
	if len(guest.VulkanDrivers()) == 0 {
		t.Skip("there is no Mesa driver for Vulkan: apt-get install mesa-vulkan-drivers")
	}
	for i, c := range chip.All() {
		if effort.LeavesOut(i) {
			continue
		}
		out, told := outcome(t, Options{Chip: c.Name}, "sh", "-c",
			"exec vulkaninfo --summary >"+filepath.Join(t.TempDir(), "out")+" 2>&1")
		assert.Equal(t, Outcome{}, out, c.Name)
		assert.Empty(t, told, c.Name)
	}
}

// scriptVariable is the environment variable with the script that the test binary executes with a card instead of
// tests.
const scriptVariable = "GCNSIM_TEST_SCRIPT"

// runScript executes a shell script like the command, and returns the exit status.
func runScript(script string) (status int) {
	out, err := Run(context.Background(), &Options{Chip: "fiji"}, []string{"sh", "-c", script}, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return -1
	}
	return out.Status
}

// TestStatus ends programs and their children. Some of these do not end on their own. Each script sends signals to
// its parent process, as a user would; most then wait.
func TestStatus(t *testing.T) {
	effort.Long(t)
	status, _ := run(t, Options{Chip: "fiji"}, "true") // or skip
	require.Zero(t, status)
	const wait = "while :; do sleep 100; done"
	var all sync.WaitGroup
	scripts := map[string][]int{
		"exit 0":                          {0},
		"exit 7":                          {7},
		"kill -KILL $$":                   {137},
		"kill -TERM $PPID; exec sleep 10": {143},
		`trap "" TERM; kill -TERM $PPID; ` + wait:                                      {143},
		`trap "" HUP; kill -HUP $PPID; ` + wait:                                        {129},
		`trap "" TERM; p=$PPID; setsid sh -c "sleep .3; kill -TERM $p"& kill -STOP $$`: {143},
		`trap "" INT; while :; do kill -INT $PPID; sleep .3; done`:                     {130},
		`trap "" QUIT INT; kill -INT $PPID; while sleep .3; do kill -QUIT $PPID; done`: {131},
		`trap "exit 3" TERM; setsid sleep 100 & kill -TERM $PPID; wait`:                {3},
		`setsid sleep 100 & kill -INT $PPID; exec sleep 50`:                            {130},
		`p=$PPID; (while sleep 1; do kill -INT $p; done) & exit 4`:                     {4},
	}
	if effort.Full() { // it handles occasional interrupts; the first two may arrive as one
		scripts[`n=0; trap "n=\$((n+1))" INT; kill -INT $PPID; kill -INT $PPID; sleep 2.3; kill -INT $PPID; sleep .3; `+
			"exit $n"] = []int{2, 3}
	}
	for script, want := range scripts {
		all.Go(func() {
			started := time.Now()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), scriptVariable+"="+script)
			told, err := cmd.CombinedOutput()
			if assert.NotNil(t, cmd.ProcessState, "%s: %v", script, err) {
				assert.Contains(t, want, cmd.ProcessState.ExitCode(), "%s: %s", script, told)
			}
			assert.Contains(t, string(told), "gcnsim gpu: sh did not use the GPU", script)
			assert.Less(t, time.Since(started), time.Minute, script)
		})
	}
	all.Wait()
}

// TestInterruptWhenLost: one interrupt ends a program that waits for ever after its context was lost.
func TestInterruptWhenLost(t *testing.T) {
	out, told := outcome(t, Options{Chip: "fiji"}, python, "testdata/lost.py")
	assert.Equal(t, Outcome{Status: 130, Faults: 1}, out, told)
}

// needsLinux skips a test whose messages depend on a system where the command can execute programs.
func needsLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("gcnsim gpu takes Linux")
	}
}

func TestWrong(t *testing.T) {
	needsLinux(t)
	var unknown *device.ChipError
	_, err := Run(t.Context(), &Options{Chip: "voodoo"}, []string{"true"}, os.Stderr)
	require.ErrorAs(t, err, &unknown)
	_, err = Run(t.Context(), &Options{Chip: "fiji"}, []string{"/no/such/program"}, os.Stderr)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Run(t.Context(), &Options{Chip: "fiji", Log: "/no/such/file"}, []string{"true"}, os.Stderr)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Run(t.Context(), &Options{Chip: "fiji", Runtime: true}, []string{"true"}, os.Stderr)
	require.ErrorContains(t, err, "--runtime has no effect without --stats")
}

// TestIdentity shows every chip to a program.
func TestIdentity(t *testing.T) {
	out := filepath.Join(t.TempDir(), "uevent")
	status, _ := run(t, Options{Chip: "tahiti"}, "sh", "-c", "cat /sys/dev/char/226:128/device/uevent >"+out)
	assert.Zero(t, status)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:6798\nPCI_SUBSYS_ID=1002:6798\nPCI_SLOT_NAME=0000:04:00.0\n", string(got))
}

func TestAFaultAtTheLimitSaysWhatRaisesIt(t *testing.T) {
	var told strings.Builder
	w := &watcher{want: &Options{}, tell: &told}
	w.faulted(&device.Fault{Err: &state.Fault{Kind: state.FaultLimit, What: "look for an endless loop, or raise it"}})
	assert.Contains(t, told.String(), "or raise it with --max-instructions")
}

func TestATraceOfAnotherFileOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	o := Options{Trace: filepath.Join(dir, "t.json"), Uses: &files.Uses{}}
	require.NoError(t, o.Uses.Writes(o.Trace, "--trace"))
	require.NoError(t, o.Uses.Writes(filepath.Join(dir, "t-2.json"), "--report"))
	w := &watcher{want: &o, tell: io.Discard, opened: 2}
	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	require.NoError(t, err)
	for file := 1; file <= 2; file++ {
		w.watch(&device.Dispatch{File: file, Model: model})
		w.traces[file].Spans = 1
	}
	require.ErrorContains(t, w.writeTraces(), "t-2.json is also named by --report")
	assert.NoFileExists(t, filepath.Join(dir, "t-2.json"))
}
