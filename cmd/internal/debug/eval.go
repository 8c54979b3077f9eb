package debug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"math"
	"math/bits"
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

// value is the value of an expression. Integers are unsigned and have 64 bits.
type value struct {
	n        constant.Value // an integer or a float; unknown if there is only text
	text     string
	children func() []variable

	// name is the expression of a register or of memory, "" for other values. A register has get. It has set unless
	// it is read-only. Memory has a size.
	name       string
	get        func(w *state.Wave) uint64
	set        func(w *state.Wave, v uint64)
	file       isa.RegFile
	reg, lane  int // number of a general register, and its lane
	space      state.Space
	addr, size uint64
}

func textValue(text string) *value { return &value{n: constant.MakeUnknown(), text: text} }

func (v *value) isZero() bool { return constant.Sign(v.n) == 0 }

// bits returns an integer, or the 32 bits of a float.
func (v *value) bits() uint64 {
	if v.n.Kind() == constant.Float {
		f, _ := constant.Float32Val(v.n)
		return uint64(math.Float32bits(f))
	}
	n, _ := constant.Uint64Val(v.n)
	return n
}

// computed returns a number as a value. It truncates integers to 64 bits.
func computed(n constant.Value) *value {
	if n.Kind() == constant.Float {
		f, _ := constant.Float64Val(n)
		return &value{n: n, text: strconv.FormatFloat(f, 'g', -1, 64)}
	}
	v := &value{n: constant.BinaryOp(n, token.AND, constant.MakeUint64(math.MaxUint64))}
	v.text = fmt.Sprintf("%d (0x%x)", v.bits(), v.bits())
	return v
}

func integer(n uint64) *value { return computed(constant.MakeUint64(n)) }

// dword returns 32 bits as the text of a number, followed by the text of a float if the bits look like one.
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
	registerForm   = regexp.MustCompile(`^([vs])(\d+)$`)
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
		return integer(uint64(n)), nil
	case text == "explain":
		in, ok := d.group.Inst(w.PC)
		if !ok {
			return nil, fmt.Errorf("there is no instruction at 0x%x", w.PC)
		}
		return textValue(explain.Instruction(in).String()), nil
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

// descriptor decodes the descriptor in scalar registers.
func descriptor(w *state.Wave, from, to, kind string) (*value, error) {
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || first > last || last >= isa.TraitsOf(w.Target).SGPRs {
		return nil, fmt.Errorf("there are no registers s[%s:%s]", from, to)
	}
	x, err := explain.Words(strings.ToLower(kind)+"sharp", w.Target, w.S[first:last+1])
	if err != nil {
		return nil, err
	}
	v := textValue(x.String())
	v.children = func() []variable { return fieldsOf(x) }
	return v, nil
}

func (d *Debugger) evaluate(e ast.Expr, w *state.Wave) (*value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return d.evaluate(e.X, w)
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return computed(constant.MakeFromLiteral(e.Value, e.Kind, 0)), nil
		}
	case *ast.Ident:
		return d.named(e.Name, w)
	case *ast.IndexExpr:
		return d.indexed(e, w)
	case *ast.SliceExpr:
		return d.slice(e, w)
	case *ast.CallExpr:
		return d.called(e, w)
	case *ast.UnaryExpr:
		return d.operate(e.Op, nil, e.X, w)
	case *ast.BinaryExpr:
		return d.operate(e.Op, e.X, e.Y, w)
	}
	return nil, errors.New("that is no expression of registers and numbers")
}

// operate evaluates x OP y, or OP y if x is nil.
func (d *Debugger) operate(op token.Token, left, right ast.Expr, w *state.Wave) (*value, error) {
	y, err := d.evaluate(right, w)
	if err != nil || left == nil {
		return apply(op, nil, y, err)
	}
	x, err := d.evaluate(left, w)
	return apply(op, x, y, err)
}

// apply computes x OP y, or OP y if x is nil. If failed is not nil, it returns failed. Package constant panics for
// unsupported operands.
func apply(op token.Token, x, y *value, failed error) (v *value, err error) {
	if failed != nil {
		return nil, failed
	}
	defer func() {
		if recover() != nil {
			v, err = nil, fmt.Errorf("the operator %v does not take these values", op)
		}
	}()
	switch {
	case op == token.NOT:
		return truth(y.isZero()), nil
	case x == nil:
		return computed(constant.UnaryOp(op, y.n, 64)), nil
	case op == token.LAND:
		return truth(!x.isZero() && !y.isZero()), nil
	case op == token.LOR:
		return truth(!x.isZero() || !y.isZero()), nil
	case op == token.SHL, op == token.SHR:
		n, _ := constant.Uint64Val(y.n)
		return computed(constant.Shift(x.n, op, uint(min(n, 64)))), nil
	case op == token.EQL, op == token.NEQ, op == token.LSS, op == token.LEQ, op == token.GTR, op == token.GEQ:
		return truth(constant.Compare(x.n, op, y.n)), nil
	case op == token.QUO && x.n.Kind() == constant.Int && y.n.Kind() == constant.Int:
		op = token.QUO_ASSIGN // integer division
	}
	return computed(constant.BinaryOp(x.n, op, y.n)), nil
}

