package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/internal/device/guest"
)

// Filter is an ffmpeg filter graph that produces one frame on a device.
type Filter struct {
	Name   string
	device string // value of -init_hw_device and -filter_hw_device
	format string // pixel format
	graph  string
	refuse bool // the driver lacks a feature: ffmpeg reports that and exits
}

// Filters returns filters of ffmpeg 5.1 on Vulkan, and some on OpenCL. Clover has no images on these chips.
func Filters() (all []Filter) {
	const up, down = "format=%[1]s,hwupload", "hwdownload,format=%[1]s"
	add := func(name, format, graph string) {
		all = append(all, Filter{name + "." + format, "vulkan=vk:0", format, fmt.Sprintf(graph, format), false})
	}
	for _, format := range []string{"bgra", "yuv420p"} {
		for _, f := range []string{"hflip_vulkan", "vflip_vulkan", "flip_vulkan", "transpose_vulkan", "chromaber_vulkan",
			"avgblur_vulkan", "gblur_vulkan", "scale_vulkan=64:36", "libplacebo=w=100:h=60"} {
			name, _, _ := strings.Cut(f, "=")
			add(name, format, up+","+f+","+down)
		}
		add("overlay_vulkan", format, "split[a][b];[a]"+up+"[x];[b]scale=32:32,"+up+"[y];[x][y]overlay_vulkan=4:4,"+down)
		add("blend_vulkan", format, "split[a][b];[a]"+up+"[x];[b]"+up+"[y];[x][y]blend_vulkan=all_mode=multiply,"+down)
	}
	for _, f := range []string{"avgblur", "boxblur", "convolution", "dilation", "erosion", "prewitt", "sobel", "transpose",
		"unsharp"} {
		const format = "yuv420p"
		graph := fmt.Sprintf(up+","+f+"_opencl,"+down, format)
		all = append(all, Filter{f + "_opencl", "opencl=cl:0.0", format, graph, true})
	}
	return all
}

// args returns the command line that writes the frame to a file.
func (f *Filter) args(file string) []string {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f.device, "vulkan="), "opencl="), ":")
	return []string{"/usr/bin/ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-f", "lavfi", "-i",
		"testsrc2=s=128x72:d=0.04:r=25", "-init_hw_device", f.device, "-filter_hw_device", name, "-vf", f.graph,
		"-frames:v", "1", "-f", "rawvideo", "-y", file}
}

// filterTime limits the time of a filter, on a machine with other load.
const filterTime = time.Minute

// nearBytes is the accepted difference of a byte from the frame of Mesa's driver for the CPU. Both round, and the
// hardware's texture filter has weights of eight bits.
const nearBytes = 2

// CheckFilters runs filters on a chip and compares their frames with those of Mesa's Vulkan driver for the CPU. It
// writes its files to dir.
func CheckFilters(ctx context.Context, dir, chip string, filters []Filter) (*Tally, error) {
	t := &Tally{}
	for i := range filters {
		f := &filters[i]
		file := filepath.Join(dir, chip+"."+f.Name)
		limited, cancel := context.WithTimeout(ctx, filterTime)
		out, told, err := Run(limited, chip, f.args(file)...)
		late := limited.Err() != nil
		cancel()
		if e := (*guest.UnsupportedError)(nil); errors.As(err, &e) || ctx.Err() != nil {
			return t, err
		}
		switch {
		case late:
			t.Fail("%s: not done after %v", f.Name, filterTime)
		case f.refuse && err != nil:
			t.Skip("%s: refused: %s", f.Name, firstLine(out))
		case err != nil:
			t.Fail("%s: %v: %s", f.Name, err, lastLine(out+told))
		default:
			t.frame(ctx, f, file)
		}
	}
	return t, nil
}

// frame compares the frame in a file with the reference, which it creates if it is missing.
func (t *Tally) frame(ctx context.Context, f *Filter, file string) {
	reference := filepath.Join(filepath.Dir(file), "reference."+f.Name)
	drivers, _ := filepath.Glob(Reference) // the pattern is valid
	if _, err := os.Stat(reference); err != nil && len(drivers) > 0 {
		args := f.args(reference)
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "VK_ICD_FILENAMES="+drivers[0], "VK_DRIVER_FILES="+drivers[0])
		_ = cmd.Run() // if it fails, the file is missing
	}
	want, err := os.ReadFile(reference)
	if err != nil {
		t.Skip("%s: the reference: %v", f.Name, err)
		return
	}
	got, err := os.ReadFile(file)
	if err != nil || len(got) != len(want) || len(got) == 0 {
		t.Fail("%s: a frame of %d bytes, not %d", f.Name, len(got), len(want))
		return
	}
	off, most := 0, 0
	for i := range got {
		d := max(int(got[i])-int(want[i]), int(want[i])-int(got[i]))
		if most = max(most, d); d > nearBytes {
			off++
		}
	}
	if off > 0 {
		t.Fail("%s: %d of %d bytes are off, by %d at most", f.Name, off, len(got), most)
		return
	}
	t.Passed++
}

// firstLine returns the first line of text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// Named returns the filters with these names.
func Named(filters []Filter, names ...string) []Filter {
	return slices.DeleteFunc(filters, func(f Filter) bool { return !slices.Contains(names, f.Name) })
}
