package engine

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/draw/touched"
	"github.com/gcnsim/gcnsim/sim/record"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// Verdict says whether a run does what an exercise asks for.
type Verdict struct {
	OK  bool   `json:"ok"`
	Say string `json:"say"` // a sentence: what holds, or what the run has and what is wanted
}

// outcome is what conditions are about: the first wave of a run.
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
	x := seen{text: s.Text, groups: len(s.Turns)}
	for _, turn := range s.Turns {
		x.cost += int(turn.Clocks)
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
	if o.reply.Error != nil || o.last == nil {
		return Verdict{Say: "The run failed."}
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
		if c.op.holds(left, right) {
			say = fmt.Sprintf("%s is %s.", title(c.left.describe(lane)), number(left))
			continue
		}
		return fmt.Sprintf("%s is %s; the exercise wants %s%s.", title(c.left.describe(lane)), number(left), c.op.words(),
			number(right)), false
	}
	if lanes > 1 {
		say = fmt.Sprintf("%s is right in all %d lanes.", title(c.left.describe(-1)), lanes)
	}
	return say, true
}

// number writes small numbers as people do, others as programs do.
func number(v int64) string {
	if v > -10_000 && v < 10_000 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("0x%x", uint64(v))
}

// title begins a sentence, unless it begins with the name of a register.
func title(s string) string {
	if strings.HasPrefix(s, "the") || strings.HasPrefix(s, "dword") || strings.HasPrefix(s, "lane") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// quantities are what conditions can ask of the instructions whose text begins with a name: all of them together.
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
			return 0, fmt.Errorf("lane %d of v%d is not there", a, x.number)
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

// describe says what x is, in a lane or, if that is negative, in all of them.
func (x *operand) describe(lane int) string {
	place := func() string {
		if a := x.args[0]; a.kind == laneOperand && lane < 0 {
			return "each lane"
		}
		return x.args[0].describe(lane)
	}
	switch x.kind {
	case numberOperand:
		return number(x.number)
	case laneOperand:
		return fmt.Sprint(lane)
	case plainOperand:
		if x.name == "cycles" || x.name == "instructions" {
			return "the number of " + x.name
		}
		return strings.ToUpper(x.name)
	case scalarOperand:
		return fmt.Sprintf("s%d", x.number)
	case sumOperand:
		return fmt.Sprintf(quantities[x.name].what, x.of)
	case findingsOperand:
		return strings.TrimSuffix("the number of findings "+x.of, " ")
	case vectorOperand:
		return fmt.Sprintf("v%d of lane %s", x.number, strings.TrimPrefix(place(), "lane "))
	case memoryOperand:
		return fmt.Sprintf("dword %s of %s", place(), x.of)
	default:
		return "the value"
	}
}
