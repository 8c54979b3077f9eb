package guest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environ returns env with additional variables that make Mesa's drivers and ROCm use the card. They also disable
// what a device without graphics cannot do: compressed colour and depth, cached shaders of another card, and other
// drivers. Variables that env already sets are kept, except that the lists RADV_DEBUG and AMD_DEBUG get more words.
func Environ(env []string) []string {
	env = slices.Clone(env)
	e := environment{env}
	e.extend("RADV_DEBUG", "nohiz", "nodcc", "nofastclears")
	e.extend("AMD_DEBUG", "nohyperz", "nodcc")
	e.set("MESA_SHADER_CACHE_DISABLE", "true")
	e.set("MESA_GLSL_CACHE_DISABLE", "true") // the variable's name until Mesa 20
	if drivers := VulkanDrivers(); len(drivers) > 0 && e.get("VK_ICD_FILENAMES") == "" && e.get("VK_DRIVER_FILES") == "" {
		list := strings.Join(drivers, string(os.PathListSeparator))
		e.set("VK_ICD_FILENAMES", list) // the variable's name until version 1.3.207 of the loader
		e.set("VK_DRIVER_FILES", list)
	}
	if driver := OpenCLDriver(); driver != "" {
		e.set("OCL_ICD_VENDORS", filepath.Base(driver))
	}
	e.set("RUSTICL_ENABLE", "radeonsi")
	e.set("HSA_ENABLE_SDMA", "1")           // on GCN 1.2 ROCr would otherwise copy with kernels
	e.set("HSA_USERPTR_FOR_PAGED_MEM", "0") // both sides share system memory, so no copy is needed
	return e.list
}

// environment is a list of NAME=VALUE. For equal names the last one counts.
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

// set sets a variable unless it is already set.
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

// VulkanDrivers returns the manifest files of Mesa's Vulkan drivers for Radeon, for the Vulkan loader. It is empty if
// none is installed.
func VulkanDrivers() []string {
	dirs := []string{"/etc"}
	data := os.Getenv("XDG_DATA_DIRS")
	if data == "" {
		data = "/usr/local/share:/usr/share"
	}
	var found []string
	for _, dir := range append(dirs, filepath.SplitList(data)...) {
		names, err := filepath.Glob(filepath.Join(dir, "vulkan/icd.d/radeon_icd*.json"))
		if err == nil { // an error is a bad pattern, which no directory matches
			found = append(found, names...)
		}
	}
	return found
}

// OpenCLDriver returns the manifest file of Mesa's OpenCL driver, for the OpenCL loader, or "" if none is installed.
// It prefers Clover, which uses radeonsi in all its versions.
func OpenCLDriver() string {
	for _, name := range []string{"mesa.icd", "rusticl.icd"} {
		file := filepath.Join("/etc/OpenCL/vendors", name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}
