package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// Extra has the texts that a viewer shows beside a record.
type Extra struct {
	Rules map[string]Rule `json:"rules"`           // the rules that the record cites, by identifier
	Fault []string        `json:"fault,omitempty"` // identifiers of the rules that explain the fault
	// descriptions of fields, by kind and words, such as "vsharp 00010000 ..."
	Descriptors map[string]string `json:"descriptors"`
	// Does are descriptions of instructions, by their text.
	Does map[string]string `json:"does"`
}

// Rule is a rule of the handbook. Its text is formatted for a fixed-width font.
type Rule struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Limits of the explained items.
const (
	maxDescriptors = 64
	ruleColumns    = 88
)

// ExtraOf explains the rules that r cites, and the descriptors that its instructions read.
func ExtraOf(r *record.Record) *Extra {
	x := &Extra{Rules: map[string]Rule{}, Descriptors: map[string]string{}, Does: map[string]string{},
		Fault: faultRules(r.Fault)}
	ids := slices.Concat(r.Rules, x.Fault)
	for i := range r.Findings {
		ids = append(ids, r.Findings[i].Rule)
	}
	for _, id := range ids {
		if r, ok := handbook.Lookup(id); ok {
			x.Rules[id] = Rule{r.Title, r.Plain(ruleColumns)}
		}
	}
	target, err := gcn.ParseTarget(r.Target)
	if err != nil {
		return x // no wave was recorded
	}
	for i := range r.Insts {
		x.instruction(target, r.Insts[i].Text)
	}
	for i := range r.Windows {
		x.descriptors(&r.Windows[i], target)
	}
	return x
}

// instruction adds the description of the instruction with that text, unless the text is not an instruction.
func (x *Extra) instruction(target gcn.Target, text string) {
	if _, known := x.Does[text]; known {
		return
	}
	p, err := asm.Assemble(target, text, asm.LLVM)
	if err != nil {
		return
	}
	if in, err := isa.Decode(target, p.Words); err == nil {
		x.Does[text] = explain.Does(in)
	}
}

// faultRules returns the identifiers of the rules that explain f: those that its message cites, and F9 for an
// unmapped address. f may be nil.
func faultRules(f *record.Fault) []string {
	if f == nil {
		return nil
	}
	cites := f.Message
	if f.Kind == state.FaultMemory.String() && strings.HasPrefix(f.Message, "no mapped range") {
		cites += ", " + rule.F9
	}
	return handbook.Cited(cites)
}

// descriptors explains the descriptors that the steps of w read.
func (x *Extra) descriptors(w *record.Window, target gcn.Target) {
	for s, err := range w.Steps() {
		if err != nil {
			return
		}
		if s.Inst == nil || s.Resource == 0 {
			continue
		}
		size := 4
		if s.Kind == "tsharp" {
			size = 8
		}
		x.add(s.Kind, target, s.State.S[:], s.Resource-1, size)
		if s.Sampler > 0 {
			x.add("ssharp", target, s.State.S[:], s.Sampler-1, 4)
		}
	}
}

// add explains a descriptor in the n scalar registers from first on.
func (x *Extra) add(kind string, target gcn.Target, scalars []uint32, first, n int) {
	if first+n > len(scalars) || len(x.Descriptors) == maxDescriptors {
		return
	}
	words := scalars[first : first+n]
	key := strings.Builder{}
	key.WriteString(kind)
	for _, v := range words {
		fmt.Fprintf(&key, " %08x", v)
	}
	if _, ok := x.Descriptors[key.String()]; ok {
		return
	}
	if text, err := explain.Words(kind, target, words); err == nil {
		x.Descriptors[key.String()] = cmp.Or(strings.TrimSpace(text.String()), kind)
	}
}
