package verdict

import (
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
)

// prove asks whether programs that no launch has told apart do the same for all inputs.
func (r *kernelCase) prove(pair [2]*part, res *KernelComparison) {
	if r.Prove <= 0 || res.Difference != nil || len(res.Findings[1]) > 0 {
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
	res.Proof = prove.Kernels(both[0], both[1], r.Prove)
}

// Verdict returns the verdict and, if there is none, why. Findings of b alone are a difference. A proof is a verdict
// where launches found none.
func (k *KernelComparison) Verdict() (v compare.Verdict, why string) {
	v, why = k.ofLaunches()
	if v == compare.NoVerdict && k.Proof != nil && k.Proof.Proved {
		return compare.Same, ""
	}
	return v, why
}

// writeProof says for people what asking for a proof came to.
func (k *KernelComparison) writeProof(w io.Writer) error {
	if k.Proof == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "note: not proved: %s\n", k.Proof.Why)
	return err
}

// proofReply is the JSON of what asking for a proof came to.
type proofReply struct {
	Proved  bool     `json:"proved"`
	Why     string   `json:"why,omitempty"`
	Assumed []string `json:"assumed,omitempty"`
	Opaque  []string `json:"opaque,omitempty"` // known by their operands alone
}

func proofOf(p *prove.Proof) *proofReply {
	if p == nil {
		return nil
	}
	return &proofReply{p.Proved, p.Why, p.Assumed, p.Opaque}
}

// proved says that a kernel is proved, and on what that rests.
func (k *KernelComparison) proved() string {
	return "proved: for all inputs, if " + strings.Join(k.Proof.Assumed, "; ")
}
