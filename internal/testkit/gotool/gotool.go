// Package gotool runs the go command for tests that build programs or list packages.
package gotool

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Output returns the go command's stdout. An error contains its stderr. Binaries are built without the version of the
// checkout, because git refuses to read it in a directory that belongs to another user.
func Output(args ...string) ([]byte, error) {
	var stderr strings.Builder
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -buildvcs=false"))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.String())
	}
	return out, nil
}
