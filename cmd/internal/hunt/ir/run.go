package ir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"strings"
)

// ErrUndefined says that a program has undefined behaviour, so it has no right output.
var ErrUndefined = errors.New("the program is not defined")

// undefined returns an error that wraps ErrUndefined.
func undefined(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUndefined}, args...)...)
}

// maxSteps is the number of instructions that a wave may execute.
const maxSteps = 20_000

// block is a basic block.
type block struct {
	name  string
	lines []string
}

// machine executes a wave.
type machine struct {
	blocks graph
	input  []byte
	index  map[string]int // index of a block by name
	values map[string]*value
	at     [Lanes]int // current block of each lane, len(blocks) at the end
	before [Lanes]int // previous block of each lane
	out    []byte     // output of the work-group
	active uint64
	steps  int
}

// Run returns the output of a kernel with this body, or an error that wraps [ErrUndefined].
func (k *Kernel) Run(body string) ([]byte, error) {
	var out []byte
	for group := range k.Groups {
		m := &machine{input: k.Input, values: map[string]*value{}, index: map[string]int{},
			out: make([]byte, k.Output()/k.Groups)}
		if err := m.parse(body); err != nil {
			return nil, err
		}
		for i := range inputs {
			v := &value{typ: typ{32, false, 1}}
			for lane := range Lanes {
				v.v[0][lane] = uint64(binary.LittleEndian.Uint32(k.Input[4*((group*Lanes+lane)*inputs+i):]))
			}
			m.values[fmt.Sprintf("%%x%d", i)] = v
		}
		if err := m.run(); err != nil {
			return nil, err
		}
		out = append(out, m.out...)
	}
	return out, nil
}

// parse splits a body into blocks. The first block is entry.
func (m *machine) parse(body string) error {
	m.blocks = graphOf(body)
	for i, b := range m.blocks {
		if _, twice := m.index[b.name]; twice {
			return undefined("there are two blocks %s", b.name)
		}
		m.index[b.name] = i
		if i < len(m.blocks)-1 && b.next() == nil {
			return undefined("block %s has no branch at its end", b.name)
		}
	}
	return nil
}

// run executes the wave. It always executes the first block in the text that has lanes, so lanes reconverge where
// branches join in the text, like on hardware.
func (m *machine) run() error {
	for {
		first := len(m.blocks)
		for _, at := range m.at {
			first = min(first, at)
		}
		if first == len(m.blocks) {
			return nil
		}
		m.active = 0
		for lane, at := range m.at {
			if at == first {
				m.active |= 1 << lane
			}
		}
		if err := m.enter(first); err != nil {
			return err
		}
	}
}

// enter executes a block for the active lanes.
func (m *machine) enter(at int) error {
	b := &m.blocks[at]
	for lane := range m.lanes {
		m.at[lane] = len(m.blocks) // overwritten by a branch
	}
	phis := true
	var joined []func()
	for i, line := range b.lines {
		if m.steps++; m.steps > maxSteps {
			return undefined("it executes more than %d instructions", maxSteps)
		}
		if phis = phis && strings.Contains(line, " = phi "); phis {
			set, err := m.phi(line)
			if err != nil {
				return err
			}
			joined = append(joined, set) // all phis are read before any is written
			continue
		}
		for _, set := range joined {
			set()
		}
		joined = nil
		if strings.HasPrefix(line, "br ") && i != len(b.lines)-1 {
			return undefined("%s: it is not at the end of its block", line)
		}
		if err := m.execute(line, at); err != nil {
			return err
		}
	}
	return nil
}

// lanes yields the active lanes.
func (m *machine) lanes(yield func(int) bool) {
	for left := m.active; left != 0; left &= left - 1 {
		if !yield(bits.TrailingZeros64(left)) {
			return
		}
	}
}

// Patterns for lines. Operands are names or constants; a type may contain a space.
const (
	typText  = `(\w+|<2 x \w+>)`
	operText = `([%\w.-]+|<i16 \d+, i16 \d+>)`
)

var (
	branchForm  = regexp.MustCompile(`^br label %(\w+)$`)
	chooseForm  = regexp.MustCompile(`^br i1 ` + operText + `, label %(\w+), label %(\w+)$`)
	storeForm   = regexp.MustCompile(`^store ` + typText + ` ` + operText + `, ptr addrspace\(1\) %o(\d)$`)
	assignForm  = regexp.MustCompile(`^(%[\w.]+) = (.*)$`)
	phiForm     = regexp.MustCompile(`^phi ` + typText + ` (\[.*\])$`)
	fromForm    = regexp.MustCompile(`\[ ` + operText + `, %(\w+) \]`)
	binaryForm  = regexp.MustCompile(`^(\w+)((?: nsw| nuw| exact)*) ` + typText + ` ` + operText + `, ` + operText + `$`)
	compareForm = regexp.MustCompile(`^([if]cmp) (\w+) ` + typText + ` ` + operText + `, ` + operText + `$`)
	selectForm  = regexp.MustCompile(`^select i1 ` + operText + `, ` + typText + ` ` + operText + `, ` + typText + ` ` +
		operText + `$`)
	castForm = regexp.MustCompile(`^(\w+) ` + typText + ` ` + operText + ` to ` + typText + `$`)
	callForm = regexp.MustCompile(`^call ` + typText + ` @llvm\.([\w.]+)\((.*)\)$`)
	argForm  = regexp.MustCompile(typText + ` ` + operText + `(?:, |$)`)
)

