package verdict

import (
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Write writes the result as text for people.
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
		err := d.Write(w)
		for _, n := range r.Notes() {
			_, err = fmt.Fprintf(w, "note: %s\n", n)
		}
		return err
	case compare.NoVerdict:
		fmt.Fprintf(w, "no verdict: %s\n", why)
		if d != nil {
			fmt.Fprintf(w, "a: %v\nb: %v\n", d.A.Fault, d.B.Fault)
		}
	default:
		fmt.Fprintf(w, "same: %s; %s\n", plural.Of(r.Runs, "run"), r.rests()+"; nothing was checked")
	}
	var err error
	for _, n := range r.Notes() {
		_, err = fmt.Fprintf(w, "note: %s\n", n)
	}
	return err
}

// rests returns the evidence for a verdict as text.
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
	return text
}

// Notes returns remarks about programs that do the same, and about the way a difference was found.
func (r *Comparison) Notes() (all []string) {
	if r.Difference != nil {
		if r.Unfused {
			all = append(all, "they differ also with products and sums in place of fused multiply-adds; values are those "+
				"of such runs")
		}
		return all
	}
	if r.Contracted > 0 {
		all = append(all, fmt.Sprintf("%s differ by contraction of floating point", plural.Of(r.Contracted, "element")))
	}
	if r.Tolerated > 0 {
		by := "within the tolerances of expect"
		if r.nans {
			by = "in the bits of NaNs alone"
		}
		all = append(all, fmt.Sprintf("%s differ %s", plural.Of(r.Tolerated, "element"), by))
	}
	for i, e := range r.Varies {
		if e != nil {
			all = append(all, fmt.Sprintf("%c differs with itself: argument %d, byte %d depends on the order of work-items",
				'a'+i, e.Arg, e.Offset))
		}
	}
	return all
}

// Write writes the result of comparing a kernel, and the evidence for it, as text for people.
func (k *KernelComparison) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s: ", k.Kernel)
	v, why := k.Verdict()
	var err error
	switch {
	case v == compare.NoVerdict:
		fmt.Fprintf(w, "no verdict: %s\n", why)
		err = k.writeProof(w)
	case v == compare.Different && k.Difference != nil:
		err = k.Comparison.Write(w)
	case v == compare.Different:
		fmt.Fprintf(w, "different: both leave the same, but b has findings of kinds that a has none of\n")
		err = check.Write(w, k.Findings[1], 0)
	default:
		if k.Proof != nil && k.Proof.Proved {
			fmt.Fprintf(w, "%s\n", k.proved())
			if v, _ := k.ofLaunches(); v != compare.Same {
				break
			}
			fmt.Fprintf(w, "%s: ", k.Kernel)
		}
		checked := "nothing was checked"
		if k.Checked {
			checked = "checks found nothing that b alone has"
		}
		launches := "1 launch"
		if k.Launches != 1 {
			launches = fmt.Sprintf("%d launches", k.Launches)
		}
		if len(k.Noted) > 0 {
			checked = fmt.Sprintf("checks found %s that b alone has", check.Summary(k.Noted))
		}
		if k.tried.grid > 0 {
			launches += ", " + k.Tried().String()
		}
		_, err = fmt.Fprintf(w, "same: %s; %s; %s\n", launches, k.rests(), checked)
		if k.Proof != nil && !k.Proof.Proved {
			_ = k.writeProof(w)
		}
		_ = check.Write(w, k.Noted, 0)
		for _, n := range k.Notes() {
			fmt.Fprintf(w, "note: %s\n", n)
		}
		if n := len(k.Findings[0]); n > 0 {
			fmt.Fprintf(w, "note: a has findings of kinds that b has none of: %s\n", check.Summary(k.Findings[0]))
		}
	}
	if k.Untyped {
		fmt.Fprintf(w, "note: the metadata name no buffer of floats (clang -cl-kernel-arg-info names types); the tolerance "+
			"applies to what both programs compute as floats\n")
	}
	for _, left := range k.Left {
		if v != compare.NoVerdict {
			fmt.Fprintf(w, "note: not compared: %s\n", left)
		}
	}
	if v == compare.Different && k.Launch != nil {
		_, err = fmt.Fprintf(w, "launch: %s\n", describe(k.Launch))
	}
	return err
}

// describe returns the description of a launch as one line.
func describe(d *spec.Dispatch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "grid %v, work-group %v", d.Grid, d.Group)
	for i := range d.Args {
		a := &d.Args[i]
		switch {
		case a.Buffer != nil && a.Buffer.Random != nil:
			fmt.Fprintf(&b, "; argument %d is %d random bytes (%v, seed %d)", i, a.Buffer.Size, a.Buffer.Random.As,
				a.Buffer.Random.Seed)
		case a.Bytes != nil:
			if n, at, ok := pointedInto(d, *a.Bytes); ok {
				fmt.Fprintf(&b, "; argument %d points to byte %d of argument %d", i, at, n)
				continue
			}
			fmt.Fprintf(&b, "; argument %d is hex %x", i, *a.Bytes)
		case a.Local != nil:
			fmt.Fprintf(&b, "; argument %d is %d bytes of LDS", i, *a.Local)
		case a.Image != nil:
			fmt.Fprintf(&b, "; argument %d is an image of %v texels", i, a.Image.Size)
		}
	}
	return b.String()
}
