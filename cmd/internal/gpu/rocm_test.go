package gpu

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// shell executes a shell command line with a card, both outputs into a file, and returns the file's content.
func shell(t *testing.T, o Options, line string) (status int, told string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "told")
	status, more := run(t, o, "/bin/sh", "-c", "exec >"+file+" 2>&1; "+line)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return status, string(text) + more
}

// known maps chips whose processor ROCm 5.2 does not know to the processor that it assumes, because libhsakmt uses
// the PCI id and ROCr has no gfx704.
var known = map[string]string{"bonaire": "unrecognized id", "raven2": "gfx902"}

// TestRocminfo: ROCm's runtime recognises the chips.
func TestRocminfo(t *testing.T) {
	if _, err := exec.LookPath("rocminfo"); err != nil {
		t.Skip("rocminfo is not installed: apt-get install rocminfo")
	}
	for i, c := range chip.All() {
		version := isa.TraitsOf(c.Target).Version
		if version[0] < 7 || effort.LeavesOut(i) && c.Name != "vega20" {
			continue
		}
		status, told := shell(t, Options{Chip: c.Name}, "rocminfo")
		assert.Zero(t, status, "%s: %s", c.Name, told)
		assert.Contains(t, told, cmp.Or(known[c.Name], "amdgcn-amd-amdhsa--"+c.Target.String()), c.Name)
	}
}

// compiled are the binaries of programs by source. They are in scratch, which TestMain removes.
var (
	compiled = map[string]string{}
	scratch  string
)

