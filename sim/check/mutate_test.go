package check_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// judgedInstructions is the number of instructions, of the first work-groups of a kernel,
// by which its mutants are judged.
const judgedInstructions = 4000

// mutant is a program with one change. Only its checker sees the change: the events are those
// of a run of the original program.
type mutant struct {
	what    string
	pc      uint64
	instead *isa.Inst // the instruction that replaces the one at pc, nil if that one is deleted
	next    *isa.Inst // the next instruction, if it moves before the wait, else nil
	checker *check.Checker
	loss    check.Loss
	caught  bool
	onPath  bool // a path of the changed program has a warning or an error
	unknown int  // [check.Paths].Unknown of the changed program
}

// changes returns the mutants of p that change the instruction in at pc.
func changes(p *sim.Program, pc uint64, in isa.Inst) (all []*mutant) {
	switch in.Row().Control {
	case isa.Idles:
		return []*mutant{{what: "delete s_nop", pc: pc}}
	case isa.Waits:
		all = append(all, &mutant{what: "delete s_waitcnt", pc: pc})
		if next, ok := p.Inst(pc + uint64(in.Size)); ok && mayMove((*isa.Inst)(&next)) {
			all = append(all, &mutant{what: "move the next before it", pc: pc, instead: &in, next: (*isa.Inst)(&next)})
		}
		n, t := in.Waits(), isa.TraitsOf(in.Target)
		raised := func(name string, set func(*uint32)) {
			imm := in.Get(isa.SIMM16)
			set(&imm)
			other := in
			shift, _ := isa.FieldBits(in.Target.Gen(), in.Enc, isa.SIMM16)
			other.Words = in.Words&^(0xffff<<shift) | uint64(imm)<<shift
			all = append(all, &mutant{what: "raise " + name, pc: pc, instead: &other})
		}
		if n.VM < t.MaxVM {
			raised("vmcnt", func(imm *uint32) { *imm = *imm&^0xc00f | uint32(n.VM+1)&15 | uint32(n.VM+1)>>4<<14 })
		}
		if n.EXP < t.MaxEXP {
			raised("expcnt", func(imm *uint32) { *imm += 1 << 4 })
		}
		if n.LGKM < 15 {
			raised("lgkmcnt", func(imm *uint32) { *imm += 1 << 8 })
		}
	}
	return all
}

// mayMove reports whether an instruction has the same effect before a wait: it neither branches nor reads the PC.
func mayMove(in *isa.Inst) bool {
	r := in.Row()
	return r.Control == isa.NoControl && !r.Has(isa.Branch) && !r.Has(isa.Jumps) && r.Name != "s_getpc_b64"
}

// mutation passes the events of a run to the mutants of its program.
type mutation struct {
	sim.NoWatcher
	found   map[uint64]sim.Event // the waits and s_nop of the first run, which finds the instructions to change
	mutants []*mutant
	plain   *check.Checker
	left    int

	movers []*mover
}

// mover shows a checker the waits of some mutants after the next instruction. If that instruction is an access, the
// moved wait waits for it, too. Such a mutant has a mover of its own.
type mover struct {
	checker *check.Checker
	moved   map[uint64]*mutant      // the mutants by the PC of the wait
	held    map[*state.Wave]*mutant // the mutant whose wait has not been shown yet, by wave
}

// issue passes e to the checker, but not the event of a moved wait: retire does that after the next instruction.
func (m *mover) issue(e *sim.Event) {
	if m.moved[e.PC] == nil {
		m.checker.Issue(e)
	}
}

func (m *mover) retire(e *sim.Event) {
	if x := m.moved[e.PC]; x != nil {
		m.held[e.Wave] = x
		return
	}
	m.checker.Retire(e)
	x := m.held[e.Wave]
	if x == nil {
		return
	}
	delete(m.held, e.Wave)
	x.caught = x.caught || m.checker.FoundHere()
	wait := *e
	wait.PC, wait.Inst = x.pc, (*gcn.Inst)(x.instead)
	m.checker.Issue(&wait)
	m.checker.Retire(&wait)
}

func (m *mutation) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

func (m *mutation) Begin(waves []*state.Wave) {
	for _, x := range m.mutants {
		x.checker.Begin(waves)
	}
	for _, x := range m.movers {
		x.checker.Begin(waves)
	}
	m.plain.Begin(waves)
}

func (m *mutation) Issue(e *sim.Event) {
	if m.left--; m.left < 0 {
		return
	}
	if m.found != nil {
		if c := (*isa.Inst)(e.Inst).Row().Control; c == isa.Waits || c == isa.Idles {
			m.found[e.PC] = *e
		}
		return
	}
	m.each(e, (*check.Checker).Issue)
	m.plain.Issue(e)
	for _, x := range m.movers {
		x.issue(e)
	}
}

func (m *mutation) Retire(e *sim.Event) {
	if m.left < 0 || m.found != nil {
		return
	}
	m.each(e, (*check.Checker).Retire)
	m.plain.Retire(e)
	for _, x := range m.movers {
		x.retire(e)
	}
}

// each calls show with e for all mutants that have no finding yet.
func (m *mutation) each(e *sim.Event, show func(*check.Checker, *sim.Event)) {
	for _, x := range m.mutants {
		switch {
		case x.caught:
		case e.PC != x.pc:
			show(x.checker, e)
			x.caught = x.checker.FoundHere()
		case x.instead != nil:
			other := *e
			other.Inst = (*gcn.Inst)(x.instead)
			show(x.checker, &other)
		}
	}
}