func truth(b bool) *value {
	if b {
		return integer(1)
	}
	return integer(0)
}

// special is a register with a name of its own, such as vcc.
type special struct {
	get func(w *state.Wave) uint64
	set func(w *state.Wave, v uint64) // nil if the register is read-only
}

var specials = map[string]special{
	"exec": {(*state.Wave).Exec, (*state.Wave).SetExec},
	"vcc": {func(w *state.Wave) uint64 { return w.Scalar64(gcn.VCC) },
		func(w *state.Wave, v uint64) { w.SetScalar64(gcn.VCC, v) }},
	"m0": {func(w *state.Wave) uint64 { return uint64(w.S[gcn.M0]) },
		func(w *state.Wave, v uint64) { w.S[gcn.M0] = uint32(v) }},
	"scc": {func(w *state.Wave) uint64 { return uint64(w.SCC) },
		func(w *state.Wave, v uint64) { w.SCC = uint32(v & 1) }},
	"pc": {func(w *state.Wave) uint64 { return w.PC }, func(w *state.Wave, v uint64) { w.PC = v }},
	"mode": {func(w *state.Wave) uint64 { return uint64(w.Mode) },
		func(w *state.Wave, v uint64) { w.Mode = state.Mode(v) }},
	"flat_scratch": {func(w *state.Wave) uint64 {
		return w.Scalar64(uint32(max(isa.TraitsOf(w.Target).FlatScratch, 0)))
	}, (*state.Wave).SetFlatScratch},
	"status":  {func(w *state.Wave) uint64 { return uint64(w.Status()) }, nil},
	"trapsts": {func(w *state.Wave) uint64 { return uint64(w.TrapSts) }, nil},
	"inst":    {func(w *state.Wave) uint64 { return w.Executed }, nil},
	"wave":    {func(w *state.Wave) uint64 { return uint64(w.ID) }, nil},
}

func (d *Debugger) named(name string, w *state.Wave) (*value, error) {
	if x, ok := specials[strings.ToLower(name)]; ok {
		v := integer(x.get(w))
		v.name, v.get, v.set = strings.ToLower(name), x.get, x.set
		return v, nil
	}
	if m := registerForm.FindStringSubmatch(name); m != nil {
		n, err := strconv.Atoi(m[2])
		switch {
		case err == nil && m[1] == "v" && n < w.NumVGPRs:
			v := vector(w, n, d.lane)
			v.text, v.children = fmt.Sprintf("lane %d: %s", d.lane, v.text), func() []variable { return d.lanes(w.ID, n) }
			v.set = func(w *state.Wave, v uint64) {
				for m := w.Exec(); m != 0; m &= m - 1 {
					setLane(w, n, bits.TrailingZeros64(m), v)
				}
			}
			return v, nil
		case err == nil && m[1] == "s" && n < isa.TraitsOf(w.Target).SGPRs:
			v := &value{n: constant.MakeUint64(uint64(w.S[n])), text: dword(w.S[n]), name: name, file: isa.SReg, reg: n}
			v.get = func(w *state.Wave) uint64 { return uint64(w.S[n]) }
			v.set = func(w *state.Wave, v uint64) { w.S[n] = uint32(v) }
			return v, nil
		}
	}
	if name == "lane" {
		return integer(uint64(d.lane)), nil
	}
	return nil, fmt.Errorf("there is no register %s; the wave has %d VGPRs", name, w.NumVGPRs)
}

// vector returns a lane of a vector register.
func vector(w *state.Wave, reg, lane int) *value {
	n := w.VGPR(reg)[lane]
	return &value{n: constant.MakeUint64(uint64(n)), text: dword(n), name: fmt.Sprintf("v%d[%d]", reg, lane),
		file: isa.VReg, reg: reg, lane: lane,
		get: func(w *state.Wave) uint64 { return uint64(w.VGPR(reg)[lane]) },
		set: func(w *state.Wave, v uint64) { setLane(w, reg, lane, v) }}
}

func setLane(w *state.Wave, reg, lane int, v uint64) {
	all := w.VGPR(reg)
	all[lane] = uint32(v)
	w.SetVGPR(reg, all)
}

