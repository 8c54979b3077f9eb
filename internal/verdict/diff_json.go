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

// diffReply is the JSON form of the result of a comparison.
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
	// Signature is usually equal for differences that have the same cause.
	Signature string `json:"signature,omitempty"`
	*effectReply
	Bytes     *uint64 `json:"bytes,omitempty"` // number of bytes in stored buffers
	Tolerated int     `json:"tolerated,omitempty"`
	// Contracted counts elements that differ only because of floating-point contraction.
	Contracted int `json:"contracted,omitempty"`
}

// effectReply is the JSON form of the effects of a program.
type effectReply struct {
	Written      uint64 `json:"written"`
	Executed     int    `json:"executed"`
	Instructions int    `json:"instructions"`
}

type halfReply struct {
	PC     *jsonout.Address `json:"pc,omitempty"` // address of the store instruction
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

// firstJSON is the first instruction whose result differs. Its keys describe the instruction of b, or the
// instruction of a if b has none.
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

// WriteJSON writes the result of a comparison as one line of JSON.
func (r *Comparison) WriteJSON(w io.Writer) error {
	v, why := r.Verdict()
	return jsonout.Write(w, comparisonReply(r, v, why))
}

// kernelReply is the JSON form of the result of comparing a kernel of two objects.
type kernelReply struct {
	Kernel   string `json:"kernel"`
	Launches int    `json:"launches"`
	*diffReply
	Checked  bool            `json:"checked"`
	Findings []check.Finding `json:"findings,omitempty"` // kinds that only b has
	Noted    []check.Finding `json:"noted,omitempty"`    // notes of kinds that only b has
	Left     []string        `json:"left,omitempty"`     // reasons why launches were not compared
	Tried    *Tried          `json:"tried,omitempty"`
	Proof    *proofReply     `json:"proof,omitempty"`
}

// WriteJSON writes the result of comparing a kernel of two objects as one line of JSON.
func (k *KernelComparison) WriteJSON(w io.Writer) error {
	return jsonout.Write(w, replyOfKernel(k))
}

// WriteNoKernel writes, as one line of JSON, that err prevents the comparison of a kernel.
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

// SignatureOf returns a signature of findings: their kinds, their mnemonics and the mnemonics of their producers.
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

// groupsReply is the JSON form of the result of comparing a kernel of several objects.
type groupsReply struct {
	Kernel  string      `json:"kernel"`
	Verdict string      `json:"verdict"`
	Why     string      `json:"why,omitempty"`
	Same    *bool       `json:"same"` // null if there is no verdict
	Groups  [][]string  `json:"groups"`
	Missing []string    `json:"missing,omitempty"`
	Unread  []string    `json:"unread,omitempty"` // reasons why programs could not be read
	Pairs   []pairReply `json:"pairs"`
}

// pairReply is the JSON form of the comparison of two programs out of several.
type pairReply struct {
	Programs [2]string `json:"programs"`
	*kernelReply
}

// WriteJSON writes the result of comparing a kernel of several objects as one line of JSON.
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

// sameOf returns the value of the key "same" for a verdict, nil if there is no verdict.
func sameOf(v compare.Verdict) *bool {
	if v == compare.NoVerdict {
		return nil
	}
	same := v == compare.Same
	return &same
}

// comparisonReply returns the JSON form of a comparison with verdict v. why is the reason if there is no verdict.
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

// WriteNoVerdict writes, as one line of JSON, that err prevents the comparison of programs.
func WriteNoVerdict(w io.Writer, err error) error {
	return jsonout.Write(w, &diffReply{Verdict: compare.NoVerdict.String(), Why: err.Error()})
}

// fill copies the description of a difference into x.
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
