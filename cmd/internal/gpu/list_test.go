package gpu

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/spec"
)

func TestList(t *testing.T) {
	o := Options{Chip: "fiji", List: true, Check: []string{"race"}, Timing: spec.Timed}
	_, told := openCL(t, o, "race.py")
	assert.Regexp(t, `(?m)^file +dispatch +grid +work-group +instructions +cycles +findings +name$`, told)
	assert.Regexp(t, `(?m)^\d+ +1 +1024,1,1 +256,1,1 +\d\d+ +\d\d+ +1 +turn$`, told)
	o = Options{Chip: "fiji", List: true, Trace: filepath.Join(t.TempDir(), "t.json")}
	_, told = openCL(t, o, "race.py") // the list has cycles, and says which assumptions they rest on
	assert.Regexp(t, `(?m)^file \d+: \d+ cycles on fiji, .*\(approximate; latencies are assumed; .*board.*\)$`, told)
	_, told = openCL(t, Options{Chip: "vega10", List: true}, "fault.py")
	assert.Regexp(t, `(?m)^\d+ +1 .* far \(it did not end\)$`, told)
}

// TestListOfDraws: the list includes RADV's draws that copy and clear images on the queue family with graphics.
func TestListOfDraws(t *testing.T) {
	if !effort.Full() {
		t.Skip("it takes some seconds: GCNSIM_TESTS=full runs it")
	}
	program := vulkan(t, "clears", "depths")
	t.Setenv("DRAWS", "1")
	out, told := outcome(t, Options{Chip: "vega10", List: true, Check: []string{"race"}}, program...)
	assert.Equal(t, Outcome{}, out)
	assert.Regexp(t, `(?m)^1 +draw 1 +40,28,1 +- +\d+ +- +\w+$`, told)
	for _, name := range []string{"clear", "clear of depth", "copy", "copy of depth"} {
		assert.Regexp(t, `(?m)^1 +draw \d+ .* - +`+name+`$`, told)
	}
	assert.Regexp(t, `leave draws out \(\d\d+\)`, told)
}

// TestLabelsOfVulkan: RADV writes debug labels into its command buffers if a variable asks for it. Kernels then have
// the labels as names.
func TestLabelsOfVulkan(t *testing.T) {
	program := vulkan(t, "lds", "scratch")
	t.Setenv("RADV_THREAD_TRACE", "1000000")
	_, told := outcome(t, Options{Chip: "vega10", List: true}, program...)
	assert.Regexp(t, `(?m)^1 +1 .* lds\n1 +2 .* scratch$`, told)
	_, told = outcome(t, Options{Chip: "fiji", Only: "scratch", Check: []string{"race"}}, program...)
	assert.Contains(t, told, "no findings in 1 kernel")
}

