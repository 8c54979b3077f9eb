package asm

import (
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestEveryPartIsWritten checks that writings has functions for each part of each form.
func TestEveryPartIsWritten(t *testing.T) {
	effort.Long(t)
	used := [numSyntaxes][numKinds]bool{}
	for s := range Syntax(numSyntaxes) {
		for target := range gcn.Target(gcn.NumTargets) {
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				for e := isa.SOP1; int(e) < isa.NumEncodings; e++ {
					for _, p := range formOf(target, op, e, s).parts {
						used[s][p.kind] = true
					}
				}
			}
		}
		for k := range numKinds {
			if w := writings[k][s]; used[s][k] != (w.print != nil) || used[s][k] != (w.parse != nil) {
				t.Errorf("%v: kind %d is a part of a form: %v; it is printed: %v, parsed: %v", s, k, used[s][k], w.print != nil,
					w.parse != nil)
			}
		}
	}
}
