package debug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/state"
)

// value is the value of an expression, with its text.
type value struct {
	n       float64
	bits    uint64
	isFloat bool
	text    string
	lanes   *state.Lanes // of a vector register
	addr    uint64       // of memory
	size    uint64       // of memory, 0 of others
	space   state.Space
	ref     func() []variable
}

func (v *value) zero() bool { return v.isFloat && v.n == 0 || !v.isFloat && v.bits == 0 }

func (v *value) number() float64 {
	if v.isFloat {
		return v.n
	}
	return float64(v.bits)
}

func integerValue(n uint64) *value {
	v := &value{bits: n, text: fmt.Sprintf("%d (0x%x)", n, n)}
	return v
}

func dwordValue(n uint32) *value {
	return &value{bits: uint64(n), text: dword(n)}
}

// dword shows 32 bits as a number, and as a float if it looks like one.
func dword(n uint32) string {
	text := fmt.Sprintf("0x%08x", n)
	if f := math.Float32frombits(n); n != 0 && math.Abs(float64(f)) > 1e-20 && math.Abs(float64(f)) < 1e20 {
		return fmt.Sprintf("%s  %d  %gf", text, int32(n), f)
	}
	return fmt.Sprintf("%s  %d", text, int32(n))
}

var (
	descriptorForm = regexp.MustCompile(`^s\[(\d+):(\d+)\] as ([VTS])#$`)
	derefForm      = regexp.MustCompile(`\*\s*\(\s*(\w+)\s*\*\s*\)\s*(\([^()]*\)|\w+(?:\[[^\]]*\])?)`)
	vectorForm     = regexp.MustCompile(`^v(\d+)$`)
	scalarForm     = regexp.MustCompile(`^s(\d+)$`)
)

// Evaluate returns the value of an expression for a wave.
func (d *Debugger) Evaluate(text string, w *state.Wave) (*value, error) {
	text = strings.TrimSpace(text)
	verb, rest, _ := strings.Cut(text, " ")
	switch {
	case w == nil:
		return nil, errors.New("all waves have ended")
	case verb == "lane" && rest != "":
		n, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil || n < 0 || n >= state.NumLanes {
			return nil, fmt.Errorf("%s is not a lane; give a number from 0 to 63", rest)
		}
		d.lane = n
		return integerValue(uint64(n)), nil
	case text == "explain":
		return d.explain(w)
	case verb == "why":
		return d.why(rest, w)
	}
	if m := descriptorForm.FindStringSubmatch(text); m != nil {
		return descriptor(w, m[1], m[2], m[3])
	}
	e, err := parser.ParseExpr(derefForm.ReplaceAllString(text, "load_$1($2)"))
	if err != nil {
		return nil, fmt.Errorf("%s is not an expression; write v3, v3[17], s5, s[0:3] as V#, *(u32*)0x1000, explain, "+
			"why v3[17], lane 5, or arithmetic with them", text)
	}
	return d.evaluate(e, w)
}

// explain says what the instruction that w executes next does.
func (d *Debugger) explain(w *state.Wave) (*value, error) {
	in, ok := d.group.Inst(w.PC)
	if !ok {
		return nil, fmt.Errorf("there is no instruction at 0x%x", w.PC)
	}
	return &value{text: explain.Instruction(in).String()}, nil
}

// kinds are the kinds of descriptors as [explain.Words] names them.
var kinds = map[string]string{"V": "vsharp", "T": "tsharp", "S": "ssharp"}

// descriptor explains scalar registers.
func descriptor(w *state.Wave, from, to, kind string) (*value, error) {
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || first > last || last >= isa.TraitsOf(w.Target).SGPRs {
		return nil, fmt.Errorf("there are no registers s[%s:%s]", from, to)
	}
	x, err := explain.Words(kinds[kind], w.Target, w.S[first:last+1])
	if err != nil {
		return nil, err
	}
	return &value{text: x.String()}, nil
}

func (d *Debugger) evaluate(e ast.Expr, w *state.Wave) (*value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return d.evaluate(e.X, w)
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident:
		return d.named(e.Name, w)
	case *ast.IndexExpr:
		return d.indexed(e, w)
	case *ast.SliceExpr:
		return d.slice(e, w)
	case *ast.CallExpr:
		return d.loaded(e, w)
	case *ast.UnaryExpr:
		x, err := d.evaluate(e.X, w)
		if err != nil {
			return nil, err
		}
		return binary2(e.Op, &value{}, x)
	case *ast.BinaryExpr:
		x, err := d.evaluate(e.X, w)
		if err != nil {
			return nil, err
		}
		y, err := d.evaluate(e.Y, w)
		if err != nil {
			return nil, err
		}
		return binary2(e.Op, x, y)
	}
	return nil, errors.New("that is no expression of registers and numbers")
}

