package spec

import (
	"fmt"
	"io"

	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/compare"
)

// Write says for people what the result is.
func (r *Comparison) Write(w io.Writer) error {
	v, why := r.Verdict()
	d := r.Difference
	if d != nil && r.Seed > 0 {
		before := ""
		if v == compare.Different {
			before = fmt.Sprintf(", after %d that are the same", r.Runs-1)
		}
		fmt.Fprintf(w, "seed %d%s: ", r.Seed, before)
	}
	switch v {
	case compare.Different:
		return d.Write(w)
	case compare.NoVerdict:
		fmt.Fprintf(w, "no verdict: %s\n", why)
		if d != nil {
			fmt.Fprintf(w, "a: %v\nb: %v\n", d.A.Fault, d.B.Fault)
		}
	default:
		fmt.Fprintf(w, "same: %s; %s\n", plural.Of(r.Runs, "run"), r.rests())
	}
	var err error
	for _, n := range r.Notes() {
		_, err = fmt.Fprintf(w, "note: %s\n", n)
	}
	return err
}

// rests says what a verdict rests on.
func (r *Comparison) rests() string {
	written, size := r.Written()
	text := fmt.Sprintf("%d of %d bytes written", written[0], size)
	if written[0] != written[1] {
		text = fmt.Sprintf("%d of %d bytes written by a, %d by b", written[0], size, written[1])
	}
	var missed [2]string
	for i := range missed {
		executed, all := r.Effects[i].Executed()
		missed[i] = fmt.Sprintf("%d of %d", all-executed, all)
	}
	if missed[0] != missed[1] {
		text += fmt.Sprintf("; %s instructions of a and %s of b never executed", missed[0], missed[1])
	} else {
		text += fmt.Sprintf("; %s instructions never executed", missed[0])
	}
	return text + "; nothing was checked"
}

// Notes are what is to be said of programs that do the same.
func (r *Comparison) Notes() (all []string) {
	if r.Tolerated > 0 {
		all = append(all, fmt.Sprintf("%s differ within the tolerances of expect", plural.Of(r.Tolerated, "element")))
	}
	for i, e := range r.Varies {
		if e != nil {
			all = append(all, fmt.Sprintf("%c differs with itself: argument %d, byte %d depends on the order of work-groups",
				'a'+i, e.Arg, e.Offset))
		}
	}
	return all
}
