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

// Verdict says whether an execution fulfils a condition of an exercise.
type Verdict struct {
	OK  bool   `json:"ok"`
	Say string `json:"say"` // a sentence: what holds, or the actual and the required value
}

// outcome has the data for conditions, from the first wave of an execution.
type outcome struct {
	reply  *spec.Reply
	cycles uint64
	memory []memory
	steps  []seen
	last   *state.Wave // state after the last step, nil if nothing was recorded
}

// seen is an executed instruction.
type seen struct {
	text                             string
	lines, groups, out, active, cost int
}

// outcomeOf collects the data of an execution.
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
		if s.Inst == nil { // the state before the first instruction
			continue
		}
		o.steps = append(o.steps, sawStep(s))
	}
	return o, nil
}

// sawStep returns the data that conditions can ask for about a step.
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

// Judge evaluates each condition for the execution a. It is an error if a condition cannot be parsed.
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

// judge evaluates a condition. All of its comparisons must hold.
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

// compare describes both sides of a comparison, and reports whether it holds: in all lanes if it refers to lanes.
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

// kinds returns, in parentheses, the kinds of the findings that x counts.
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

// wanted describes the required value v, the right side x, with what x is unless the number says it.
func (o *outcome) wanted(x *operand, v int64, lane int) string {
	switch x.kind {
	case numberOperand, laneOperand, arithmetic:
		return number(v)
	}
	return fmt.Sprintf("%s (%s)", number(v), o.describe(x, lane))
}

// number formats small numbers in decimal, others in hexadecimal.
func number(v int64) string {
	if v > -10_000 && v < 10_000 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("0x%x", uint64(v))
}

// title capitalizes the first letter of a sentence, unless it starts with a register's name, a letter and a number.
func title(s string) string {
	if len(s) > 1 && s[1] >= '0' && s[1] <= '9' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// quantities are numbers that conditions can ask for. They are summed over the instructions whose text starts with a
// name.
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

// value evaluates x in a lane.
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

// plain returns the value of an operand that is only a name.
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

// allLanes, used as a lane, asks for a description that covers all lanes.
const allLanes = -1

// describe describes x, for a lane or for all of them.
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
		if strings.HasSuffix(name, "_") { // the prefix of several names
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

// index describes the lane of a register, or the dword of a buffer, in x: as a number, or for all lanes as a formula.
func (o *outcome) index(x *operand, lane int) string {
	i := x.args[0]
	if lane == allLanes && i.ofLanes() {
		return o.describe(i, lane)
	}
	v, _ := o.value(i, lane) // no error, because it was evaluated before
	return number(v)
}

// part describes an operand of an arithmetic operation.
func (o *outcome) part(x *operand, lane int) string {
	if x.kind == arithmetic {
		return "(" + o.describe(x, lane) + ")"
	}
	return o.describe(x, lane)
}