// lose sets the losses of the mutants that change the wait of e.
func (m *mutation) lose(e *sim.Event) {
	for _, x := range m.mutants {
		if e.PC == x.pc && (*isa.Inst)(e.Inst).Row().Control == isa.Waits {
			x.loss = max(x.loss, m.plain.Lost(e, x.instead, nil))
		}
	}
	for _, mover := range m.movers {
		if x := mover.moved[e.PC]; x != nil {
			x.loss = max(x.loss, m.plain.Lost(e, nil, x.next))
		}
	}
}

// mutate returns the mutants of a kernel with the results of their checkers.
func mutate(t *testing.T, file string) []*mutant {
	newChecker := func(kind string) *check.Checker {
		c, err := check.New(kind)
		require.NoError(t, err)
		return c
	}
	run := func(w sim.Watcher) {
		m, l := launchOf(t, file)
		require.NoError(t, l.Watch(w))
		_, err := m.Dispatch(context.Background(), *l)
		require.NoError(t, err)
	}
	first := &mutation{found: map[uint64]sim.Event{}, left: judgedInstructions, plain: newChecker("wait")}
	run(first)
	newMover := func() *mover {
		return &mover{newChecker("wait"), map[uint64]*mutant{}, map[*state.Wave]*mutant{}}
	}
	second := &mutation{left: judgedInstructions, plain: newChecker("wait"), movers: []*mover{newMover()}}
	var all []*mutant
	for pc, e := range first.found {
		for _, x := range changes(e.Program, pc, isa.Inst(*e.Inst)) {
			all = append(all, x)
			switch {
			case x.next == nil:
				second.mutants = append(second.mutants, x)
			case x.next.Counts() == isa.Counts{}:
				second.movers[0].moved[pc] = x
			default:
				m := newMover()
				m.moved[pc] = x
				second.movers = append(second.movers, m)
			}
		}
	}
	for _, x := range second.mutants {
		x.checker = newChecker("wait")
		if x.what == "delete s_nop" {
			x.checker = newChecker("wait-state")
			x.checker.Options.XNACK = true // GCN 1.4 code objects allow XNACK
		}
	}
	run(losing{second})
	m, l := launchOf(t, file)
	for _, x := range all {
		if x.what != "delete s_nop" {
			x.follow(t, m, l)
		}
	}
	return all
}

// follow checks all paths through the kernel of l with the change of x.
func (x *mutant) follow(t *testing.T, m *sim.Machine, l *sim.Launch) {
	word := uint32(0xbf800000) // s_nop 0
	if x.instead != nil {
		word = uint32(x.instead.Words)
	}
	var code []byte
	if x.next != nil {
		code = binary.LittleEndian.AppendUint64(nil, x.next.Words)[:x.next.Size]
	}
	code = binary.LittleEndian.AppendUint32(code, word)
	old := make([]byte, len(code))
	require.NoError(t, m.Read(x.pc, old))
	require.NoError(t, m.Write(x.pc, code))
	found, followed := pathsOf(t, l.Module, l.Kernel, "wait-raw", "wait-waw", "wait-war", "vccz")
	x.unknown = followed.Unknown
	x.onPath = slices.ContainsFunc(found, func(f check.Finding) bool { return f.Severity >= check.Warning })
	require.NoError(t, m.Write(x.pc, old))
}

// losing is a mutation that also sets the losses of mutants.
type losing struct{ *mutation }

func (l losing) Issue(e *sim.Event) {
	if l.left > 0 {
		l.lose(e)
	}
	l.mutation.Issue(e)
}

// TestMutations deletes each wait and each s_nop of compiled kernels, raises each field of each wait, and moves the
// next instruction before the wait. It counts the mutants with a finding in a run, and on a path, and the reasons of
// the others: the facts are proved without the wait, are not about registers, or are needed only on paths that the run
// did not take. A mutant with the last reason and without a finding on a path is missed, unless all paths were
// followed: then no path needs the wait. The test uses each kernel on two chips, in short mode only some kernels.
func TestMutations(t *testing.T) {
	type key struct{ kernel, chip, what string }
	type counts struct{ all, caught, paths, both, nothing, memory, elsewhere, unused, missed int }
	table := map[key]*counts{}
	for i, file := range specifications(t, "*.json") {
		parts := strings.Split(filepath.Base(file), ".")
		if len(parts) != 3 || i%5 != 0 && i%5 != 2 { // another compilation of a kernel, or one of the three other chips
			continue
		}
		if !effort.Full() && i%97 != 0 {
			continue
		}
		for _, x := range mutate(t, file) {
			k := key{parts[0], parts[1], x.what}
			if table[k] == nil {
				table[k] = &counts{}
			}
			n := table[k]
			n.all++
			if x.onPath {
				n.paths++
			}
			if x.onPath && x.caught {
				n.both++
			}
			switch {
			case x.caught:
				n.caught++
			case x.what == "delete s_nop" || x.loss == check.NoLoss:
				n.nothing++
			case x.loss == check.MemoryOnly:
				n.memory++
			case x.onPath:
				n.elsewhere++
			case x.unknown == 0:
				n.unused++
			default:
				n.missed++
			}
		}
	}
	var lines []string
	for k, n := range table {
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", k.chip, k.kernel, k.what,
			n.all, n.caught,
			n.paths, n.both, n.nothing, n.memory, n.elsewhere, n.unused, n.missed))
	}
	slices.SortFunc(lines, cmp.Compare[string])
	const file = "testdata/mutations.tsv"
	if !effort.Full() {
		golden.Sample(t, file, []byte(strings.Join(lines, "")))
		return
	}
	head := "chip\tkernel\tmutation\tall\tcaught in a run\ton a path\tin both\tnothing is lost\torder of memory " +
		"alone\tneeded on other ways, found\tneeded on no path\tneeded on a path that was not followed\n"
	golden.Compare(t, file, []byte(head+strings.Join(lines, "")))
}
