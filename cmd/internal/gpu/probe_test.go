package gpu

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// probed are the parameters that examples/probe measures, with values that differ from those of all chips.
var probed = map[string]int64{"ScalarLatency": 80, "LDSLatency": 100, "AtomicSame": 2, "LDSBacklog": 96,
	"VMEMBacklog": 80, "L1Queue": 96, "StoreEighths": 6, "L1Latency": 140, "L2Latency": 300, "DRAMLatency": 200,
	"GroupClocks": 5, "LaunchClocks": 2}

// unseen are the assumed parameters that examples/probe does not measure. Its README says why.
var unseen = []string{"GDSLatency", "StoreBacklog", "DRAMQueue", "L2Interleave"}

// TestProbeIsWhole: each assumed parameter is measured, or README says that it is not.
func TestProbeIsWhole(t *testing.T) {
	page, err := os.ReadFile("../../../examples/probe/README.md")
	require.NoError(t, err)
	for _, f := range (&timing.Params{}).Fields() {
		if _, ok := probed[f.Name]; ok || !f.Assumed {
			continue
		}
		assert.Contains(t, unseen, f.Name)
		assert.Contains(t, string(page), "`"+f.Name+"`")
	}
}

// TestProbe: examples/probe measures the parameters of its simulation within 5 %.
func TestProbe(t *testing.T) {
	program := hipFile(t, "../../../examples/probe/probe.hip")
	testProbe(t, program, len(probed), "vega-64", false)
	testProbe(t, program, len(probed), "radeon-vii", true)
}

// TestProbeCL: the OpenCL version does so too, except for LaunchClocks, because Mesa has no work-groups that show it.
func TestProbeCL(t *testing.T) {
	if !effort.Full() {
		t.Skip("it takes some seconds: GCNSIM_TESTS=full runs it")
	}
	program := filepath.Join(t.TempDir(), "probe")
	if told, err := exec.Command("c++", "-o", program, "../../../examples/probe/probe_cl.cpp",
		"-lOpenCL").CombinedOutput(); err != nil {
		t.Skipf("OpenCL is not installed: %s", told)
	}
	t.Chdir("../../../examples/probe")
	testProbe(t, program, len(probed)-1, "fiji", false)
	testProbe(t, program, len(probed)-1, "fiji", true)
}

// testProbe executes the program on a chip, with the chip's parameters or with changed ones. It must measure n of
// them.
func testProbe(t *testing.T, program string, n int, chip string, changed bool) {
	var p timing.Params
	o := Options{Chip: chip, Timing: spec.Timed, params: func(of *timing.Params) {
		for name, v := range probed {
			if changed {
				require.NoError(t, of.Set(name, v))
			}
		}
		p = *of
	}}
	file := filepath.Join(t.TempDir(), "figures.tsv")
	status, told := shell(t, o, program+" --board="+chip+" --figures="+file)
	require.Zero(t, status, told)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	all, err := boards.ParseFigures(string(text))
	require.NoError(t, err)
	require.Len(t, all, n)
	for i := range all {
		name := all[i].Parameter()
		require.Contains(t, probed, name)
		n := slices.IndexFunc(p.Fields(), func(f timing.Field) bool { return f.Name == name })
		want := float64(p.Fields()[n].Value.(int))
		assert.LessOrEqual(t, math.Abs(all[i].Measured/want-1), 0.05, "%s: %s is %v, and %v was measured", chip, name,
			want, all[i].Measured)
	}
}
