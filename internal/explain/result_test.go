package explain

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state/lane"
)

// formula is a result that a row describes as an expression of integers.
type formula struct {
	expr     ast.Expr
	low, top int64  // masks of the result's bits
	flag     string // description of the mask or SCC, or ""
}

var bitsOf = regexp.MustCompile(`^bits (\d+):(\d+) of `)

// parseFormula parses the formula of r, if it has one.
func parseFormula(r *isa.Row) (f formula, ok bool) {
	for _, t := range []isa.Type{r.Sig.Dst, r.Sig.Src[0], r.Sig.Src[1], r.Sig.Src[2]} {
		if t.Info().Float {
			return f, false
		}
	}
	text, flag, _ := strings.Cut(r.Does, "; ")
	_, f.flag, _ = strings.Cut(flag, ": ")
	if m := bitsOf.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		f.top, _ = strconv.ParseInt(m[1], 10, 64)
		f.low, _ = strconv.ParseInt(m[2], 10, 64)
	} else {
		f.top = int64(r.Sig.Dst.Info().Dwords)*32 - 1
		if r.Sig.Dst == isa.B16 || r.Sig.Dst == isa.U16 || r.Sig.Dst == isa.I16 {
			f.top = 15
		}
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, ", with zeros"), ", with the sign")
	var err error
	f.expr, err = parser.ParseExpr(strings.ReplaceAll(text, "~", "^"))
	return f, err == nil && r.Sig.Dst != isa.None
}

// inputs maps names to values.
type inputs map[string]struct {
	v      int64
	signed bool
}

// value evaluates an expression.
func (in inputs) value(t *testing.T, x ast.Expr) int64 {
	number := func(x ast.Expr) int64 {
		n, err := strconv.ParseInt(x.(*ast.BasicLit).Value, 10, 64)
		require.NoError(t, err)
		return n
	}
	switch x := x.(type) {
	case *ast.BasicLit:
		return number(x)
	case *ast.Ident:
		require.Contains(t, in, x.Name)
		return in[x.Name].v
	case *ast.ParenExpr:
		return in.value(t, x.X)
	case *ast.UnaryExpr:
		return ^in.value(t, x.X)
	case *ast.SliceExpr:
		top, low := number(x.Low), number(x.High)
		v := in.value(t, x.X) << (63 - top)
		if in[x.X.(*ast.Ident).Name].signed {
			return v >> (63 - top + low)
		}
		return int64(uint64(v) >> (63 - top + low))
	case *ast.BinaryExpr:
		a, b := in.value(t, x.X), in.value(t, x.Y)
		switch x.Op {
		case token.ADD:
			return a + b
		case token.SUB:
			return a - b
		case token.MUL:
			return a * b
		case token.AND:
			return a & b
		case token.OR:
			return a | b
		case token.XOR:
			return a ^ b
		case token.SHL:
			return a << b
		case token.SHR:
			if in["S0"].signed || in["S1"].signed {
				return a >> b
			}
			return int64(uint64(a) >> b)
		}
	}
	require.Failf(t, "no expression", "%T", x)
	return 0
}

// TestFormulas executes the instructions whose rows have a formula of integers, and compares the results.
func TestFormulas(t *testing.T) {
	r, seen := rand.New(rand.NewPCG(5, 6)), 0
	for _, target := range targetOf {
		m := sim.New(target)
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			row := isa.RowOf(op)
			f, ok := formula{}, false
			if row.On(target) && row.Mem.Op == gcn.NoMem && row.Enc != isa.SOPK && !row.Has(isa.ScalarSrc1) &&
				!row.Has(isa.Jumps) {
				f, ok = parseFormula(row)
			}
			if !ok || row.Has(isa.MovesSource) || row.Has(isa.MovesDst) {
				continue
			}
			in, err := isa.New(target, op, isa.Invalid)
			require.NoError(t, err)
			seen++
			for range 4 {
				checkFormula(t, m, in, &f, r)
			}
		}
	}
	require.Greater(t, seen, 400)
}

