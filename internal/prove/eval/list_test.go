package eval_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/prove/eval"
	"github.com/gcnsim/gcnsim/internal/prove/solve"
	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// helpers are SMT-LIB functions for the definitions below.
const helpers = `
(define-fun five ((x (_ BitVec 32))) (_ BitVec 32) (bvand x #x0000001f))
(define-fun low ((x (_ BitVec 32))) (_ BitVec 32) (bvand x #x0000ffff))
(define-fun s16 ((x (_ BitVec 32))) (_ BitVec 32) ((_ sign_extend 16) ((_ extract 15 0) x)))
(define-fun u24 ((x (_ BitVec 32))) (_ BitVec 32) (bvand x #x00ffffff))
(define-fun s24 ((x (_ BitVec 32))) (_ BitVec 32) ((_ sign_extend 8) ((_ extract 23 0) x)))
(define-fun umin ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) (ite (bvult x y) x y))
(define-fun umax ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) (ite (bvult x y) y x))
(define-fun smin ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) (ite (bvslt x y) x y))
(define-fun smax ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) (ite (bvslt x y) y x))
(define-fun uhigh ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32)
  ((_ extract 63 32) (bvmul ((_ zero_extend 32) x) ((_ zero_extend 32) y))))
(define-fun shigh ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32)
  ((_ extract 63 32) (bvmul ((_ sign_extend 32) x) ((_ sign_extend 32) y))))
(define-fun part ((x (_ BitVec 32)) (i (_ BitVec 32)) (bits (_ BitVec 32))) (_ BitVec 32)
  (bvand (bvlshr x (bvmul i bits)) (bvsub (bvshl #x00000001 bits) #x00000001)))
(define-fun signed ((x (_ BitVec 32)) (i (_ BitVec 32)) (bits (_ BitVec 32))) (_ BitVec 32)
  (bvashr (bvshl (part x i bits) (bvsub #x00000020 bits)) (bvsub #x00000020 bits)))
(define-fun apart ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) (ite (bvult x y) (bvsub y x) (bvsub x y)))
`

// slow are the operations for which Z3 needs seconds.
const slow = "sad u8, dot i16, ones add,"

// definitions defines the integer operations in SMT-LIB, from the manuals of GCN (VOP2, VOP3 and VOP3P), for operands
// a, b and c, independent of the lists. Five operations have no definition: perm, and msad u8, sad hi u8, dot i8 and
// dot i4, which Z3 does not decide in ten seconds.
var definitions = map[string]string{
	"mov": "a", "not": "(bvnot a)", "and": "(bvand a b)", "or": "(bvor a b)", "xor": "(bvxor a b)",
	"xnor": "(bvnot (bvxor a b))", "add": "(bvadd a b)", "sub": "(bvsub a b)", "subrev": "(bvsub b a)",
	"mul": "(bvmul a b)", "mad": "(bvadd (bvmul a b) c)", "mul hi u32": "(uhigh a b)", "mul hi i32": "(shigh a b)",
	"mul hi u24": "(uhigh (u24 a) (u24 b))", "mul hi i24": "(shigh (s24 a) (s24 b))",
	"mul u24": "(bvmul (u24 a) (u24 b))", "mul i24": "(bvmul (s24 a) (s24 b))",
	"mad u24": "(bvadd (bvmul (u24 a) (u24 b)) c)", "mad i24": "(bvadd (bvmul (s24 a) (s24 b)) c)",
	"mad u16": "(bvadd (bvmul (low a) (low b)) c)", "mad i16": "(bvadd (bvmul (s16 a) (s16 b)) c)",
	"shl": "(bvshl a (five b))", "shr": "(bvlshr a (five b))", "sar": "(bvashr a (five b))",
	"shlrev": "(bvshl b (five a))", "shrrev": "(bvlshr b (five a))", "sarrev": "(bvashr b (five a))",
	"shlrev 16": "(bvshl b (bvand a #x0000000f))", "shrrev 16": "(bvlshr (low b) (bvand a #x0000000f))",
	"sarrev 16": "(bvashr (s16 b) (bvand a #x0000000f))",
	"add3":      "(bvadd a b c)", "add shl": "(bvshl (bvadd a b) (five c))", "shl add": "(bvadd (bvshl a (five b)) c)",
	"shl or": "(bvor (bvshl a (five b)) c)", "and or": "(bvor (bvand a b) c)", "or3": "(bvor a b c)",
	"xor add": "(bvadd (bvxor a b) c)", "bfi": "(bvor (bvand a b) (bvand (bvnot a) c))",
	"bfm":     "(bvshl (bvsub (bvshl #x00000001 (five a)) #x00000001) (five b))",
	"bfe u32": "(bvand (bvlshr a (five b)) (bvsub (bvshl #x00000001 (five c)) #x00000001))",
	// A field that exceeds bit 31 ends at bit 31, which is then its sign.
	"bfe i32": `(ite (= (five c) #x00000000) #x00000000
		(ite (bvugt (bvadd (five b) (five c)) #x00000020) (bvashr a (five b))
			(bvashr (bvshl a (bvsub #x00000020 (bvadd (five b) (five c)))) (bvsub #x00000020 (five c)))))`,
	"align bit":  "((_ extract 31 0) (bvlshr (concat a b) (concat #x00000000 (five c))))",
	"align byte": "((_ extract 31 0) (bvlshr (concat a b) (concat #x00000000 (bvmul #x00000008 (bvand c #x00000003)))))",
	"min u32":    "(umin a b)", "max u32": "(umax a b)", "min i32": "(smin a b)", "max i32": "(smax a b)",
	"min u16": "(umin (low a) (low b))", "max u16": "(umax (low a) (low b))",
	"min i16": "(smin (s16 a) (s16 b))", "max i16": "(smax (s16 a) (s16 b))",
	"min3 u32": "(umin a (umin b c))", "max3 u32": "(umax a (umax b c))",
	"min3 i32": "(smin a (smin b c))", "max3 i32": "(smax a (smax b c))",
	"med3 u32": "(ite (= (umax a (umax b c)) a) (umax b c) (ite (= (umax a (umax b c)) b) (umax a c) (umax a b)))",
	"med3 i32": "(ite (= (smax a (smax b c)) a) (smax b c) (ite (= (smax a (smax b c)) b) (smax a c) (smax a b)))",
	"sad u8":   "(bvadd " + each(4, "(apart (part a %i #x00000008) (part b %i #x00000008))") + " c)",
	"sad u16":  "(bvadd " + each(2, "(apart (part a %i #x00000010) (part b %i #x00000010))") + " c)",
	"sad u32":  "(bvadd (apart a b) c)",
	"lerp u8": "(bvor " + each(4, "(bvshl (bvlshr (bvadd (part a %i #x00000008) (part b %i #x00000008) "+
		"(bvand (part c %i #x00000008) #x00000001)) #x00000001) (bvmul %i #x00000008))") + ")",
	"dot i16":      "(bvadd " + each(2, "(bvmul (signed a %i #x00000010) (signed b %i #x00000010))") + " c)",
	"dot u16":      "(bvadd " + each(2, "(bvmul (part a %i #x00000010) (part b %i #x00000010))") + " c)",
	"dot u8":       "(bvadd " + each(4, "(bvmul (part a %i #x00000008) (part b %i #x00000008))") + " c)",
	"dot u4":       "(bvadd " + each(8, "(bvmul (part a %i #x00000004) (part b %i #x00000004))") + " c)",
	"pack u16":     "(bvor (umin a #x0000ffff) (bvshl (umin b #x0000ffff) #x00000010))",
	"pack halves":  "(bvor (low a) (bvshl b #x00000010))",
	"ones add":     "(bvadd " + each(32, "(part a %i #x00000001)") + " b)",
	"reverse bits": "(bvor " + each(32, "(bvshl (part a %i #x00000001) (bvsub #x0000001f %i))") + ")",
}

