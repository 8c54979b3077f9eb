// Package guesttest decides whether this host can execute programs with a virtual card. Tests are skipped only if the
// host lacks something, and not because of a bug of this project.
package guesttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Started checks the result of starting a guest. It skips the test if the host lacks a feature, and fails it for any
// other error.
func Started(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) {
		if why := lacks(); why != "" {
			t.Skipf("%s: %v", why, err)
		}
	}
	require.NoError(t, err)
}

// VulkanHeaders skips the test if Vulkan's headers are not installed.
func VulkanHeaders(t testing.TB) {
	t.Helper()
	if exec.Command("sh", "-c", "echo '#include <vulkan/vk_layer.h>' | cc -E - >/dev/null").Run() != nil {
		t.Skip("a C compiler or Vulkan's headers are not installed: apt-get install gcc libvulkan-dev")
	}
}

// Shaders skips the test if programs with shaders cannot be built or executed. drivers are this host's Vulkan
// drivers.
func Shaders(t testing.TB, drivers []string) {
	t.Helper()
	VulkanHeaders(t)
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed: apt-get install glslang-tools")
	}
	if len(drivers) == 0 {
		t.Skip("Mesa's driver for Vulkan is not installed: apt-get install mesa-vulkan-drivers")
	}
}

// OpenCL skips the test if programs cannot use OpenCL on a card. driver is the manifest of Mesa's driver for the
// loader, or "". It names a library, which may be missing.
func OpenCL(t testing.TB, driver string) {
	t.Helper()
	if driver == "" {
		t.Skip("Mesa's driver for OpenCL is not installed: apt-get install mesa-opencl-icd")
	}
	text, err := os.ReadFile(driver)
	require.NoError(t, err)
	library := strings.TrimSpace(string(text))
	for _, dir := range []string{"", "/usr/lib/", "/usr/lib/*/", "/usr/lib64/", "/usr/local/lib/"} {
		if found, _ := filepath.Glob(dir + library); found != nil {
			return
		}
	}
	t.Skipf("%s names the library %s, which is not installed: apt-get install mesa-opencl-icd", driver, library)
}

// lacks returns why this host cannot execute programs with a card, or "" if it can.
func lacks() string {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return "no guests on " + runtime.GOOS + "/" + runtime.GOARCH
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	var major, minor int
	if _, err := fmt.Sscanf(string(release), "%d.%d", &major, &minor); err != nil || major < 5 ||
		major == 5 && minor < 19 {
		return "Linux 5.19 is needed, this is " + strings.TrimSpace(string(release))
	}
	actions, _ := os.ReadFile("/proc/sys/kernel/seccomp/actions_avail")
	if !strings.Contains(string(actions), "user_notif") {
		return "this kernel has no user notifications of seccomp"
	}
	status, _ := os.ReadFile("/proc/self/status")
	if strings.Contains(string(status), "\nSeccomp:\t2") {
		return "a container's seccomp filter is in force"
	}
	return ""
}
