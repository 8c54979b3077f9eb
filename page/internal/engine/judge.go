package engine

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/draw/touched"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// Verdict says whether a run does what an exercise asks for.
type Verdict struct {
	OK  bool   `json:"ok"`
	Say string `json:"say"` // a sentence: what holds, or what the run has and what is wanted
}

// outcome holds what conditions are about: the first wave of a run.
type outcome struct {
	reply  *spec.Reply
	cycles uint64
	memory []memory
	steps  []seen
	last   *state.Wave // as the last step left it, nil if nothing was recorded
}

// seen is an instruction that was executed.
type seen struct {
	text                             string
	lines, groups, out, active, cost int
}

// outcomeOf reads what a run did.
func outcomeOf(r *record.Record, a *runAnswer) (*outcome, error) {
	o := &outcome{reply: a.Reply, cycles: a.Cycles, memory: a.Memory}
	if len(r.Windows) == 0 {
		return o, nil
	}
	for s, err := range r.Windows[0].Steps() {
		if err != nil {
			return nil, err
		}
		o.last = s.State
		if s.Inst == nil { // the state before the first one
			continue
		}
		o.steps = append(o.steps, sawStep(s))
	}
	return o, nil
}

// sawStep returns what conditions can ask of a step.
func sawStep(s *record.Step) seen {
	x := seen{text: s.Text, groups: len(s.LaneGroups)}
	for _, group := range s.LaneGroups {
		x.cost += int(group.Clocks)
	}
	if a := s.Access; a != nil {
		x.lines = touched.Lines(a)
		for lane := range state.NumLanes {
			x.active += int(a.Exec >> lane & 1)
			x.out += int(a.OutMask() >> lane & 1)
		}
	}
	return x
}

// Judge answers each condition for the run of a. A condition that is no condition is the error.
func Judge(wants []string, r *record.Record, a *runAnswer) ([]Verdict, error) {
	o, err := outcomeOf(r, a)
	if err != nil {
		return nil, err
	}
	list := make([]Verdict, len(wants))
	for i, text := range wants {
		c, err := parseCondition(text)
		if err != nil {
			return nil, err
		}
		list[i] = o.judge(c)
	}
	return list, nil
}

// judge answers a condition. All of its comparisons must hold.
func (o *outcome) judge(c condition) Verdict {
	if o.reply.Error != nil {
		return Verdict{Say: "The run failed: " + o.reply.Error.Message + "."}
	}
	if o.last == nil {
		return Verdict{Say: "The program executes nothing."}
	}
	var held []string
	for _, one := range c {
		say, ok := o.compare(&one)
		if !ok {
			return Verdict{Say: say}
		}
		if !slices.Contains(held, say) {
			held = append(held, say)
		}
	}
	return Verdict{true, strings.Join(held, " ")}
}

// compare says how both sides of a comparison stand: in all lanes, if it speaks of lanes.
func (o *outcome) compare(c *comparison) (say string, ok bool) {
	lanes := 1
	if c.left.ofLanes() || c.right.ofLanes() {
		lanes = state.NumLanes
	}
	for lane := range lanes {
		left, err := o.value(c.left, lane)
		if err != nil {
			return title(err.Error()) + ".", false
		}
		right, err := o.value(c.right, lane)
		if err != nil {
			return title(err.Error()) + ".", false
		}
		say = title(o.describe(c.left, lane)) + " is " + number(left) + o.kinds(c.left)
		if !c.op.holds(left, right) {
			return fmt.Sprintf("%s; the exercise wants %s%s.", say, c.op.words(), o.wanted(c.right, right, lane)), false
		}
	}
	if lanes > 1 {
		return fmt.Sprintf("%s is right in all %d lanes.", title(o.describe(c.left, allLanes)), lanes), true
	}
	return say + ".", true
}

