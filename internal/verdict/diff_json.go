package verdict

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Kinds of differences.
const (
	KindMemory   = "memory"
	KindFault    = "fault"
	KindFindings = "findings"
)

// diffReply is the JSON of what comparing came to.
type diffReply struct {
	Verdict  string     `json:"verdict"` // "same", "different", "none"
	Why      string     `json:"why,omitempty"`
	Same     *bool      `json:"same"` // null without a verdict
	Runs     int        `json:"runs"`
	Seed     *uint64    `json:"seed,omitempty"`
	Kind     string     `json:"kind,omitempty"` // KindMemory, ...
	Arg      *int       `json:"arg,omitempty"`
	Offset   *uint64    `json:"offset,omitempty"`
	Size     int        `json:"size,omitempty"`
	Elements int        `json:"elements,omitempty"`
	Of       int        `json:"of,omitempty"`
	A        *halfReply `json:"a,omitempty"`
	B        *halfReply `json:"b,omitempty"`
	First    *firstJSON `json:"first,omitempty"`
	Notes    []string   `json:"notes,omitempty"`
	// Signature is what differences with the same cause as a rule have in common.
	Signature string `json:"signature,omitempty"`
	*effectReply
	Bytes     *uint64 `json:"bytes,omitempty"` // of the buffers that were stored to
	Tolerated int     `json:"tolerated,omitempty"`
	// Contracted is how many elements differ by contraction of floating point.
	Contracted int `json:"contracted,omitempty"`
}

// effectReply is what a program has done.
type effectReply struct {
	Written      uint64 `json:"written"`
	Executed     int    `json:"executed"`
	Instructions int    `json:"instructions"`
}

type halfReply struct {
	PC     *jsonout.Address `json:"pc,omitempty"` // of the store
	Text   string           `json:"text,omitempty"`
	Symbol string           `json:"symbol,omitempty"`
	Source string           `json:"source,omitempty"`
	Item   *[3]uint64       `json:"item,omitempty"`
	Group  *[3]uint32       `json:"group,omitempty"`
	Wave   *int             `json:"wave,omitempty"`
	Lane   *int             `json:"lane,omitempty"`
	Value  string           `json:"value,omitempty"`
	Varies bool             `json:"varies,omitempty"`
	Fault  *spec.Failure    `json:"fault,omitempty"`
	Slice  []compare.Step   `json:"slice,omitempty"`
	*effectReply
}

// firstJSON is the first instruction whose result differs: its keys are the keys of b, or of a if
// it is in a alone.
type firstJSON struct {
	*compare.Step
	A *compare.Step `json:"a,omitempty"`
	B *compare.Step `json:"b,omitempty"`
}

func halfOf(h *compare.Half) *halfReply {
	r := &halfReply{Varies: h.Varies, Slice: h.Slice}
	if len(h.Value) > 0 {
		var all [8]byte
		copy(all[:], h.Value)
		r.Value = fmt.Sprintf("0x%0*x", 2*len(h.Value), binary.LittleEndian.Uint64(all[:]))
	}
	if h.Fault != nil {
		r.Fault = spec.Failed(h.Fault)
	}
	if s := h.Store; s != nil {
		r.PC, r.Text, r.Symbol, r.Source, r.Item, r.Group, r.Wave, r.Lane = &s.PC, s.Text, s.Symbol, s.Source, &s.Item,
			&s.Group, &s.Wave, &s.Lane
	}
	return r
}

// WriteJSON writes what a comparison came to as one line of JSON.
func (r *Comparison) WriteJSON(w io.Writer) error {
	v, why := r.Verdict()
	return jsonout.Write(w, comparisonReply(r, v, why))
}

// kernelReply is the JSON of what comparing a kernel of two objects came to.
type kernelReply struct {
	Kernel   string `json:"kernel"`
	Launches int    `json:"launches"`
	*diffReply
	Checked  bool            `json:"checked"`
	Findings []check.Finding `json:"findings,omitempty"` // of kinds that b alone has
	Noted    []check.Finding `json:"noted,omitempty"`    // notes of kinds that b alone has
	Left     []string        `json:"left,omitempty"`     // why launches were not compared
	Tried    *Tried          `json:"tried,omitempty"`
	Proof    *proofReply     `json:"proof,omitempty"`
}

// WriteJSON writes what comparing a kernel of two objects came to as one line of JSON.
func (k *KernelComparison) WriteJSON(w io.Writer) error {
	return jsonout.Write(w, replyOfKernel(k))
}

// WriteNoKernel writes as one line of JSON that a kernel cannot be compared, because of err.
func WriteNoKernel(w io.Writer, kernel string, err error) error {
	return jsonout.Write(w, &kernelReply{Kernel: kernel, diffReply: &diffReply{Verdict: compare.NoVerdict.String(),
		Why: err.Error()}})
}