func literal(e *ast.BasicLit) (*value, error) {
	if n, err := strconv.ParseUint(e.Value, 0, 64); err == nil {
		return integerValue(n), nil
	}
	f, err := strconv.ParseFloat(e.Value, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is not a number", e.Value)
	}
	return floatValue(f), nil
}

func floatValue(f float64) *value {
	return &value{n: f, isFloat: true, text: strconv.FormatFloat(f, 'g', -1, 64)}
}

// specials are registers with a name.
var specials = map[string]func(w *state.Wave) uint64{
	"exec": (*state.Wave).Exec, "vcc": func(w *state.Wave) uint64 { return w.Scalar64(gcn.VCC) },
	"m0": func(w *state.Wave) uint64 { return uint64(w.S[gcn.M0]) }, "scc": func(w *state.Wave) uint64 { return uint64(w.SCC) },
	"pc": func(w *state.Wave) uint64 { return w.PC }, "mode": func(w *state.Wave) uint64 { return uint64(w.Mode) },
	"status":  func(w *state.Wave) uint64 { return uint64(w.Status()) },
	"trapsts": func(w *state.Wave) uint64 { return uint64(w.TrapSts) },
	"inst":    func(w *state.Wave) uint64 { return w.Executed },
	"wave":    func(w *state.Wave) uint64 { return uint64(w.ID) },
}

func (d *Debugger) named(name string, w *state.Wave) (*value, error) {
	if f, ok := specials[strings.ToLower(name)]; ok {
		return integerValue(f(w)), nil
	}
	if m := vectorForm.FindStringSubmatch(name); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n >= w.NumVGPRs {
			return nil, fmt.Errorf("the wave has no %s: it has %d VGPRs", name, w.NumVGPRs)
		}
		lanes := w.VGPR(n)
		v := dwordValue(lanes[d.lane])
		v.lanes, v.ref = &lanes, func() []variable { return d.lanes(w.ID, n) }
		v.text = fmt.Sprintf("lane %d: %s", d.lane, v.text)
		return v, nil
	}
	if m := scalarForm.FindStringSubmatch(name); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n < isa.TraitsOf(w.Target).SGPRs {
			return dwordValue(w.S[n]), nil
		}
	}
	if name == "lane" {
		return integerValue(uint64(d.lane)), nil
	}
	return nil, fmt.Errorf("there is no register %s", name)
}

// indexed is v3[17].
func (d *Debugger) indexed(e *ast.IndexExpr, w *state.Wave) (*value, error) {
	x, err := d.evaluate(e.X, w)
	if err != nil {
		return nil, err
	}
	i, err := d.evaluate(e.Index, w)
	switch {
	case err != nil:
		return nil, err
	case x.lanes == nil || i.bits >= state.NumLanes:
		return nil, errors.New("an index is a lane of a vector register, as in v3[17]")
	}
	return dwordValue(x.lanes[i.bits]), nil
}

// slice is s[0:1].
func (d *Debugger) slice(e *ast.SliceExpr, w *state.Wave) (*value, error) {
	name, ok := e.X.(*ast.Ident)
	if !ok || e.Low == nil || e.High == nil || name.Name != "s" {
		return nil, errors.New("write scalar registers as in s[0:1]")
	}
	low, err := d.evaluate(e.Low, w)
	if err != nil {
		return nil, err
	}
	high, err := d.evaluate(e.High, w)
	if err != nil {
		return nil, err
	}
	if most := uint64(isa.TraitsOf(w.Target).SGPRs); low.bits > high.bits || high.bits >= most {
		return nil, fmt.Errorf("scalar registers are s0 to s%d", most-1)
	}
	if high.bits == low.bits+1 {
		return integerValue(w.Scalar64(uint32(low.bits))), nil
	}
	var all []string
	for _, n := range w.S[low.bits : high.bits+1] {
		all = append(all, fmt.Sprintf("0x%08x", n))
	}
	return &value{bits: uint64(w.S[low.bits]), text: strings.Join(all, " ")}, nil
}

// loaded is *(u32*)ADDRESS, which the caller has made load_u32(ADDRESS), or f32(X): the bits of X as another type.
func (d *Debugger) loaded(e *ast.CallExpr, w *state.Wave) (*value, error) {
	var as element.Element
	name, ok := e.Fun.(*ast.Ident)
	if !ok || len(e.Args) != 1 {
		return nil, errors.New("write a load as in *(u32*)0x1000, and bits as another type as in f32(v3[17])")
	}
	if name.Name == "lds" || name.Name == "gds" {
		at, err := d.evaluate(e.Args[0], w)
		if err != nil {
			return nil, err
		}
		return d.shared(name.Name, at.bits)
	}
	kind, loads := strings.CutPrefix(name.Name, "load_")
	if err := as.UnmarshalText([]byte(kind)); err != nil {
		return nil, err
	}
	x, err := d.evaluate(e.Args[0], w)
	if err != nil {
		return nil, err
	}
	size := element.Of(as).Bytes
	data := binary.LittleEndian.AppendUint64(nil, x.bits)
	v := &value{}
	if loads {
		clear(data)
		v.addr, v.size = x.bits, uint64(size)
		if d.read(x.bits, data[:size]) != nil {
			return nil, fmt.Errorf("no memory is mapped at 0x%x", x.bits)
		}
	}
	v.bits, v.text = binary.LittleEndian.Uint64(data)&element.Of(as).Mask(), as.Format(data[:size])[0]
	if v.isFloat = element.Of(as).Mantissa > 0; v.isFloat {
		v.n, err = strconv.ParseFloat(v.text, 64)
	}
	return v, err
}