// kinds names the findings that x counts, in parentheses.
func (o *outcome) kinds(x *operand) string {
	if x.kind != findingsOperand || x.of != "" || len(o.reply.Findings) == 0 {
		return ""
	}
	var list []string
	for i := range o.reply.Findings {
		if kind := string(o.reply.Findings[i].Kind); !slices.Contains(list, kind) {
			list = append(list, kind)
		}
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// wanted says the number v of the right side x, and what x is where the number alone does not say it.
func (o *outcome) wanted(x *operand, v int64, lane int) string {
	switch x.kind {
	case numberOperand, laneOperand, arithmetic:
		return number(v)
	}
	return fmt.Sprintf("%s (%s)", number(v), o.describe(x, lane))
}

// number writes small numbers as people do, others as programs do.
func number(v int64) string {
	if v > -10_000 && v < 10_000 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("0x%x", uint64(v))
}

// title begins a sentence. The name of a register, a letter and a number, stays as programs write it.
func title(s string) string {
	if len(s) > 1 && s[1] >= '0' && s[1] <= '9' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// quantities are the numbers that conditions can ask for, added up over the instructions whose text begins with a name.
var quantities = map[string]struct {
	what string
	of   func(s *seen) int
}{
	"lines":  {"the number of cache lines of %s", func(s *seen) int { return s.lines }},
	"clocks": {"the number of clocks of %s", func(s *seen) int { return s.cost }},
	"groups": {"the number of groups of lanes of %s", func(s *seen) int { return s.groups }},
	"out":    {"the number of lanes out of range of %s", func(s *seen) int { return s.out }},
	"active": {"the number of active lanes of %s", func(s *seen) int { return s.active }},
	"count":  {"the number of times that %s executes", func(*seen) int { return 1 }},
}

// value computes x in a lane.
func (o *outcome) value(x *operand, lane int) (int64, error) {
	switch x.kind {
	case numberOperand:
		return x.number, nil
	case laneOperand:
		return int64(lane), nil
	case plainOperand:
		return o.plain(x.name), nil
	case scalarOperand:
		return int64(o.last.S[x.number]), nil
	case sumOperand:
		q, sum := quantities[x.name], 0
		for i := range o.steps {
			if strings.HasPrefix(o.steps[i].text, x.of) {
				sum += q.of(&o.steps[i])
			}
		}
		return int64(sum), nil
	case findingsOperand:
		n := 0
		for i := range o.reply.Findings {
			if x.of == "" || string(o.reply.Findings[i].Kind) == x.of {
				n++
			}
		}
		return int64(n), nil
	}
	a, err := o.value(x.args[0], lane)
	if err != nil {
		return 0, err
	}
	switch x.kind {
	case vectorOperand:
		if a < 0 || a >= state.NumLanes || int(x.number) >= len(o.last.V) {
			return 0, fmt.Errorf("there is no lane %d of v%d", a, x.number)
		}
		return int64(o.last.V[x.number][a]), nil
	case memoryOperand:
		return o.dword(x.of, a)
	default:
		b, err := o.value(x.args[1], lane)
		return x.operate(a, b), err
	}
}

// plain returns what has a name of its own.
func (o *outcome) plain(name string) int64 {
	switch name {
	case "cycles":
		return int64(o.cycles)
	case "instructions":
		return int64(o.reply.Executed())
	case "scc":
		return int64(o.last.SCC)
	case "mode":
		return int64(o.last.Mode)
	case "trapsts":
		return int64(o.last.TrapSts)
	case "vcc":
		return int64(o.last.Scalar64(gcn.VCC))
	case "exec":
		return int64(o.last.Exec())
	default: // m0
		return int64(o.last.S[gcn.M0])
	}
}

// dword returns dword i of a buffer or an image after the run.
func (o *outcome) dword(name string, i int64) (int64, error) {
	for _, m := range o.memory {
		if m.Name == name && i >= 0 && 4*i+4 <= int64(len(m.Data)) {
			return int64(binary.LittleEndian.Uint32(m.Data[4*i:])), nil
		}
	}
	return 0, fmt.Errorf("there is no dword %d of %s", i, name)
}

// allLanes in place of a lane asks for words about all lanes.
const allLanes = -1

// describe says what x is, in a lane or in all of them.
func (o *outcome) describe(x *operand, lane int) string {
	switch x.kind {
	case numberOperand:
		return number(x.number)
	case laneOperand:
		if lane == allLanes {
			return "lane"
		}
		return fmt.Sprint(lane)
	case plainOperand:
		if x.name == "cycles" || x.name == "instructions" {
			return "the number of " + x.name
		}
		return strings.ToUpper(x.name)
	case scalarOperand:
		return fmt.Sprintf("s%d", x.number)
	case sumOperand:
		name := x.of
		if strings.HasSuffix(name, "_") { // the beginning of names
			name += "*"
		}
		return fmt.Sprintf(quantities[x.name].what, name)
	case findingsOperand:
		if x.of == "" {
			return "the number of findings"
		}
		return "the number of findings of the kind " + x.of
	case vectorOperand:
		if index := o.index(x, lane); index != "lane" {
			return fmt.Sprintf("v%d of lane %s", x.number, index)
		}
		return fmt.Sprintf("v%d", x.number)
	case memoryOperand:
		return fmt.Sprintf("dword %s of %s", o.index(x, lane), x.of)
	}
	op := " " + x.name + " "
	if x.name == "+" && x.args[0].kind == sumOperand {
		op = " plus "
	}
	return o.part(x.args[0], lane) + op + o.part(x.args[1], lane)
}

// index says which lane of a register or which dword of a buffer x is: the number, or for all lanes the formula.
func (o *outcome) index(x *operand, lane int) string {
	i := x.args[0]
	if lane == allLanes && i.ofLanes() {
		return o.describe(i, lane)
	}
	v, _ := o.value(i, lane) // it was computed before
	return number(v)
}

// part describes an operand of an operation.
func (o *outcome) part(x *operand, lane int) string {
	if x.kind == arithmetic {
		return "(" + o.describe(x, lane) + ")"
	}
	return o.describe(x, lane)
}
