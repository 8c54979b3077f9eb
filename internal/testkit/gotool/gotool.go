// Package gotool runs the go command for tests that build programs or list packages.
package gotool

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Output returns what the go command prints to stdout. An error has what it printed to stderr. What it builds has no
// version of the checkout, which git does not tell in a directory that belongs to another user.
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
