package verdict

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
)

// prove tries to prove that programs do the same for all inputs if no launch showed a difference. If the solver returns
// an input for which they may differ, prove tries that input.
func (r *kernelCase) prove(ctx context.Context, pair [2]*part, res *KernelComparison) {
	easy := r.Prove.Easy
	v, _ := res.ofLaunches()
	if r.Prove.Time <= 0 || res.Difference != nil || v == compare.Different || easy && v != compare.Same {
		return
	}
	var both [2]prove.Program
	for i, p := range pair {
		k, err := p.object.Kernel(res.Kernel)
		if err != nil {
			return
		}
		both[i] = prove.Program{Object: p.object, Kernel: k}
	}
	if r.Progress != nil {
		r.Progress("looking for a proof")
	}
	limits := r.Prove
	if !r.until.IsZero() {
		limits.Time = min(limits.Time, time.Until(r.until))
	}
	if limits.Time <= 0 {
		return
	}
	proof := prove.Kernels(both[0], both[1], limits)
	if proof.Proved || !easy {
		res.Proof = proof
	}
	if proof.Input == nil {
		return
	}
	x := &director{kernelCase: r, ctx: ctx, pair: pair, res: res, reads: map[int]bool{}}
	x.findBases()
	for _, b := range x.bases {
		if x.try(b, r.found(proof.Input)); res.Difference != nil {
			proof.Proved, proof.UpTo, proof.Why = false, 0, "they differ for an input that a solver found"
			return
		}
	}
}

// found returns a change that sets the input that a solver found. It keeps arguments and sizes that the user gives.
func (r *kernelCase) found(in *prove.Input) change {
	k, known := r.launcher.kernel, r.launcher.known
	given := func(n int) bool { _, given := known.arg(codeobj.Explicit(k)[n], n); return given }
	return func(l *pairRun) {
		d := l.dispatch
		if known.Grid == [3]uint32{} && known.Group == [3]uint32{} {
			d.Group = in.Size
			for axis := range d.Grid {
				d.Grid[axis] = (in.Group[axis] + 1) * in.Size[axis]
			}
		}
		for n, value := range in.Args {
			if b := d.Args[n].Bytes; value != nil && b != nil && len(*b) == len(value) && !given(n) {
				d.Args[n].Bytes = &value
			}
		}
		changed := map[int][]byte{}
		for _, x := range in.Data {
			if d.Args[x.Arg].Buffer == nil || l.drawn[x.Arg] == nil || given(x.Arg) || x.Offset >= 1<<16 {
				continue
			}
			if changed[x.Arg] == nil {
				changed[x.Arg] = slices.Clone(l.drawn[x.Arg])
			}
			if more := int(x.Offset) + 1 - len(changed[x.Arg]); more > 0 {
				changed[x.Arg] = append(changed[x.Arg], make([]byte, more)...)
			}
			changed[x.Arg][x.Offset] = x.Value
		}
		for n, contents := range changed {
			b := *d.Args[n].Buffer
			b.Size = uint64(len(contents))
			d.Args[n].Buffer, l.drawn[n] = &b, contents
		}
	}
}

// Verdict returns the verdict. If there is none, why is the reason. Findings of kinds that only b has are a difference.
// If launches lead to no verdict, a proof leads to "same".
func (k *KernelComparison) Verdict() (v compare.Verdict, why string) {
	v, why = k.ofLaunches()
	if v == compare.NoVerdict && k.Proof != nil && k.Proof.Proved {
		return compare.Same, ""
	}
	return v, why
}

// writeProof writes the result of the search for a proof as text for people.
func (k *KernelComparison) writeProof(w io.Writer) error {
	if k.Proof == nil {
		return nil
	}
	if n := k.Proof.UpTo; n > 0 {
		_, err := fmt.Fprintf(w, "note: proved for up to %d iterations of each loop, if %s; not for all inputs: %s\n", n,
			strings.Join(k.Proof.Assumed, "; "), k.Proof.Why)
		return err
	}
	_, err := fmt.Fprintf(w, "note: not proved: %s\n", k.Proof.Why)
	return err
}

// proofReply is the JSON form of the result of the search for a proof.
type proofReply struct {
	Proved  bool     `json:"proved"`
	Why     string   `json:"why,omitempty"`
	Assumed []string `json:"assumed,omitempty"`
	Opaque  []string `json:"opaque,omitempty"` // instructions that the solver knows only by their operands
	UpTo    int      `json:"iterations,omitempty"`
}

func proofOf(p *prove.Proof) *proofReply {
	if p == nil {
		return nil
	}
	return &proofReply{p.Proved, p.Why, p.Assumed, p.Opaque, p.UpTo}
}

// proved returns the sentence that a kernel is proved, with the assumptions of the proof.
func (k *KernelComparison) proved() string {
	return "proved: for all inputs, if " + strings.Join(k.Proof.Assumed, "; ")
}
