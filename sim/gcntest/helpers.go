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

// Run assembles text in LLVM syntax and runs it on w to its end. An error of the text or a
// fault ends the test.
func Run(t testing.TB, m *sim.Machine, w *state.Wave, text string) *sim.Result {
	t.Helper()
	res, err := m.RunAsm(context.Background(), w, text)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// RunGroup assembles text in LLVM syntax and runs it on the waves of one work-group, which share LDS and meet at
// barriers. An error of the text or a fault ends the test.
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

// WantFault ends the test if err, of a run, is no fault of a kind. It returns the fault, whose fields say where it is.
func WantFault(t testing.TB, err error, kind state.FaultKind) *state.Fault {
	t.Helper()
	var f *state.Fault
	if !errors.As(err, &f) || f.Kind != kind {
		t.Fatalf("want a fault of kind %v, got %v", kind, err)
	}
	return f
}

// Same fails t unless the kernels that two code objects have in common do the same on launches found as gcnsim diff
// finds them; floats may differ by ulp units in the last place. What it compared is in the log of the test.
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

// Dispatch runs l on m. A launch that is refused or a fault ends the test.
func Dispatch(t testing.TB, m *sim.Machine, l sim.Launch) *sim.Result {
	t.Helper()
	res, err := m.Dispatch(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// DiffVGPR fails t if vector register reg of w does not hold want in every lane, and names
// the first lane.
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

// DiffBuffer fails t if a buffer does not begin with want, and names the first element that
// differs. Elements are numbers of a fixed size, little-endian.
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

// RequireClean makes every check of package sim/check look at what bare waves of m execute
// or, if l is not nil, a dispatch of l on m. When the test ends, findings of severity
// warning and error fail it. Call it before the run. Registers without a value are found in
// dispatches; of bare waves, whose registers are all there, only if options, at most one, say by
// Inputs which of them the test has given a value.
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

// unclean returns, as text, the findings that are more than a note.
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

// Golden fails t if file, a path below the directory of the test such as
// testdata/out.golden, does not hold got, and names the first line that differs. With
// go test -rewrite it writes the file. Importing this package defines that flag.
func Golden(t testing.TB, file string, got []byte) {
	t.Helper()
	golden.Compare(t, file, got)
}
