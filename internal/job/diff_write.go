package job

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/gcnsim/gcnsim/sim/compare"
)

// diffReply is the JSON of what comparing came to.
type diffReply struct {
	Same     bool       `json:"same"`
	Runs     int        `json:"runs"`
	Seed     *uint64    `json:"seed,omitempty"`
	Kind     string     `json:"kind,omitempty"` // "memory", "fault"
	Arg      *int       `json:"arg,omitempty"`
	Offset   *uint64    `json:"offset,omitempty"`
	Size     int        `json:"size,omitempty"`
	Elements int        `json:"elements,omitempty"`
	Of       int        `json:"of,omitempty"`
	A        *halfReply `json:"a,omitempty"`
	B        *halfReply `json:"b,omitempty"`
	First    *firstJSON `json:"first,omitempty"`
	Notes    []string   `json:"notes,omitempty"`
}

type halfReply struct {
	PC     *address   `json:"pc,omitempty"` // of the store
	Text   string     `json:"text,omitempty"`
	Symbol string     `json:"symbol,omitempty"`
	Source string     `json:"source,omitempty"`
	Item   *[3]uint32 `json:"item,omitempty"`
	Group  *[3]uint32 `json:"group,omitempty"`
	Wave   *int       `json:"wave,omitempty"`
	Lane   *int       `json:"lane,omitempty"`
	Value  string     `json:"value,omitempty"`
	Varies bool       `json:"varies,omitempty"`
	Fault  *Failure   `json:"fault,omitempty"`
	Slice  []stepJSON `json:"slice,omitempty"`
}

// stepJSON is an instruction of a slice. PCs are addresses in the file.
type stepJSON struct {
	PC     address       `json:"pc"`
	Text   string        `json:"text"`
	Symbol string        `json:"symbol,omitempty"`
	Source string        `json:"source,omitempty"`
	Group  [3]uint32     `json:"group"`
	Wave   int           `json:"wave"`
	Lane   int           `json:"lane"`
	Inst   uint64        `json:"inst"`
	Reads  []operandJSON `json:"reads,omitempty"`
	Writes []operandJSON `json:"writes,omitempty"`
	Memory []memoryJSON  `json:"memory,omitempty"`
	Agrees bool          `json:"agrees,omitempty"`
	Parts  bool          `json:"parts,omitempty"`
}

type operandJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type memoryJSON struct {
	Arg    int    `json:"arg"`
	Offset uint64 `json:"offset"`
}

// firstJSON is the first instruction whose result differs: its keys are those of b, or of a if
// it is in a alone.
type firstJSON struct {
	stepJSON
	A *stepJSON `json:"a,omitempty"`
	B *stepJSON `json:"b,omitempty"`
}

func stepOf(s *compare.Step, base uint64) stepJSON {
	x := stepJSON{PC: address(s.PC - base), Text: s.Text, Symbol: s.Symbol, Source: s.Source, Group: s.Group, Wave: s.Wave, Lane: s.Lane, Inst: s.Index, Agrees: s.Agrees, Parts: s.Parts}
	list := func(all []compare.Operand) (out []operandJSON) {
		for _, o := range all {
			out = append(out, operandJSON{o.Name, fmt.Sprintf("0x%0*x", o.Bits/4, o.Value)})
		}
		return out
	}
	x.Reads, x.Writes = list(s.Reads), list(s.Writes)
	for _, m := range s.Memory {
		x.Memory = append(x.Memory, memoryJSON{m.Arg, m.Offset})
	}
	return x
}

func halfOf(h *compare.Half) *halfReply {
	r := &halfReply{Varies: h.Varies}
	if len(h.Value) > 0 {
		var all [8]byte
		copy(all[:], h.Value)
		r.Value = fmt.Sprintf("0x%0*x", 2*len(h.Value), binary.LittleEndian.Uint64(all[:]))
	}
	if h.Fault != nil {
		r.Fault = Failed(h.Fault)
	}
	if s := h.Store; s != nil {
		pc := address(s.PC - h.Base)
		r.PC, r.Text, r.Symbol, r.Source, r.Item, r.Group, r.Wave, r.Lane = &pc, s.Text, s.Symbol, s.Source, &s.Item, &s.Group, &s.Wave, &s.Lane
	}
	for i := range h.Slice {
		r.Slice = append(r.Slice, stepOf(&h.Slice[i], h.Base))
	}
	return r
}

// WriteJSON writes the result as one line of JSON.
func (r *DiffResult) WriteJSON(w io.Writer) error {
	d := r.Difference
	reply := &diffReply{Same: d == nil, Runs: r.Runs}
	if d == nil {
		reply.Notes = r.notes()
		return Write(w, reply)
	}
	reply.Seed, reply.A, reply.B, reply.Notes = &r.Seed, halfOf(&d.A), halfOf(&d.B), d.Notes
	if d.Faulted {
		reply.Kind = "fault"
	} else {
		reply.Kind, reply.Arg, reply.Offset, reply.Size, reply.Elements, reply.Of = "memory", &d.Arg, &d.Offset, d.Size, d.Elements, d.Of
	}
	for i, s := range d.Culprit {
		if s == nil {
			continue
		}
		if reply.First == nil {
			reply.First = &firstJSON{}
		}
		step := stepOf(s, [2]uint64{d.A.Base, d.B.Base}[i])
		*[2]**stepJSON{&reply.First.A, &reply.First.B}[i] = &step
		reply.First.stepJSON = step
	}
	return Write(w, reply)
}

// Write says for people what the result is.
func (r *DiffResult) Write(w io.Writer) error {
	if d := r.Difference; d != nil {
		if r.Seed > 0 {
			fmt.Fprintf(w, "seed %d, after %d that are the same: ", r.Seed, r.Runs-1)
		}
		return d.Write(w)
	}
	runs := "runs"
	if r.Runs == 1 {
		runs = "run"
	}
	_, err := fmt.Fprintf(w, "same: %d %s\n", r.Runs, runs)
	for _, n := range r.notes() {
		_, err = fmt.Fprintf(w, "note: %s\n", n)
	}
	return err
}

// notes are what is to be said of programs that do the same.
func (r *DiffResult) notes() (all []string) {
	for i, e := range r.Varies {
		if e != nil {
			all = append(all, fmt.Sprintf("%c differs with itself: argument %d, byte %d depends on the order of work-groups", 'a'+i, e.Arg, e.Offset))
		}
	}
	return all
}
