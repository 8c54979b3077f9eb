package gpu

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/device"
	"github.com/gcnsim/gcnsim/device/guest"
)

// run runs a program and returns what Run tells, and skips the test where no program can be
// run.
func run(t *testing.T, o Options, args ...string) (status int, told string) {
	t.Helper()
	var stderr strings.Builder
	status, err := Run(t.Context(), &o, args, &stderr)
	if unsupported := (*guest.UnsupportedError)(nil); errors.As(err, &unsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return status, stderr.String()
}

func TestStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -KILL $$": 137, "kill -TERM $PPID; exec sleep 10": 143} {
		status, told := run(t, Options{Chip: "fiji"}, "sh", "-c", script)
		assert.Equal(t, want, status, script)
		assert.Contains(t, told, "gcnsim gpu: sh did not use the GPU", script)
	}
}

func TestWrong(t *testing.T) {
	var chip *device.ChipError
	_, err := Run(t.Context(), &Options{Chip: "voodoo"}, []string{"true"}, os.Stderr)
	require.ErrorAs(t, err, &chip)
	_, err = Run(t.Context(), &Options{Chip: "fiji"}, []string{"/no/such/program"}, os.Stderr)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Run(t.Context(), &Options{Chip: "fiji", Log: "/no/such/file"}, []string{"true"}, os.Stderr)
	require.ErrorIs(t, err, os.ErrNotExist)
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
