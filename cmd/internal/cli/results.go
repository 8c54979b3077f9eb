package cli

import (
	"io"

	"github.com/gcnsim/gcnsim/internal/specjson"
	"github.com/gcnsim/gcnsim/sim/compare"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// kernelResult is what comparing a kernel of two or more programs came to.
type kernelResult struct {
	kernel      string
	verdict     compare.Verdict
	text, lines func(w io.Writer) error // write it for people and as JSON
	launch      *spec.Dispatch          // the one that tells, nil if there is none
	object      string                  // the file whose kernel that is
}

func resultOfPair(k *spec.KernelComparison, object string) *kernelResult {
	r := &kernelResult{kernel: k.Kernel, text: k.Write, launch: k.Launch, object: object}
	r.verdict, _ = k.Verdict()
	r.lines = func(w io.Writer) error { return specjson.WriteKernel(w, k) }
	return r
}

func resultOfGroups(g *spec.KernelGroups) *kernelResult {
	tells := g.Telling()
	r := &kernelResult{kernel: g.Kernel, text: g.Write, launch: tells.Launch, object: g.Names[tells.A]}
	r.verdict, _ = g.Verdict()
	r.lines = func(w io.Writer) error { return specjson.WriteGroups(w, g) }
	return r
}

// writeResults writes what comparing programs came to in a form, "" is text.
func writeResults(w io.Writer, names []string, all []*kernelResult, form string) error {
	if form == "junit" {
		return writeJUnit(w, names, all)
	}
	for _, r := range all {
		write := r.text
		if form == "json" {
			write = r.lines
		}
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}
