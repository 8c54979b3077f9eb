package sim

import (
	"context"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// profiled calls work: there are no profiles in a browser.
func profiled(_ context.Context, _ *codeobj.Symbol, work func()) { work() }