// TestMain makes the test binary a process of [TestStatus] if a variable asks for it.
func TestMain(m *testing.M) {
	if script := os.Getenv(scriptVariable); script != "" {
		os.Exit(runScript(script))
	}
	dir, err := os.MkdirTemp("", "gcnsim-test") // not the prefix of package guest, which would remove it
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	// Python modules, compilers and drivers store files there, or fail if they cannot.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// targetsOf are the processors for HIP programs that are not tested on all three, because hipcc takes a second or two
// for each.
var targetsOf = map[string][]string{
	"bad": {"gfx803", "gfx900"}, "names": {"gfx900", "gfx906"}, "prim": {"gfx900"}, "probe": {"gfx900", "gfx906"},
}

// hip compiles a program of testdata/programs/hip with libraries and returns the binary.
func hip(t *testing.T, name string, libraries ...string) string {
	return hipFile(t, "../../../testdata/programs/hip/"+name+".hip", libraries...)
}

// hipFile compiles a HIP program with libraries, once for all tests, and returns the binary.
func hipFile(t *testing.T, source string, libraries ...string) string {
	t.Helper()
	if _, err := exec.LookPath("hipcc"); err != nil {
		t.Skip("hipcc is not installed: apt-get install hipcc")
	}
	if !effort.Full() {
		t.Skip("hipcc takes some seconds: GCNSIM_TESTS=full runs its programs")
	}
	if out := compiled[source]; out != "" {
		return out
	}
	name := strings.TrimSuffix(filepath.Base(source), ".hip")
	out := filepath.Join(scratch, name+".out")
	cmd := exec.Command("hipcc", "-g", "-O2", "-w", "-o", out, source)
	targets := targetsOf[name]
	if targets == nil {
		targets = []string{"gfx803", "gfx900", "gfx906"}
	}
	for _, target := range targets {
		cmd.Args = append(cmd.Args, "--offload-arch="+target)
	}
	cmd.Args = append(cmd.Args, libraries...)
	told, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", told)
	compiled[source] = out
	return out
}

// TestHIP tests basic features of HIP: copies, LDS, scratch memory, streams that wait for one another, events,
// managed and registered memory, printf on the device, a thousand launches.
func TestHIP(t *testing.T) {
	program := hip(t, "features")
	for _, o := range []Options{{Chip: "vega10"}, {Chip: "vega20"}, {Chip: "fiji"},
		{Chip: "polaris10", Timing: spec.Timed},
		{Chip: "vega10", Check: []string{"all"}}} {
		line := program
		if o.Timing != spec.NotTimed || o.Check != nil {
			line += " one-by-one"
		}
		status, told := shell(t, o, line)
		assert.Zero(t, status, told)
		assert.NotContains(t, told, "BAD", o.Chip)
		assert.GreaterOrEqual(t, strings.Count("\n"+told, "\nok "), 9, told)
		assert.Contains(t, told, "hello from 2")
		if o.Check != nil {
			assert.Contains(t, told, "no findings in ")
		}
	}
}

// TestHIPMore tests more features of HIP: memory that processes share, cooperative launches, textures, hiprtc,
// graphs, symbols, advice, callbacks, and all kinds of copies.
func TestHIPMore(t *testing.T) {
	program := hip(t, "more")
	for _, name := range []string{"vega10", "polaris10"} {
		status, told := shell(t, Options{Chip: name}, "ROC_ENABLE_LARGE_BAR=0 "+program)
		assert.Zero(t, status, told)
		assert.NotContains(t, told, "BAD", name)
		assert.Equal(t, 10, strings.Count("\n"+told, "\nok "), told)
	}
	status, told := shell(t, Options{Chip: "vega20", Check: []string{"all"}}, program+
		" cooperative,textures,compiler,graphs,symbols,managed,callbacks,rectangles,copies")
	assert.Zero(t, status, told)
	assert.Equal(t, 9, strings.Count("\n"+told, "\nok "), told)
	assert.Contains(t, told, "no findings in ")
	assert.Contains(t, told, "leave cooperative launches out (1)")
}

// Instructions of GCN 1.4 that [plant] removes.
const (
	plantBarrier  = 0xbf8a0000 // s_barrier
	plantWaitLGKM = 0xbf8cc07f // s_waitcnt lgkmcnt(0)
	plantWaitVM   = 0xbf8c0f70 // s_waitcnt vmcnt(0)
)

// plant copies a file with code objects and replaces an instruction by s_nop everywhere.
func plant(t *testing.T, from, to string, dropped uint32) {
	t.Helper()
	file, err := os.ReadFile(from)
	require.NoError(t, err)
	le := binary.LittleEndian
	for at := 0; at+4 <= len(file); at += 4 {
		if le.Uint32(file[at:]) == dropped {
			le.PutUint32(file[at:], 0xbf800000)
		}
	}
	require.NoError(t, os.WriteFile(to, file, 0o700))
}

// TestPlanted: if barriers or waits are removed from a program's code objects, checks find that.
func TestPlanted(t *testing.T) {
	testPlanted(t, hip(t, "features"), plantBarrier, plantWaitLGKM)
}

// testPlanted removes instructions from a program, which has no findings otherwise.
func testPlanted(t *testing.T, program string, drop ...uint32) {
	t.Helper()
	for _, dropped := range drop {
		planted := filepath.Join(t.TempDir(), "planted")
		plant(t, program, planted, dropped)
		_, told := shell(t, Options{Chip: "vega10", Check: []string{"all"}, Limit: 1 << 20}, planted+" one-by-one")
		assert.Contains(t, told, plantedSays[dropped])
	}
}

// plantedSays is the expected finding for each removed instruction.
var plantedSays = map[uint32]string{
	plantBarrier: "error race: lds", plantWaitLGKM: "error wait-raw: s", plantWaitVM: "error wait-raw: v",
}

// TestROCPRIM: algorithms of rocPRIM, whose kernels are compiled into the program, are right and have no findings. If
// instructions are removed, checks find that.
func TestROCPRIM(t *testing.T) {
	if _, err := os.Stat("/usr/include/rocprim/rocprim.hpp"); err != nil {
		t.Skip("rocPRIM is not installed: apt-get install librocprim-dev")
	}
	program := hip(t, "prim", "-std=c++17")
	status, told := shell(t, Options{Chip: "vega10", Check: []string{"all"}}, program)
	assert.Zero(t, status, told)
	assert.Equal(t, 3, strings.Count("\n"+told, "\nok "), told)
	assert.Contains(t, told, "no findings in ")
	testPlanted(t, program, plantBarrier, plantWaitLGKM, plantWaitVM)
}

// TestPlantedInLibrary: waits and barriers that are removed from an installed library are found, too.
func TestPlantedInLibrary(t *testing.T) {
	library, dir := rocRAND(t), t.TempDir()
	program := hip(t, "rand", "-lrocrand")
	for dropped, want := range plantedSays {
		plant(t, library, filepath.Join(dir, "librocrand.so.1"), dropped)
		_, told := shell(t, Options{Chip: "vega10", Check: []string{"all"}, Limit: 1 << 20},
			"LD_LIBRARY_PATH="+dir+" "+program+" sobol32")
		assert.Contains(t, told, want)
		assert.Contains(t, told, "rocrand_host::detail::generate_kernel<")
	}
}

// rocRAND returns the path of an installed rocRAND.
func rocRAND(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/*/librocrand.so.1")
	require.NoError(t, err)
	if _, err := os.Stat("/usr/include/rocrand/rocrand.h"); err != nil || len(found) == 0 {
		t.Skip("rocRAND is not installed: apt-get install librocrand-dev")
	}
	return found[0]
}

// TestROCRAND: kernels of an installed library compute the right numbers, have names, and have no findings of
// severity error.
func TestROCRAND(t *testing.T) {
	rocRAND(t)
	program := hip(t, "rand", "-lrocrand")
	for _, c := range []struct {
		Options
		generators string // all if empty; most of the time is XORWOW's initialization
	}{
		{Options{Chip: "vega20"}, ""},
		{Options{Chip: "vega10", Check: []string{"all"}, Stats: true}, "philox sobol32"},
		{Options{Chip: "fiji", Timing: spec.Timed}, "philox sobol32"},
	} {
		status, told := shell(t, c.Options, program+" "+c.generators)
		assert.Zero(t, status, told)
		assert.NotContains(t, told, "BAD", c.Chip)
		assert.Equal(t, cmp.Or(len(strings.Fields(c.generators)), 4), strings.Count("\n"+told, "\nok "), told)
		if c.Check != nil {
			assert.Contains(t, told, "no findings in ")
			assert.Contains(t, told, "rocrand_host::detail::generate_kernel<")
		}
	}
}

// runtimeSays maps the first argument of the failing program to ROCr's message.
var runtimeSays = map[string]string{"fault": "Memory access fault by GPU node-1", "trap": "HSA_STATUS_ERROR_EXCEPTION"}

// TestHIPNames: kernels, and functions that they call, have the names and lines of their source. Kernels of the
// runtime are distinguished.
func TestHIPNames(t *testing.T) {
	program := hip(t, "names")
	dir := t.TempDir()
	o := Options{
		Chip: "vega20", Check: []string{"race"}, Stats: true, Trace: filepath.Join(dir, "t.json"),
		Report: filepath.Join(dir, "r.html"),
	}
	_, told := run(t, o, program)
	assert.Contains(t, told, "left out: 3 runs of the runtime's own kernels (copies and fills) with ")
	assert.Regexp(t,
		`(?m)^1 +3 +1 +\d+ +\d+ +buffer \d+ \+ 0x\w+ +void some::fill<float, 7>\(float\*\), names\.hip:5$`, told)
	assert.NotContains(t, told, "kernel 1")
	assert.Regexp(t, `file 1, kernel 4, racing\(int\*\), names\.hip:10 at buffer`, told)
	assert.Regexp(t, `here +0x\w{4} +ds_read_b32 .* racing\(int\*\)\+0x48, names\.hip:13\n`+
		` +after +0x\w{4} +flat_store_dword .* put\(int volatile\*, int\)\+0x24, names\.hip:8, wave 1`,
		told, "the function lies before the kernel")
	assert.NotContains(t, told, "0xffff")
	for file, want := range map[string]string{
		o.Trace: `"at":"put(int volatile*, int)+0x24, names.hip:8"`, o.Report: "racing(int*), names.hip:10",
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(text), want)
	}
	o = Options{Chip: "vega20", Stats: true, Runtime: true}
	_, told = run(t, o, program)
	assert.NotContains(t, told, "left out")
	assert.Contains(t, told, "a copy or a fill of the runtime\n")
	assert.Contains(t, told, "__amd_rocclr_fillBufferAligned\n")
}

// TestHIPEnds: the runtime receives a program's errors and ends the program.
func TestHIPEnds(t *testing.T) {
	program := hip(t, "bad")
	for arg, want := range map[string]string{
		"fault":  "instruction: store(int*)+0x14, bad.hip:6, in buffer ",
		"trap":   "instruction: trap()+0x0, bad.hip:7, in buffer ",
		"spin":   "the limit of 100000 instructions a wave is reached",
		"assert": "Device-side assertion `n == 1' failed",
	} {
		o := Options{Chip: "vega10"}
		if arg == "spin" {
			o.Limit = 100000
		}
		status, told := shell(t, o, "exec "+program+" "+arg)
		assert.Equal(t, 134, status, told)
		assert.Contains(t, told, want, arg)
		assert.Contains(t, told, runtimeSays[arg], arg)
	}
	// the program ends while its kernel executes
	status, told := shell(t, Options{Chip: "vega10"}, "exec "+program+" x")
	assert.Equal(t, 3, status, told)
	status, told = shell(t, Options{Chip: "fiji"}, "exec "+program+" malloc")
	assert.Zero(t, status, told)
}

// TestSaveOfHIP: saved dispatches have the names of their kernels and of the functions that these call.
func TestSaveOfHIP(t *testing.T) {
	program := hip(t, "names")
	o := Options{Chip: "vega20", Save: t.TempDir()}
	_, told := run(t, o, program)
	assert.Contains(t, told, "2 specifications saved in "+o.Save)
	assert.Equal(t, []string{"racing.json", "some__fill_float__7_.json"}, requireRepeats(t, o.Save))
	o.Save = t.TempDir()
	_, told = run(t, o, "sh", "-c", hip(t, "features")+" one-by-one >"+filepath.Join(t.TempDir(), "out"))
	assert.Regexp(t, `file 1, dispatch \d+, hello, is not saved: without the program it does not end`, told)
	names := requireRepeats(t, o.Save)
	assert.Subset(t, names, []string{"add.json", "spill.json", "count.2.json"})
	assert.NotContains(t, names, "hello.json")
}

// TestOnlyOneKernelOfHIP: all output is about the kernel that --only names.
func TestOnlyOneKernelOfHIP(t *testing.T) {
	program := hip(t, "names")
	_, told := run(t, Options{Chip: "vega20", Only: "racing", Check: []string{"race"}, Stats: true, List: true}, program)
	assert.Contains(t, told, "error race: lds")
	assert.NotContains(t, told, "file 1, kernel 3")
	assert.Regexp(t, `(?m)^1 +4 +64,1,1 +64,1,1 +6 +0 +some::fill<float, 7>$`, told)
	_, told = run(t, Options{Chip: "vega20", Only: "some::fill<float, 7>", Check: []string{"race"}}, program)
	assert.Contains(t, told, "no findings in 1 kernel")
}
