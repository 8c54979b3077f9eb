package compare

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// Result is what comparing two programs came to.
type Result struct {
	// Difference is where they differ. It is nil if both leave the same. If both fault, it holds
	// their faults alone.
	Difference *Difference
	// Effects are what a and b have done.
	Effects [2]Effect
	// Tolerated is how many elements differ and are near enough: see [Session].Near.
	Tolerated int
	// Instructions is how many a and b have executed, 0 of one that faulted.
	Instructions [2]uint64
}

// Verdict is what is known of two programs once they have run.
type Verdict uint8

// Verdicts. NoVerdict is of runs that have tested nothing: they say neither that the programs do the
// same nor that they differ.
const (
	NoVerdict Verdict = iota
	Same
	Different
	numVerdicts = iota
)

var verdictNames = [numVerdicts]string{NoVerdict: "none", Same: "same", Different: "different"}

var _ = enum.Full[Verdict](verdictNames[:])

// String returns "none", "same" or "different".
func (v Verdict) String() string {
	return enum.Name(verdictNames[:], v)
}

// Verdict returns the verdict and, if there is none, why.
func (r *Result) Verdict() (v Verdict, why string) {
	if d := r.Difference; d != nil {
		if d.A.Fault != nil && d.B.Fault != nil {
			return NoVerdict, "both programs fault, so there is nothing to compare"
		}
		return Different, ""
	}
	var wrote [2]bool
	for i := range r.Effects {
		wrote[i] = r.Effects[i].Stored() > 0
	}
	const tested = "; see that work-items pass the checks of the kernel, and give buffers other contents than it stores"
	switch wrote {
	case [2]bool{}:
		return NoVerdict, "neither program stored anything to a buffer" + tested
	case [2]bool{true, false}:
		return NoVerdict, "b stored nothing to a buffer, and what a stored makes no difference" + tested
	case [2]bool{false, true}:
		return NoVerdict, "a stored nothing to a buffer, and what b stored makes no difference" + tested
	}
	return Same, ""
}

// Written returns how many bytes each program stored to, and how many bytes the buffers have that
// one of them stored to.
func (r *Result) Written() (written [2]uint64, size uint64) {
	for arg, bytes := range r.Effects[0].sizes {
		x, y := r.Effects[0].Written(arg), r.Effects[1].Written(arg)
		written[0], written[1] = written[0]+x, written[1]+y
		if x+y > 0 {
			size += bytes
		}
	}
	return written, size
}
