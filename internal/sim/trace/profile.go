// Package trace writes runs for people: a [Profile] counts the executions and bytes of each instruction, [NewChrome]
// and [NewKonata] write times for trace viewers, and a [Report] shows the times beside the disassembly on one page.
package trace

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Profile counts, for each instruction of a program, its executions and the bytes it moved. It is a [sim.Watcher].
// The zero value is an empty profile.
type Profile struct {
	sim.NoWatcher

	rows   map[place]*Row
	order  []*Row                  // instructions, ordered by their first execution
	dwords map[*sim.Program][]*Row // rows by dword of a program; nil until the first execution
	latest *sim.Program
	here   []*Row // rows of the program latest
}

// place identifies an instruction: programs may have the same address one after another.
type place struct {
	pc uint64
	in isa.Inst
}

// Row is the profile of one instruction.
type Row struct {
	PC    uint64
	Inst  gcn.Inst
	Waves uint64 // number of executions
	// Lanes, Bytes and Out are sums over all executions: lanes that accessed memory, bytes moved between memory and
	// registers, and lanes with an element out of range.
	Lanes, Bytes, Out uint64
	Memory            bool // the instruction accesses memory
	// Source is the source line, for example "k.cl:12", or "".
	Source string
	Space  state.Space
}

// Needs implements [sim.Watcher].
func (p *Profile) Needs() sim.Needs { return sim.Needs{Events: sim.SparseEvents} }

// Retire implements [sim.Watcher]: it counts an instruction, and those before it that sparse events omit.
func (p *Profile) Retire(e *sim.Event) {
	if e.Program != p.latest {
		p.turnTo(e.Program)
	}
	for pc := e.PC - e.Before; pc != e.PC; {
		in, _ := e.Program.Inst(pc)
		p.at(e, pc, (*isa.Inst)(&in)).Waves++
		pc += uint64(in.Size)
	}
	r := p.at(e, e.PC, (*isa.Inst)(e.Inst))
	r.Waves++
	if a := e.Access; a.Op != gcn.NoMem {
		r.Memory, r.Space = true, a.Space
		r.Lanes += lanesOf(a)
		r.Bytes += uint64(a.Bytes())
		r.Out += uint64(bits.OnesCount64(a.OutMask()))
	}
}

// turnTo makes program the latest.
func (p *Profile) turnTo(program *sim.Program) {
	p.latest, p.here = program, p.dwords[program]
	if p.here == nil && program != nil {
		p.here = make([]*Row, (program.End-program.Base)/4)
		if p.dwords == nil {
			p.dwords = map[*sim.Program][]*Row{}
		}
		p.dwords[program] = p.here
	}
}

// at returns the row of instruction in at pc, in the program of e.
func (p *Profile) at(e *sim.Event, pc uint64, in *isa.Inst) *Row {
	if p.latest == nil {
		return p.row(e.Program, pc, in)
	}
	r := &p.here[(pc-p.latest.Base)/4]
	if *r == nil {
		*r = p.row(e.Program, pc, in)
	}
	return *r
}

// row returns the row of an instruction by a map look-up. All programs with the same instruction at the same address
// share one row.
func (p *Profile) row(program *sim.Program, pc uint64, in *isa.Inst) *Row {
	at := place{pc, *in}
	r := p.rows[at]
	if r == nil {
		if p.rows == nil {
			p.rows = map[place]*Row{}
		}
		r = &Row{PC: pc, Inst: gcn.Inst(*in), Source: program.Source(pc)}
		p.rows[at] = r
		p.order = append(p.order, r)
	}
	return r
}

// lanesOf returns the number of lanes that took part.
func lanesOf(a *state.Access) uint64 {
	if a.Scalar {
		return 1
	}
	return uint64(bits.OnesCount64(a.Exec))
}

// Add adds the counts of other, a profile of the same code at addresses that are higher by by.
func (p *Profile) Add(other *Profile, by uint64) {
	for _, r := range other.order {
		mine := p.row(nil, r.PC-by, (*isa.Inst)(&r.Inst))
		mine.Memory, mine.Space, mine.Source = r.Memory, r.Space, r.Source
		mine.Waves += r.Waves
		mine.Lanes += r.Lanes
		mine.Bytes += r.Bytes
		mine.Out += r.Out
	}
}

// Rows returns the executed instructions in program order. Several instructions at one address, from different
// programs, are in the order of their first execution.
func (p *Profile) Rows() []Row {
	all := make([]Row, 0, len(p.order))
	for _, r := range p.order {
		all = append(all, *r)
	}
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(a.PC, b.PC) })
	return all
}

// WriteMemory writes a table of the instructions that accessed memory. PCs are relative to base. The error comes from
// w.
func (p *Profile) WriteMemory(w io.Writer, base uint64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows := p.Rows()
	from := slices.ContainsFunc(rows, func(r Row) bool { return r.Source != "" })
	if from {
		fmt.Fprintln(t, "pc\tcount\tlanes\tbytes\tspace\tsource\tinstruction")
	} else {
		fmt.Fprintln(t, "pc\tcount\tlanes\tbytes\tspace\tinstruction")
	}
	for _, r := range rows {
		if !r.Memory {
			continue
		}
		fmt.Fprintf(t, "0x%04x\t%d\t%d\t%d\t%v\t", r.PC-base, r.Waves, r.Lanes, r.Bytes, r.Space)
		if from {
			fmt.Fprint(t, r.Source, "\t")
		}
		fmt.Fprintln(t, asm.Format(r.Inst, asm.LLVM))
	}
	return t.Flush()
}
