//go:build !linux

package gpu

import "os"

// Where no program can be started there are no signals and no status.

type signals struct{}

func catch() signals { return signals{} }

func (signals) pass(*os.Process) {}

func (signals) release() {}

func exitStatus(p *os.ProcessState) int { return p.ExitCode() }
