package guest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environ returns an environment with what makes Mesa's drivers and ROCm use the card, and use it in
// ways that a device without graphics has: no compressed colour and depth, no shaders from
// a cache of another card, no other drivers. What env sets stays as it is, except for the lists
// RADV_DEBUG and AMD_DEBUG, which get longer.
func Environ(env []string) []string {
	env = slices.Clone(env)
	e := environment{env}
	e.extend("RADV_DEBUG", "nohiz", "nodcc", "nofastclears")
	e.extend("AMD_DEBUG", "nohyperz", "nodcc")
	e.set("MESA_SHADER_CACHE_DISABLE", "true")
	e.set("MESA_GLSL_CACHE_DISABLE", "true") // its name until Mesa 20
	if drivers := VulkanDrivers(); len(drivers) > 0 && e.get("VK_ICD_FILENAMES") == "" && e.get("VK_DRIVER_FILES") == "" {
		list := strings.Join(drivers, string(os.PathListSeparator))
		e.set("VK_ICD_FILENAMES", list) // its name until version 1.3.207 of the loader
		e.set("VK_DRIVER_FILES", list)
	}
	if driver := OpenCLDriver(); driver != "" {
		e.set("OCL_ICD_VENDORS", filepath.Base(driver))
	}
	e.set("RUSTICL_ENABLE", "radeonsi")
	e.set("HSA_ENABLE_SDMA", "1")           // on GCN 1.2, too, where ROCr copies by kernels otherwise
	e.set("HSA_USERPTR_FOR_PAGED_MEM", "0") // system memory is the card's, which both sides share
	return e.list
}

// environment is a list of NAME=VALUE. The last one of a name counts.
type environment struct{ list []string }

func (e *environment) find(name string) int {
	for i, entry := range slices.Backward(e.list) {
		if strings.HasPrefix(entry, name+"=") {
			return i
		}
	}
	return -1
}

func (e *environment) get(name string) string {
	if i := e.find(name); i >= 0 {
		return e.list[i][len(name)+1:]
	}
	return ""
}

// set gives a variable a value unless it has one.
func (e *environment) set(name, value string) {
	if e.find(name) < 0 {
		e.list = append(e.list, name+"="+value)
	}
}

// extend adds words to a variable that is a list of them.
func (e *environment) extend(name string, words ...string) {
	have := strings.FieldsFunc(e.get(name), func(r rune) bool { return r == ',' })
	for _, w := range words {
		if !slices.Contains(have, w) {
			have = append(have, w)
		}
	}
	entry := name + "=" + strings.Join(have, ",")
	if i := e.find(name); i >= 0 {
		e.list[i] = entry
		return
	}
	e.list = append(e.list, entry)
}

// VulkanDrivers returns the files that describe Mesa's Vulkan drivers for Radeon to the
// Vulkan loader, none if none is installed.
func VulkanDrivers() []string {
	dirs := []string{"/etc"}
	data := os.Getenv("XDG_DATA_DIRS")
	if data == "" {
		data = "/usr/local/share:/usr/share"
	}
	var found []string
	for _, dir := range append(dirs, filepath.SplitList(data)...) {
		names, err := filepath.Glob(filepath.Join(dir, "vulkan/icd.d/radeon_icd*.json"))
		if err == nil { // an error means a bad pattern: no directory has that name
			found = append(found, names...)
		}
	}
	return found
}

// OpenCLDriver returns the file that describes Mesa's OpenCL driver to the OpenCL loader,
// "" if none is installed. Clover is taken where there is a choice: it has radeonsi in all
// versions.
func OpenCLDriver() string {
	for _, name := range []string{"mesa.icd", "rusticl.icd"} {
		file := filepath.Join("/etc/OpenCL/vendors", name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}
