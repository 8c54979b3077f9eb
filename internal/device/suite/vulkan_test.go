package suite

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Vulkan is this project's Vulkan program, built in a directory.
type Vulkan struct{ Dir string }

// vulkanSource is the directory of its source, relative to this package.
const vulkanSource = "../../../testdata/programs/vulkan"

// Reference is the manifest of Mesa's Vulkan driver for the CPU, whose results are the expected ones.
const Reference = "/usr/share/vulkan/icd.d/lvp_icd.*.json"

// BuildVulkan builds the program in dir. If only has names, it builds just these shaders.
func BuildVulkan(ctx context.Context, dir string, only ...string) (*Vulkan, error) {
	cmd := exec.CommandContext(ctx, "sh", filepath.Join(vulkanSource, "build.sh"), dir)
	cmd.Env = append(os.Environ(), "ONLY="+strings.Join(only, " "))
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return &Vulkan{dir}, nil
}

// args returns the command line for the tests whose names begin with one of names.
func (v *Vulkan) args(names []string) []string {
	return append([]string{filepath.Join(v.Dir, "suite"), v.Dir}, names...)
}

// Expect returns the words of the reference.
func (v *Vulkan) Expect(ctx context.Context, names ...string) (Words, error) {
	drivers, _ := filepath.Glob(Reference) // the pattern is valid
	if len(drivers) == 0 {
		return nil, fmt.Errorf("there is no %s", Reference)
	}
	args := v.args(names)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "VK_ICD_FILENAMES="+drivers[0], "VK_DRIVER_FILES="+drivers[0])
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return ParseWords(string(out))
}

// Check runs tests on a chip and compares their words with the expected ones. With draws they use a queue family with
// graphics, otherwise one without.
func (v *Vulkan) Check(ctx context.Context, chip string, draws bool, want Words, names ...string) (*Tally, error) {
	args := v.args(names)
	if draws {
		args = append([]string{"/usr/bin/env", "DRAWS=1"}, args...)
	}
	out, told, err := Run(ctx, chip, args...)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s%s", err, out[max(0, len(out)-1000):], told)
	}
	got, err := ParseWords(out)
	if err != nil {
		return nil, err
	}
	return want.Compare(got), nil
}

// Words are the results of tests, by test name.
type Words map[string]Line

// Line is one output line of the program, the result of a test.
type Line struct {
	Skipped string  // why the test did not run
	Off     float64 // tolerance of floats, relative for values above 1; 0: words must be equal
	Words   []uint32
}

// ParseWords reads what the program prints.
func ParseWords(text string) (Words, error) {
	all := Words{}
	s := bufio.NewScanner(strings.NewReader(text))
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		fields := strings.Fields(s.Text())
		if len(fields) < 3 || fields[1] != "word" && fields[1] != "float" && fields[1] != "skipped:" {
			continue // a message of the driver
		}
		if fields[1] == "skipped:" {
			all[fields[0]] = Line{Skipped: strings.Join(fields[2:], " ")}
			continue
		}
		line := Line{Words: make([]uint32, 0, len(fields)-3)}
		var err error
		if line.Off, err = strconv.ParseFloat(fields[2], 64); err != nil {
			return nil, fmt.Errorf("%s: %w", fields[0], err)
		}
		for _, f := range fields[3:] {
			w, err := strconv.ParseUint(f, 16, 32)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", fields[0], err)
			}
			line.Words = append(line.Words, uint32(w))
		}
		all[fields[0]] = line
	}
	return all, s.Err()
}

// Compare counts the tests in got whose words equal those in w.
func (w Words) Compare(got Words) *Tally {
	t := &Tally{}
	var names []string
	for name := range w {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		want, have := w[name], got[name]
		switch i := want.differs(have); {
		case want.Skipped != "":
			t.Skip("%s: the reference: %s", name, want.Skipped)
		case have.Skipped != "":
			t.Skip("%s: %s", name, have.Skipped)
		case len(have.Words) != len(want.Words):
			t.Fail("%s: %d words, not %d", name, len(have.Words), len(want.Words))
		case i >= 0 && want.Off > 0:
			t.Fail("%s: word %d is %g, not %g", name, i, math.Float32frombits(have.Words[i]),
				math.Float32frombits(want.Words[i]))
		case i >= 0:
			t.Fail("%s: word %d is 0x%x, not 0x%x", name, i, have.Words[i], want.Words[i])
		default:
			t.Passed++
		}
	}
	return t
}

// differs returns the index of the first wrong word of got, or -1.
func (l *Line) differs(got Line) int {
	for i, want := range l.Words {
		if i >= len(got.Words) {
			return i
		}
		have := got.Words[i]
		if have == want {
			continue
		}
		a, b := float64(math.Float32frombits(want)), float64(math.Float32frombits(have))
		both := math.IsNaN(a) && math.IsNaN(b)
		if l.Off == 0 || !both && !(math.Abs(a-b) <= l.Off*max(1, math.Abs(a))) {
			return i
		}
	}
	return -1
}
