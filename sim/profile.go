//go:build !js

package sim

import (
	"context"
	"runtime/pprof"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// profiled calls work so that a profile of the processor says which kernel it is for, if that is known: the time of
// compiled blocks has no function of Go.
func profiled(ctx context.Context, kernel *codeobj.Symbol, work func()) {
	if kernel == nil {
		work()
		return
	}
	pprof.Do(ctx, pprof.Labels("kernel", kernel.Name), func(context.Context) { work() })
}