// checkFormula executes in on random numbers and compares the results with f.
func checkFormula(t *testing.T, m *sim.Machine, in isa.Inst, f *formula, r *rand.Rand) {
	const dst, mask = 40, 60
	row, w, values := in.Row(), m.NewWave(), inputs{}
	vector := row.Enc >= isa.VOP1
	set := func(field isa.Field, v uint32) {
		if in.Has(field) {
			var err error
			in, err = in.Set(field, int64(v))
			require.NoError(t, err)
		}
	}
	for n := range row.Sig.NumSrc {
		typ, at, v := row.Sig.Src[n], 8*n, r.Uint64()
		if r.IntN(4) == 0 {
			v = []uint64{0, 1, math.MaxUint64, 1 << 31, 1<<31 - 1}[r.IntN(5)]
		}
		name := "S" + strconv.Itoa(n)
		x := values[name]
		x.signed = typ == isa.I16 || typ == isa.I32 || typ == isa.I64
		width := 32 * typ.Info().Dwords
		if typ == isa.I16 || typ == isa.U16 || typ == isa.B16 {
			width = 16
		}
		if x.v = int64(v << (64 - width)); x.signed {
			x.v >>= 64 - width
		} else {
			x.v = int64(uint64(x.v) >> (64 - width))
		}
		values[name] = x
		if vector {
			w.SetVGPR(at, lane.All(uint32(v)))
			w.SetVGPR(at+1, lane.All(uint32(v>>32)))
			set([]isa.Field{isa.SRC0, isa.SRC1, isa.SRC2}[n], isa.VGPR0+uint32(at))
			if n == 1 {
				set(isa.VSRC1, uint32(at))
			}
		} else {
			w.S[at], w.S[at+1] = uint32(v), uint32(v>>32)
			set([]isa.Field{isa.SSRC0, isa.SSRC1}[n], uint32(at))
		}
	}
	set(isa.VDST, dst)
	set(isa.SDST, map[bool]uint32{false: dst, true: mask}[vector])
	bit := r.IntN(2)
	w.SCC = uint32(bit)
	w.SetScalar64(gcn.VCC, uint64(-bit))
	for _, name := range []string{"SCC", "carry", "borrow"} {
		values[name] = struct {
			v      int64
			signed bool
		}{v: int64(bit)}
	}
	words, n := in.Encode()
	_, err := m.Run(context.Background(), w, append(words[:n:n], 0xbf810000)) // s_endpgm
	require.NoError(t, err, row.Name)

	v := values.value(t, f.expr)
	got, flag := uint64(w.S[dst])|uint64(w.S[dst+1])<<32, w.SCC != 0
	if vector {
		got = uint64(w.VGPR(dst)[63]) | uint64(w.VGPR(dst + 1)[63])<<32
		out := uint32(gcn.VCC)
		if row.Enc == isa.VOP3B {
			out = mask
		}
		flag = w.Scalar64(out)>>63 != 0
	}
	cut := uint64(math.MaxUint64) >> (63 - (f.top - f.low))
	assert.Equal(t, uint64(v)>>f.low&cut, got&cut, "%s: %q of %v", row.Name, row.Does, values)
	if f.top > 31 {
		return // the flag depends on more bits than the formula has
	}
	switch f.flag {
	case "it is not 0":
		assert.Equal(t, uint64(v)&cut != 0, flag, "%s: %q of %v", row.Name, row.Does, values)
	case "carry", "borrow":
		assert.Equal(t, v != int64(uint32(v)), flag, "%s: %q of %v", row.Name, row.Does, values)
	case "signed overflow":
		assert.Equal(t, v != int64(int32(v)), flag, "%s: %q of %v", row.Name, row.Does, values)
	default:
		assert.Empty(t, f.flag, row.Name)
	}
}