// execute executes a line for the active lanes.
func (m *machine) execute(line string, at int) error {
	if f := branchForm.FindStringSubmatch(line); f != nil {
		return m.branch(m.active, f[1], at)
	}
	if f := chooseForm.FindStringSubmatch(line); f != nil {
		c, err := m.operand(f[1], typ{1, false, 1})
		if err != nil {
			return err
		}
		if c.poison&m.active != 0 {
			return undefined("%s: the condition is poison", line)
		}
		var yes uint64
		for lane := range m.lanes {
			yes |= c.v[0][lane] << lane
		}
		if err := m.branch(m.active&yes, f[2], at); err != nil {
			return err
		}
		return m.branch(m.active&^yes, f[3], at)
	}
	if f := storeForm.FindStringSubmatch(line); f != nil {
		return m.store(f, line)
	}
	f := assignForm.FindStringSubmatch(line)
	if f == nil {
		return undefined("%s: no such instruction", line)
	}
	v, err := m.compute(f[2])
	if err != nil {
		if !errors.Is(err, ErrUndefined) {
			err = undefined("%s: %v", line, err)
		}
		return err
	}
	m.assign(f[1], v)
	return nil
}

// assign stores the value of a name in the active lanes.
func (m *machine) assign(name string, v *value) {
	to := m.values[name]
	if to == nil {
		to = &value{typ: v.typ}
		m.values[name] = to
	}
	to.typ = v.typ
	to.poison = to.poison&^m.active | v.poison&m.active
	for i := range v.typ.n {
		for lane := range m.lanes {
			to.v[i][lane] = v.v[i][lane] & v.typ.mask()
		}
	}
}

// branch moves lanes to a block.
func (m *machine) branch(lanes uint64, name string, from int) error {
	to, known := m.index[name]
	if !known {
		return undefined("there is no block %s", name)
	}
	for lane := range Lanes {
		if lanes>>lane&1 != 0 {
			m.at[lane], m.before[lane] = to, from
		}
	}
	return nil
}

// phi returns the function that assigns the phi's value.
func (m *machine) phi(line string) (func(), error) {
	f := assignForm.FindStringSubmatch(line)
	if f == nil {
		return nil, undefined("%s: no such instruction", line)
	}
	p := phiForm.FindStringSubmatch(f[2])
	if p == nil {
		return nil, undefined("%s: no such instruction", line)
	}
	t, err := typeOf(p[1])
	if err != nil {
		return nil, undefined("%s: %v", line, err)
	}
	v := &value{typ: t}
	var taken uint64
	for _, from := range fromForm.FindAllStringSubmatch(p[2], -1) {
		before, known := m.index[from[2]]
		if !known {
			return nil, undefined("%s: there is no block %s", line, from[2])
		}
		for lane := range m.lanes {
			if m.before[lane] != before {
				continue
			}
			in, err := m.operand(from[1], t)
			if err != nil {
				return nil, undefined("%s: %v", line, err)
			}
			v.v[0][lane], v.v[1][lane] = in.v[0][lane], in.v[1][lane]
			v.poison |= in.poison & (1 << lane)
			taken |= 1 << lane
		}
	}
	if m.active&^taken != 0 {
		return nil, undefined("%s: a lane comes from another block", line)
	}
	return func() { m.assign(f[1], v) }, nil
}

// operand returns the value of a name or of a constant of type t.
func (m *machine) operand(text string, t typ) (*value, error) {
	if !strings.HasPrefix(text, "%") {
		v, err := literal(text, t)
		return &v, err
	}
	v := m.values[text]
	switch {
	case v == nil:
		return nil, undefined("%s has no value", text)
	case v.typ != t:
		return nil, undefined("%s is no %v", text, t)
	}
	return v, nil
}

// store writes to the work-group's output.
func (m *machine) store(f []string, line string) error {
	t, err := typeOf(f[1])
	if err != nil {
		return undefined("%s: %v", line, err)
	}
	v, err := m.operand(f[2], t)
	if err != nil {
		return err
	}
	if t.n*t.bits != 32 {
		return undefined("%s: a word of the output has 32 bits", line)
	}
	for lane := range m.lanes {
		if v.poison>>lane&1 != 0 {
			return undefined("%s: the value is poison", line)
		}
		word := uint32(v.v[0][lane])
		if t.n == 2 {
			word |= uint32(v.v[1][lane]) << t.bits
		}
		for i := range t.n {
			if t.float && isNaN(t, v.v[i][lane]) {
				return undefined("%s: which NaN it is is not defined", line)
			}
		}
		binary.LittleEndian.PutUint32(m.out[4*(lane*outputs+int(f[3][0]-'0')):], word)
	}
	return nil
}