// read reads memory, also the private memory of a work-group.
func (d *Debugger) read(addr uint64, to []byte) error {
	if b := d.private(addr, len(to)); b != nil {
		copy(to, b)
		return nil
	}
	return d.memory.Machine.Read(addr, to)
}

// private returns private memory at an address, nil if that is elsewhere.
func (d *Debugger) private(addr uint64, size int) []byte {
	_, _, private, base := d.group.Storage()
	if at := addr - base; at < uint64(len(private)) && uint64(size) <= uint64(len(private))-at {
		return private[at:][:size]
	}
	return nil
}

func truth(b bool) *value {
	if b {
		return integerValue(1)
	}
	return integerValue(0)
}

// binary2 computes x OP y; an operator with one operand has x = 0.
func binary2(op token.Token, x, y *value) (*value, error) {
	switch op {
	case token.LAND:
		return truth(!x.zero() && !y.zero()), nil
	case token.LOR:
		return truth(!x.zero() || !y.zero()), nil
	case token.NOT:
		return truth(y.zero()), nil
	}
	if x.isFloat || y.isFloat {
		return arithmetic(op, x.number(), y.number(), floatValue)
	}
	a, b := x.bits, y.bits
	switch op {
	case token.AND:
		return integerValue(a & b), nil
	case token.OR:
		return integerValue(a | b), nil
	case token.XOR:
		if x.text == "" {
			a = ^uint64(0)
		}
		return integerValue(a ^ b), nil
	case token.SHL:
		return integerValue(a << b), nil
	case token.SHR:
		return integerValue(a >> b), nil
	case token.REM:
		if b == 0 {
			return nil, errors.New("division by 0")
		}
		return integerValue(a % b), nil
	case token.QUO:
		if b == 0 {
			return nil, errors.New("division by 0")
		}
	}
	return arithmetic(op, a, b, integerValue)
}

func arithmetic[T uint64 | float64](op token.Token, a, b T, of func(T) *value) (*value, error) {
	switch op {
	case token.ADD:
		return of(a + b), nil
	case token.SUB:
		return of(a - b), nil
	case token.MUL:
		return of(a * b), nil
	case token.QUO:
		return of(a / b), nil
	case token.EQL:
		return truth(a == b), nil
	case token.NEQ:
		return truth(a != b), nil
	case token.LSS:
		return truth(a < b), nil
	case token.LEQ:
		return truth(a <= b), nil
	case token.GTR:
		return truth(a > b), nil
	case token.GEQ:
		return truth(a >= b), nil
	}
	return nil, fmt.Errorf("the operator %v is not known", op)
}

// why says where a lane of a vector register, or a scalar register, has its value from: the last instruction of w that
// wrote it, and the backward slice of that.
func (d *Debugger) why(text string, w *state.Wave) (*value, error) {
	m := registerForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, errors.New("write a register, as in why v3[17] or why s5")
	}
	if d.Slice == nil {
		return nil, errors.New("slices are of dispatches")
	}
	reg, _ := strconv.Atoi(m[2])
	file, lane, id := isa.SReg, 0, w.ID
	if m[1] == "v" {
		if file, lane = isa.VReg, d.lane; m[3] != "" {
			lane, _ = strconv.Atoi(m[3])
		}
	}
	var at executes
	group, pos := w.Group, d.pos
	found, err := d.Back(probe{
		at: func() bool {
			now := d.wave
			if now.ID != id || now.Group != group {
				return false
			}
			in, ok := d.group.Inst(now.PC)
			wrote := ok && slices.ContainsFunc(in.Effects(nil), func(f isa.Effect) bool {
				return f.Write && f.File == file && reg >= int(f.Code) && reg < int(f.Code)+int(f.Dwords) &&
					(f.Lanes != isa.ActiveLanes || now.Exec()>>(lane&63)&1 != 0)
			})
			if wrote {
				at = d.next()
			}
			return wrote
		},
		after: func(*state.Wave) bool { return false },
	}, func() bool { return false })
	if again := d.GoTo(pos); err == nil {
		err = again
	}
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("no instruction of the wave has written %s: it has the value since the wave began", text)
	}
	slice, err := d.Slice(at.group, at.wave, at.index, lane)
	return &value{text: slice}, err
}
