//go:build !linux

package gpu

import (
	"context"
	"os"
)

// On systems where no program can be started there are no signals and no exit status.

type signals struct{}

func catch(ctx context.Context) (context.Context, signals) { return ctx, signals{} }

func (signals) pass(*os.Process) {}

func (signals) lose() {}

func (signals) orphans() bool { return true }

func (signals) release() {}

func exitStatus(_ context.Context, p *os.ProcessState) int { return p.ExitCode() }