// TestShadersOfVulkan: RADV prints each shader with the names in its SPIR-V and its code, as docs/DEVICE.md says. The
// same code is saved for its dispatch.
func TestShadersOfVulkan(t *testing.T) {
	program := vulkan(t, "lds")
	shown := filepath.Join(t.TempDir(), "shaders")
	program[2] = `exec "$@" >/dev/null 2>` + shown
	t.Setenv("RADV_DEBUG", "shaders")
	o := Options{Chip: "fiji", Save: t.TempDir()}
	outcome(t, o, program...)
	text, err := os.ReadFile(shown)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^decl_var shared .* tile$`, string(text))
	var words []string
	for _, m := range regexp.MustCompile(`(?m);((?: [0-9a-f]{8})+) *$`).FindAllStringSubmatch(string(text), -1) {
		words = append(words, strings.Fields(m[1])...)
	}
	object, err := elf.Open(filepath.Join(o.Save, "kernel1.co"))
	require.NoError(t, err)
	defer object.Close()
	code, err := object.Section(".text").Data()
	require.NoError(t, err)
	var first []string
	for at := 0; at < 64; at += 4 {
		first = append(first, fmt.Sprintf("%08x", binary.LittleEndian.Uint32(code[at:])))
	}
	assert.Contains(t, strings.Join(words, " "), strings.Join(first, " "))
}

// TestFromANameToAStep: with the three commands in docs/DEVICE.md a user gets from a dispatch in the list to the
// steps of a wave.
func TestFromANameToAStep(t *testing.T) {
	page, err := os.ReadFile("../../../docs/DEVICE.md")
	require.NoError(t, err)
	for _, command := range []string{
		"gcnsim gpu --chip=fiji --list -- ./program", "gcnsim gpu --chip=fiji --only=twice --save=d -- ./program",
		"gcnsim run --report=k.html --window=2 d/twice.json",
	} {
		assert.Contains(t, string(page), "    "+command)
	}
	_, told := openCL(t, Options{Chip: "fiji", List: true}, "sum.py")
	name := regexp.MustCompile(`(?m)^\d+ +1 +10000,1,1 .* (\w+)$`).FindStringSubmatch(told)
	require.NotNil(t, name, told)
	dir := t.TempDir()
	o := Options{Chip: "fiji", Only: name[1] + ":1", Save: filepath.Join(dir, "d"), Trace: filepath.Join(dir, "t.json.gz")}
	openCL(t, o, "sum.py")
	packed, err := os.ReadFile(o.Trace)
	require.NoError(t, err)
	assert.Less(t, len(packed), 5<<20)
	trace, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	events, err := io.ReadAll(trace)
	require.NoError(t, err)
	for _, event := range []string{
		`"name":"1: ` + name[1] + `","cat":"dispatch","ph":"X","ts":0,"dur":[1-9]\d*,"pid":0,"tid":0`,
		`"args":{"name":"compute ring \d of context \d"}`,
	} {
		assert.True(t, regexp.MustCompile(event).Match(events), event)
	}
	saved := filepath.Join(o.Save, name[1]+".json")
	text, err := os.ReadFile(saved)
	require.NoError(t, err)
	r := report.Options{Report: filepath.Join(dir, "k.html"), Uses: &files.Uses{}}
	require.NoError(t, report.Window{Options: &r.Record}.Set("2"))
	var out bytes.Buffer
	_, err = report.Run(t.Context(), saved, text, &r, &out)
	require.NoError(t, err, out.String())
	stepped, err := os.ReadFile(r.Report)
	require.NoError(t, err)
	assert.Contains(t, string(stepped), "step")
}

func TestNumbered(t *testing.T) {
	for name, want := range map[string]string{"t.json": "t-3.json", "a.b/t.json.gz": "a.b/t-3.json.gz", "t.gz": "t-3.gz"} {
		assert.Equal(t, want, numbered(name, 3))
	}
}

func TestOnly(t *testing.T) {
	needsLinux(t)
	o := Options{Chip: "fiji", Only: "kernel2", Stats: true}
	_, err := Run(t.Context(), &o, []string{"true"}, &strings.Builder{})
	require.ErrorContains(t, err, "--only: nothing was dispatched")
	o.Stats = false
	_, err = Run(t.Context(), &o, []string{"true"}, &strings.Builder{})
	require.ErrorContains(t, err, "--only has no effect without --check, --report, --save, --stats or --trace")
	for _, bad := range []string{"k:0", "k:x", "k:-1"} {
		_, err := parseOnly("--only", bad)
		require.ErrorContains(t, err, "is no number of a run", bad)
	}
	k, other := &device.Kernel{Name: "_ZN1n4fillEPf"}, &device.Kernel{Number: 3}
	for name, want := range map[string][3]bool{
		"n::fill": {true, true, false}, "n::fill:2": {false, true, false}, "_ZN1n4fillEPf:1": {true, false, false},
		"n::fill(float*)": {true, true, false}, "kernel3": {false, false, true}, "n::f": {},
	} {
		s, err := parseOnly("--only", name)
		require.NoError(t, err)
		assert.Equal(t, want, [3]bool{s.takes(k), s.takes(k), s.takes(other)}, name)
		if want == [3]bool{} {
			require.EqualError(t, s.missed(), "--only: there is no dispatch of n::f; the names are n::fill, kernel3")
		} else {
			require.NoError(t, s.missed())
		}
	}
	s, err := parseOnly("--only", "kernel3:2")
	require.NoError(t, err)
	s.takes(other)
	require.EqualError(t, s.missed(), "--only: kernel3 ran 1 time, there is no run 2")
	for _, name := range []string{"clear", "draw 3", "clear:2"} {
		s, err := parseOnly("--only", name)
		require.NoError(t, err)
		s.drawn(&device.Dispatch{Number: 3, Kernel: &device.Kernel{Name: "clear"}})
		require.ErrorContains(t, s.missed(), "is a draw; --list shows draws", name)
		s.drawn(&device.Dispatch{Number: 4, Kernel: &device.Kernel{Name: "copy"}})
		s.name = "copy" // a dispatch
		s.takes(&device.Kernel{Name: "copy"})
		s.takes(&device.Kernel{Name: "copy"})
		require.NoError(t, s.missed(), name)
	}
}

// TestPlacedAnew: OpenCL's driver copies a kernel's code for each kernel object. The copies count as one kernel.
func TestPlacedAnew(t *testing.T) {
	o := Options{Chip: "fiji", List: true, Stats: true, Check: []string{"race"}}
	_, told := openCL(t, o, "race.py", "3")
	assert.Regexp(t, `(?m)^\d+ +1 +1024,1,1 .* 1 +turn$`, told)
	assert.Regexp(t, `(?m)^\d+ +3 +1024,1,1 .* 0 +turn$`, told, "a finding is new once")
	assert.Regexp(t, `(?m)^\d+ +1 +3 +1056 +.* turn$`, told)
	assert.Regexp(t, `(?m)^0x0058  48 +3072 +`, told, "executions")
	assert.Contains(t, told, "findings: 1 error\n")
	assert.Contains(t, told, "\n  3072 times; the first is shown\n")
	assert.NotContains(t, told, "kernel 2")
}
