package gcntest

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// Run assembles text in LLVM syntax and executes it on w to its end. An error in the text or a fault ends the test.
func Run(t testing.TB, m *sim.Machine, w *state.Wave, text string) *sim.Result {
	t.Helper()
	res, err := m.RunAsm(context.Background(), w, text)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// RunGroup assembles text in LLVM syntax and executes it on the waves of one work-group, which share LDS and
// barriers. An error in the text or a fault ends the test.
func RunGroup(t testing.TB, m *sim.Machine, text string, waves ...*state.Wave) *sim.Result {
	t.Helper()
	p, err := m.Assemble(text, state.MaxVGPRs)
	if err != nil {
		t.Fatal(err)
	}
	res, err := m.RunProgram(context.Background(), p, waves...)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// WantFault ends the test if err, the error of a run, is not a fault of that kind. It returns the fault, whose fields
// have its location.
func WantFault(t testing.TB, err error, kind state.FaultKind) *state.Fault {
	t.Helper()
	var f *state.Fault
	if !errors.As(err, &f) || f.Kind != kind {
		t.Fatalf("want a fault of kind %v, got %v", kind, err)
	}
	return f
}

// Same fails t unless the kernels that exist in both code objects have the same results, on launches found as in
// gcnsim diff. Floats may differ by ulp units in the last place. The test's log lists the comparisons.
func Same(t testing.TB, a, b []byte, ulp uint64) {
	t.Helper()
	all, err := verdict.DiffObjects(context.Background(), a, b, [2]string{"a", "b"},
		&verdict.ObjectsOptions{Tolerance: spec.Expect{ULP: &ulp}})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		var text strings.Builder
		if err := k.Write(&text); err != nil {
			t.Fatal(err)
		}
		if v, _ := k.Verdict(); v != compare.Same {
			t.Error(text.String())
		} else {
			t.Log(text.String())
		}
	}
}

// Dispatch executes l on m. A refused launch or a fault ends the test.
func Dispatch(t testing.TB, m *sim.Machine, l sim.Launch) *sim.Result {
	t.Helper()
	res, err := m.Dispatch(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// DiffVGPR fails t if vector register reg of w differs from want, and reports the first lane that does.
func DiffVGPR(t testing.TB, w *state.Wave, reg int, want state.Lanes) {
	t.Helper()
	if reg < 0 || reg >= w.NumVGPRs {
		t.Errorf("v%d: the wave has %d VGPRs", reg, w.NumVGPRs)
		return
	}
	got := w.VGPR(reg)
	if report := diff(want[:], got[:]); report != "" {
		t.Errorf("v%d, by lane: %s", reg, report)
	}
}

// DiffBuffer fails t if the start of a buffer differs from want, and reports the first element that does. Elements
// are little-endian numbers of a fixed size.
func DiffBuffer[T comparable](t testing.TB, buf *sim.Buffer, want ...T) {
	t.Helper()
	got := make([]T, len(want))
	if _, err := binary.Decode(buf.Bytes(), binary.LittleEndian, got); err != nil {
		t.Errorf("buffer of %d bytes at 0x%x: it cannot hold %d times %T", buf.Size, buf.Addr, len(want), *new(T))
		return
	}
	if report := diff(want, got); report != "" {
		t.Errorf("buffer at 0x%x: %s", buf.Addr, report)
	}
}

// RequireClean makes all checks of package sim/check watch the runs of waves alone on m or, if l is not nil, a
// dispatch of l on m. When the test ends, findings of severity warning and error fail it. Call it before the run.
// Registers without a value are found in dispatches. All registers of waves alone have a value, unless options, at
// most one, has Inputs that list the registers the test has set.
func RequireClean(t testing.TB, m *sim.Machine, l *sim.Launch, options ...check.Options) {
	t.Helper()
	c, err := check.New("all")
	if err != nil {
		t.Fatal(err)
	}
	switch len(options) {
	case 0:
	case 1:
		c.Options = options[0]
	default:
		t.Fatalf("RequireClean takes the options of one checker, not of %d", len(options))
	}
	watch(t, m, l, c, func() {
		t.Helper()
		if report := unclean(c.Findings()); report != "" {
			t.Error(report)
		}
	})
}

// unclean returns the findings above severity note as text.
func unclean(found []check.Finding) string {
	var lines []string
	for _, f := range found {
		if f.Severity > check.Note {
			lines = append(lines, f.String())
		}
	}
	if lines == nil {
		return ""
	}
	return "the program is not clean: " + plural.Of(len(lines), "finding") + "\n" + strings.Join(lines, "\n")
}

// Golden fails t if file, a path below the directory of the test such as testdata/out.golden, differs from got, and
// reports the first line that does. With go test -rewrite it writes the file. Importing this package defines that
// flag.
func Golden(t testing.TB, file string, got []byte) {
	t.Helper()
	golden.Compare(t, file, got)
}
