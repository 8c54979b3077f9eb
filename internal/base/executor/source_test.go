package executor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// A V# can be in SGPRs or TTMPs, but not in VCC, M0 or EXEC (rule R8).
func TestCheckWideScalars(t *testing.T) {
	for g := range gcn.Gen(gcn.NumGens) {
		traits := isa.GenTraits(g)
		for code := int64(0); code < 128; code += 4 {
			in := memtest.Inst(g.Target(), "buffer_load_dword", memtest.Fields{isa.SRSRC: code / 4})
			first, last := int(code), int(code+3)
			ttmp := int(traits.TTMP)
			valid := last < traits.SGPRs || first >= ttmp && last < ttmp+traits.NumTTMP
			f := executor.Check(&in, 256, nil)
			require.Equal(t, valid, f == nil, "%v s[%d:%d]: %v", g, first, last, f)
			if !valid {
				require.Equal(t, state.FaultRegister, f.Kind)
			}
		}
	}
}