// indexed evaluates expressions such as v3[17].
func (d *Debugger) indexed(e *ast.IndexExpr, w *state.Wave) (*value, error) {
	x, err := d.evaluate(e.X, w)
	if err != nil {
		return nil, err
	}
	i, err := d.evaluate(e.Index, w)
	switch {
	case err != nil:
		return nil, err
	case x.get == nil || x.file != isa.VReg || x.children == nil || i.bits() >= state.NumLanes:
		return nil, errors.New("an index is a lane of a vector register, as in v3[17]")
	}
	return vector(w, x.reg, int(i.bits())), nil
}

// slice evaluates expressions such as s[0:1].
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
	from, to, most := low.bits(), high.bits(), uint64(isa.TraitsOf(w.Target).SGPRs)
	switch {
	case from > to || to >= most:
		return nil, fmt.Errorf("scalar registers are s0 to s%d", most-1)
	case to == from+1:
		return integer(w.Scalar64(uint32(from))), nil
	}
	return &value{n: constant.MakeUint64(uint64(w.S[from])), text: fmt.Sprintf("%08x", w.S[from:to+1])}, nil
}

// called evaluates lds(16), gds(16), load_u32(ADDRESS) and f32(X). Evaluate writes load_u32(ADDRESS) for
// *(u32*)ADDRESS. f32(X) interprets the bits of X as another type.
func (d *Debugger) called(e *ast.CallExpr, w *state.Wave) (*value, error) {
	name, ok := e.Fun.(*ast.Ident)
	if !ok || len(e.Args) != 1 {
		return nil, errors.New("write a load as in *(u32*)0x1000, and bits as another type as in f32(v3[17])")
	}
	x, err := d.evaluate(e.Args[0], w)
	if err != nil {
		return nil, err
	}
	kind, loads := strings.CutPrefix(name.Name, "load_")
	v := &value{addr: x.bits()}
	switch {
	case name.Name == "lds":
		kind, v.space = "u32", state.LDS
	case name.Name == "gds":
		kind, v.space = "u32", state.GDS
	case loads:
		v.space = state.Global
	}
	var as element.Element
	if err := as.UnmarshalText([]byte(kind)); err != nil {
		return nil, err
	}
	size, data := element.Of(as).Bytes, binary.LittleEndian.AppendUint64(nil, v.addr)
	if loads || kind != name.Name {
		clear(data)
		if v.size = uint64(size); d.read(v.space, v.addr, data[:size]) < size {
			return nil, fmt.Errorf("there are no %d bytes of %v memory at 0x%x", size, v.space, v.addr)
		}
		v.name = fmt.Sprintf("*(%s*)0x%x", kind, v.addr)
		if !loads {
			v.name = fmt.Sprintf("%s(0x%x)", name.Name, v.addr)
		}
	}
	n := binary.LittleEndian.Uint64(data) & element.Of(as).Mask()
	v.n, v.text = constant.MakeUint64(n), as.Format(data[:size])[0]
	if as == element.U32 {
		v.text = dword(uint32(n))
	}
	if element.Of(as).Mantissa > 0 {
		f, err := strconv.ParseFloat(v.text, 64)
		v.n = constant.MakeFloat64(f) // unknown if f is not finite
		return v, err
	}
	return v, nil
}

// Assign sets the register that an expression names to the value of the expression text.
func (d *Debugger) Assign(expression, text string, w *state.Wave) error {
	to, err := d.Evaluate(expression, w)
	if err != nil {
		return err
	}
	from, err := d.Evaluate(text, w)
	switch {
	case err != nil:
		return err
	case to.set == nil:
		return fmt.Errorf("%s cannot be set", expression)
	}
	return d.Change(func(s *Session) error {
		to.set(s.group.Waves()[w.ID], from.bits())
		return nil
	})
}

// why explains the value of a scalar register, or of a lane of a vector register. It finds the last instruction of w
// that wrote the register, and returns the backward slice of that instruction.
func (d *Debugger) why(text string, w *state.Wave) (*value, error) {
	of, err := d.Evaluate(text, w)
	if err != nil || of.get == nil || of.file != isa.SReg && of.file != isa.VReg {
		return nil, errors.New("write a register, as in why v3[17] or why s5")
	}
	if d.Slice == nil {
		return nil, errors.New("slices are of dispatches")
	}
	var at executes
	group, id, pos := w.Group, w.ID, d.pos
	found, err := d.Back(probe{
		at: func() bool {
			if now := d.wave; now.ID != id || now.Group != group {
				return false
			}
			in, ok := d.group.Inst(d.wave.PC)
			wrote := ok && slices.ContainsFunc(in.Effects(nil), func(f isa.Effect) bool {
				return f.Write && f.File == of.file && of.reg >= int(f.Code) && of.reg < int(f.Code)+int(f.Dwords) &&
					(f.Lanes != isa.ActiveLanes || d.wave.Exec()>>of.lane&1 != 0)
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
	slice, err := d.Slice(at.group, at.wave, at.index, of.lane)
	return textValue(slice), err
}
