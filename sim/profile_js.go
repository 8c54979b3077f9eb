package sim

import (
	"context"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// profiled calls work without a label, because browsers have no CPU profiles.
func profiled(_ context.Context, _ *codeobj.Symbol, work func()) { work() }