func replyOfKernel(k *KernelComparison) *kernelReply {
	v, why := k.Verdict()
	reply := &kernelReply{Kernel: k.Kernel, Launches: k.Launches, Checked: k.Checked, Findings: k.Findings[1],
		Noted: k.Noted, Left: k.Left, Proof: proofOf(k.Proof)}
	if k.tried.grid > 0 {
		reply.Tried = k.Tried()
	}
	reply.diffReply = comparisonReply(&k.Comparison, v, why)
	if v == compare.Different && k.Difference == nil {
		reply.Kind, reply.Signature = KindFindings, SignatureOf(reply.Findings)
	}
	return reply
}

// SignatureOf returns what differences have in common that are findings: kinds, mnemonics and those of producers.
func SignatureOf(findings []check.Finding) string {
	mnemonic := func(text string) string { name, _, _ := strings.Cut(text, " "); return name }
	var all []string
	for i := range findings {
		f := &findings[i]
		s := fmt.Sprintf("%s %s", f.Kind, mnemonic(f.Text))
		if f.Producer != nil {
			s += "<-" + mnemonic(f.Producer.Text)
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return "findings: " + strings.Join(slices.Compact(all), ", ")
}

// groupsReply is the JSON of what comparing a kernel of several objects came to.
type groupsReply struct {
	Kernel  string      `json:"kernel"`
	Verdict string      `json:"verdict"`
	Why     string      `json:"why,omitempty"`
	Same    *bool       `json:"same"` // null without a verdict
	Groups  [][]string  `json:"groups"`
	Missing []string    `json:"missing,omitempty"`
	Unread  []string    `json:"unread,omitempty"` // why programs could not be read
	Pairs   []pairReply `json:"pairs"`
}

// pairReply is the JSON of a comparison of two of several programs.
type pairReply struct {
	Programs [2]string `json:"programs"`
	*kernelReply
}

// WriteJSON writes what comparing a kernel of several objects came to as one line of JSON.
func (g *KernelGroups) WriteJSON(w io.Writer) error {
	v, why := g.Verdict()
	reply := &groupsReply{Kernel: g.Kernel, Verdict: v.String(), Why: why, Same: sameOf(v)}
	names := func(programs []int) (all []string) {
		for _, i := range programs {
			all = append(all, g.Names[i])
		}
		return all
	}
	for _, programs := range g.Groups {
		reply.Groups = append(reply.Groups, names(programs))
	}
	reply.Missing = names(g.Missing)
	for _, unread := range g.Unread {
		reply.Unread = append(reply.Unread, unread.Error())
	}
	for _, p := range g.Pairs {
		reply.Pairs = append(reply.Pairs, pairReply{[2]string{g.Names[p.A], g.Names[p.B]}, replyOfKernel(p.KernelComparison)})
	}
	return jsonout.Write(w, reply)
}

// sameOf returns what "same" is with a verdict.
func sameOf(v compare.Verdict) *bool {
	if v == compare.NoVerdict {
		return nil
	}
	same := v == compare.Same
	return &same
}

// comparisonReply is what a comparison whose verdict is v came to.
func comparisonReply(r *Comparison, v compare.Verdict, why string) *diffReply {
	reply := &diffReply{Verdict: v.String(), Why: why, Same: sameOf(v), Runs: r.Runs, Tolerated: r.Tolerated,
		Contracted: r.Contracted}
	if d := r.Difference; d != nil {
		reply.fill(d)
		reply.Signature = d.Signature()
		reply.Seed = &r.Seed
	}
	reply.Notes = append(reply.Notes, r.Notes()...)
	written, size := r.Written()
	var effects [2]effectReply
	for i := range effects {
		effects[i].Written = written[i]
		effects[i].Executed, effects[i].Instructions = r.Effects[i].Executed()
	}
	reply.effectReply, reply.Bytes = &effects[0], &size
	if effects[0] != effects[1] {
		for i, half := range []**halfReply{&reply.A, &reply.B} {
			if *half == nil {
				*half = &halfReply{}
			}
			(*half).effectReply = &effects[i]
		}
	}
	return reply
}

// WriteNoVerdict writes as one line of JSON that programs cannot be compared, because of err.
func WriteNoVerdict(w io.Writer, err error) error {
	return jsonout.Write(w, &diffReply{Verdict: compare.NoVerdict.String(), Why: err.Error()})
}

// fill describes a difference.
func (x *diffReply) fill(d *compare.Difference) {
	x.A, x.B, x.Notes = halfOf(&d.A), halfOf(&d.B), d.Notes
	if d.Faulted {
		x.Kind = KindFault
	} else {
		x.Kind, x.Arg, x.Offset, x.Size, x.Elements, x.Of = KindMemory, &d.Arg, &d.Offset, d.Size, d.Elements, d.Of
	}
	if a, b := d.Culprit[0], d.Culprit[1]; a != nil || b != nil {
		x.First = &firstJSON{cmp.Or(b, a), a, b}
	}
}