// each returns n copies of text, with the number of the copy, from 0 on, in place of %i.
func each(n int, text string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(text, "%i", fmt.Sprintf("#x%08x", i))
	}
	return strings.Join(all, " ")
}

// TestLists checks that Z3 finds no operands for which the list of an integer operation differs from its definition.
// It also checks that Z3 finds some for a wrong definition.
func TestLists(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not installed: nobody compares lists with definitions")
	}
	differs := func(op *vector.Op, definition string) string {
		b := term.NewBank(1 << 20)
		args := [4]*term.Term{b.Var(32, "a", true), b.Var(32, "b", true), b.Var(32, "c", true)}
		r := eval.List(b, func(c *vector.Code) vector.Value { return op.Body(c, c.Arg(0), c.Arg(1), c.Arg(2)) }, args)
		require.NotNil(t, r, op.Name)
		text := solve.SMT([]*term.Term{b.Not(b.Eq(r, b.Var(32, "definition", true)))}, op.Name)
		for _, name := range []string{"a", "b", "c"} {
			if declaration := "(declare-fun |" + name + "| () (_ BitVec 32))\n"; !strings.Contains(text, declaration) {
				text = strings.Replace(text, "(check-sat)", declaration+"(check-sat)", 1)
			}
		}
		text = strings.Replace(text, "(set-logic QF_UFBV)\n", helpers, 1)
		text = strings.Replace(text, "(check-sat)", "(assert (= definition "+definition+"))\n(check-sat)", 1)
		cmd := exec.CommandContext(t.Context(), z3, "-in")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", op.Name, out)
		return strings.TrimSpace(string(out))
	}
	for i := range vector.Ints {
		op := &vector.Ints[i]
		definition, ok := definitions[op.Name]
		if !ok {
			t.Logf("no definition: %s", op.Name)
			continue
		}
		if strings.Contains(slow, op.Name+",") && !effort.Full() {
			continue
		}
		assert.Equal(t, "unsat", differs(op, definition), op.Name)
	}
	for name := range definitions {
		assert.NotNil(t, vector.Int(name), "%s has no list", name)
	}
	assert.Equal(t, "sat", differs(vector.Int("sar"), "(bvlshr a (five b))"))
	assert.Equal(t, "sat", differs(vector.Int("bfe i32"), definitions["bfe u32"]))
}
