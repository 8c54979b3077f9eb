//go:build !js

package sim

import (
	"context"
	"runtime/pprof"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// profiled calls work with a label for CPU profiles that names the kernel, if it is known. Compiled blocks belong to
// no Go function, so a profile cannot show them otherwise.
func profiled(ctx context.Context, kernel *codeobj.Symbol, work func()) {
	if kernel == nil {
		work()
		return
	}
	pprof.Do(ctx, pprof.Labels("kernel", kernel.Name), func(context.Context) { work() })
}
