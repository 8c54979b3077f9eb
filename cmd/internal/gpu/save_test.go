package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/cmd/internal/suite"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/device/guest"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// requireRepeats executes the specifications in a directory. Their results must be those of the program, and no
// work-item may read memory that was never written. It returns their names.
func requireRepeats(t *testing.T, dir string) []string {
	t.Helper()
	s := &suite.Suite{Dir: dir, Check: []string{"uninit"}, FailOn: check.Error, Workers: 2}
	names, _, err := s.Names()
	require.NoError(t, err)
	for _, name := range names {
		r, err := s.Run(t.Context(), name)
		require.NoError(t, err)
		assert.Equal(t, compare.Same, r.Verdict, "%s: %s", name, r.Why)
	}
	return names
}

func TestSaveOfOpenCL(t *testing.T) {
	for i, chip := range []string{"tahiti", "hawaii", "vega10"} {
		if effort.LeavesOut(i) {
			continue
		}
		o := Options{Chip: chip, Save: filepath.Join(t.TempDir(), "new")}
		out, told := openCL(t, o, "sum.py")
		assert.Equal(t, Outcome{}, out)
		assert.Contains(t, told, "1 specification saved in "+o.Save)
		assert.Equal(t, []string{"twice.json"}, requireRepeats(t, o.Save))
	}
}

// TestSaveOfAFault: a dispatch that faults is saved without expectations, and faults again.
func TestSaveOfAFault(t *testing.T) {
	o := Options{Chip: "vega10", Save: t.TempDir()}
	openCL(t, o, "fault.py")
	r, err := (&suite.Suite{Dir: o.Save}).Run(t.Context(), "far.json")
	require.NoError(t, err)
	assert.Contains(t, r.Why, "no mapped range holds the 4 bytes there")
}

// vulkan builds the Vulkan program with the tests' shaders, once, and returns the command line for some of them.
func vulkan(t *testing.T, shaders ...string) []string {
	t.Helper()
	if !effort.Full() {
		t.Skip("its build takes some seconds: GCNSIM_TESTS=full runs it")
	}
	guesttest.Shaders(t, guest.VulkanDrivers())
	const build = "../../../testdata/programs/vulkan/build.sh"
	dir := compiled[build]
	if dir == "" {
		dir = filepath.Join(scratch, "vulkan")
		cmd := exec.Command("sh", build, dir)
		cmd.Env = append(os.Environ(), "ONLY=lds scratch atomics")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		compiled[build] = dir
	}
	return append([]string{"sh", "-c", `exec "$@" >/dev/null 2>&1`, "sh", filepath.Join(dir, "suite"), dir}, shaders...)
}

func TestSaveOfVulkan(t *testing.T) {
	program := vulkan(t, "lds", "scratch")
	for _, chip := range []string{"tahiti", "vega20"} {
		o := Options{Chip: chip, Save: t.TempDir()}
		out, _ := outcome(t, o, program...)
		assert.Equal(t, Outcome{}, out)
		assert.GreaterOrEqual(t, len(requireRepeats(t, o.Save)), 2)
	}
}

// TestSavesOfTwoCompilers: the shaders that a driver's two compilers make of a program are equivalent.
func TestSavesOfTwoCompilers(t *testing.T) {
	program := vulkan(t, "lds", "scratch")
	var dirs [2]string
	for i, debug := range []string{"", "llvm"} {
		t.Setenv("RADV_DEBUG", debug)
		dirs[i] = t.TempDir()
		_, told := outcome(t, Options{Chip: "vega10", Save: dirs[i]}, program...)
		assert.Contains(t, told, "2 specifications saved")
	}
	for _, name := range []string{"kernel1.json", "kernel2.json"} {
		r, err := request.DiffFiles(os.ReadFile, "", filepath.Join(dirs[0], name), filepath.Join(dirs[1], name))
		require.NoError(t, err)
		res, err := r.Run(t.Context())
		require.NoError(t, err)
		v, why := res.Verdict()
		assert.Equal(t, compare.Same, v, why)
	}
}

// TestObject: saved code is a code object with the kernel at its original address.
func TestObject(t *testing.T) {
	c := machineCode{
		target: gcn.GFX803, name: "k", rsrc: gcn.RSRC{3, 4 << 1}, entry: 0x600100, addr: 0x6000f0, kernel: 0x5ff000,
		text: make([]byte, 0x20),
	}
	o, err := codeobj.Parse(c.object())
	require.NoError(t, err)
	k, err := o.Kernel("k")
	require.NoError(t, err)
	assert.Equal(t, gcn.GFX803, o.Target)
	assert.Equal(t, uint64(0x1100), k.Entry)
	assert.Equal(t, c.rsrc, k.RSRC)
	assert.Equal(t, 4, k.UserSGPRs)
}

// TestItems: the number of work-items follows from the registers.
func TestItems(t *testing.T) {
	for want, c := range map[uint64]sim.Compute{
		128: {Initiator: 1, End: [3]uint32{2}, NumThread: [3]uint32{64}},
		100: {Initiator: 1 | sim.PartialGroups, End: [3]uint32{2}, NumThread: [3]uint32{64 | 36<<16}},
		192: {Initiator: 1, End: [3]uint32{3}, NumThread: [3]uint32{64 | 36<<16}},
		77:  {Initiator: 1 | sim.CountsThreads, End: [3]uint32{77}, NumThread: [3]uint32{64}},
	} {
		assert.Equal(t, want, itemsOf(&c, 0))
	}
}

// TestSaveWritesAllOrNothing: if one file of a dispatch cannot be written, the others are removed.
func TestSaveWritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "kernel7.json"), 0o777))
	s := saver{names: map[string]int{}}
	d := spec.Dispatch{Object: []byte("x"), Registers: &sim.Registers{}}
	d.Args = []spec.Arg{{Buffer: &spec.Buffer{Size: 4, Data: []byte{1}, Addr: new(uint64(4096))}}}
	p, err := s.pack(&d, &machineCode{of: &device.Kernel{Number: 7}})
	require.NoError(t, err)
	err = p.write(dir)
	require.ErrorContains(t, err, "kernel7.json")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"_ZN4some4fillIfLi7EEEvPT_": "some__fill_float__7_", "_Z4vaddPKfi": "vadd", "": "kernel3", ".x/y": "_.x_y",
	} {
		assert.Equal(t, want, fileName(nameOf(&device.Kernel{Name: name, Number: 3})))
	}
}
