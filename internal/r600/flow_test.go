package r600

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/state"
)

// sketch is a program under construction: control flow followed by its clauses.
type sketch struct {
	family Family
	flow   []string
	clause []string // clause of each instruction in flow, or ""
}

// cf adds a control flow instruction.
func (s *sketch) cf(name string, addr, pops int) *sketch {
	return s.raw(fmt.Sprintf("CF_DWORD0(ADDR(%d)) CF_DWORD1(CF_INST(SQ_CF_INST_%s), POP_COUNT(%d))", addr, name, pops))
}

// raw adds a control flow instruction of two words.
func (s *sketch) raw(text string) *sketch {
	s.flow, s.clause = append(s.flow, text), append(s.clause, "")
	return s
}

// alu adds an ALU clause. A line is an operation such as ADD_INT 1.x 0.x 1i: the instruction, the register that it
// writes, the operands and fields.
func (s *sketch) alu(start string, lines ...string) *sketch {
	s.flow = append(s.flow, fmt.Sprintf("CF_ALU_DWORD0(ADDR(%%d), KCACHE_MODE0(2)) CF_ALU_DWORD1(CF_INST(SQ_CF_INST_%s), I_COUNT(%%d))",
		start))
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(operation(line) + "\n")
	}
	s.clause = append(s.clause, text.String())
	return s
}

// operation returns the words for a line of alu. A leading + says that the group continues; # is a literal.
func operation(line string) string {
	if value, literal := strings.CutPrefix(line, "#"); literal {
		return value + " 0"
	}
	line, more := strings.CutPrefix(line, "+")
	parts := strings.Fields(line)
	last := "1"
	if more {
		last = "0"
	}
	word0, word1 := "LAST("+last+")", "ALU_INST(SQ_OP2_INST_"+parts[0]+"), WRITE_MASK(1)"
	if to, elem, ok := strings.Cut(parts[1], "."); ok && to != "_" {
		word1 += fmt.Sprintf(", DST_GPR(%s), DST_ELEM(ELEM_%s)", to, strings.ToUpper(elem))
	} else {
		word1 = strings.Replace(word1, "WRITE_MASK(1)", "DST_ELEM(ELEM_"+strings.ToUpper(elem)+")", 1)
	}
	n := 0
	for _, part := range parts[2:] {
		switch field, elem, register := strings.Cut(part, "."); {
		case strings.HasPrefix(part, "PRED_SEL"), strings.HasPrefix(part, "INDEX_MODE"),
			strings.HasPrefix(part, "SRC") && !strings.Contains(part, "ABS"):
			word0 += ", " + part
		case strings.Contains(part, "("):
			word1 += ", " + part
		case register:
			if field[0] > '9' {
				field = "ALU_SRC_" + field
			}
			word0 += fmt.Sprintf(", SRC%d_SEL(%s), SRC%d_ELEM(ELEM_%s)", n, field, n, strings.ToUpper(elem))
			n++
		default:
			word0 += fmt.Sprintf(", SRC%d_SEL(ALU_SRC_%s)", n, part)
			n++
		}
	}
	return "ALU_DWORD0(" + word0 + ") ALU_DWORD1_OP2(" + word1 + ")"
}

// words assembles the program, which ends after its control flow.
func (s *sketch) words(t testing.TB) []uint32 {
	t.Helper()
	var flow, clauses strings.Builder
	at := len(s.flow) + 1
	for i, f := range s.flow {
		if s.clause[i] != "" {
			words, _, err := Assemble(s.family, s.clause[i])
			require.NoError(t, err)
			f = fmt.Sprintf(f, at, len(words)/2)
			at += len(words) / 2
			clauses.WriteString(s.clause[i])
		}
		flow.WriteString(f + "\n")
	}
	words, _, err := Assemble(s.family, flow.String()+"CF_DWORD0() CF_DWORD1(END_OF_PROGRAM(1))\n"+clauses.String())
	require.NoError(t, err)
	return words
}

// run executes the program for threads with their number in register 0, X, and returns the threads.
func (s *sketch) run(t testing.TB, m *Machine) []Thread {
	t.Helper()
	threads, err := s.try(t, m)
	require.NoError(t, err)
	return threads
}

// try is like run, for programs that may fault.
func (s *sketch) try(t testing.TB, m *Machine) ([]Thread, error) {
	t.Helper()
	words := s.words(t)
	again, _, err := Assemble(s.family, Disassemble(s.family, words))
	require.NoError(t, err)
	require.Equal(t, words, again)
	p, err := Load(s.family, words)
	if err != nil {
		return nil, err
	}
	threads := make([]Thread, Threads)
	for i := range threads {
		threads[i].GPR[0][0] = uint32(i)
	}
	return threads, m.Group(p, threads)
}

// Control flow has the same result in each thread as the same branches in Go.
func TestFlow(t *testing.T) {
	for _, c := range []struct {
		name   string
		sketch *sketch
		want   func(x int) int // the expected X of register 1
	}{
		{"else", (&sketch{}).
			alu("ALU_PUSH_BEFORE", "PRED_SETGT_INT _.x 0.x LITERAL UPDATE_EXECUTE_MASK(1)", "#5").
			cf("JUMP", 3, 0).alu("ALU", "MOV 1.x 1_INT").
			cf("ELSE", 5, 0).alu("ALU", "MOV 1.x LITERAL", "#2").cf("POP", 6, 1).
			alu("ALU", "ADD_INT 1.x 1.x LITERAL", "#10"),
			func(x int) int {
				if x > 5 {
					return 11
				}
				return 12
			}},
		{"after", (&sketch{}).
			alu("ALU_PUSH_BEFORE", "PRED_SETGT_INT _.x 0.x LITERAL UPDATE_EXECUTE_MASK(1)", "#9").
			alu("ALU_ELSE_AFTER", "MOV 1.x 1_INT").alu("ALU_POP_AFTER", "MOV 1.x LITERAL", "#2").
			alu("ALU", "ADD_INT 1.x 1.x 0.x"),
			func(x int) int {
				if x > 9 {
					return 1 + x
				}
				return 2 + x
			}},
		{"pop two", (&sketch{}).cf("PUSH", 1, 0).
			alu("ALU_PUSH_BEFORE", "PRED_SETGT_INT _.x 0.x LITERAL UPDATE_EXECUTE_MASK(1)", "#9").
			alu("ALU_POP2_AFTER", "MOV 1.x 1_INT").alu("ALU", "ADD_INT 1.x 1.x 1_INT"),
			func(x int) int {
				if x > 9 {
					return 2
				}
				return 1
			}},
		{"loop index", (&sketch{}).
			raw("CF_DWORD0(ADDR(3)) CF_DWORD1(CF_INST(SQ_CF_INST_LOOP_START), CF_CONST(1))").
			alu("ALU", "ADD_INT 1.x 1.x LOOP_IDX").cf("LOOP_END", 1, 0),
			func(int) int { return 3 + 5 + 7 + 9 }},
		{"no index", (&sketch{}).
			raw("CF_DWORD0(ADDR(3)) CF_DWORD1(CF_INST(SQ_CF_INST_LOOP_START_NO_AL), CF_CONST(1))").
			alu("ALU", "ADD_INT 1.x 1.x LOOP_IDX", "ADD_INT 1.x 1.x 1_INT").cf("LOOP_END", 1, 0),
			func(int) int { return 4 }},
		{"empty loop", (&sketch{}).
			raw("CF_DWORD0(ADDR(3)) CF_DWORD1(CF_INST(SQ_CF_INST_LOOP_START), CF_CONST(0))").
			alu("ALU", "MOV 1.x 1_INT").cf("LOOP_END", 1, 0),
			func(int) int { return 0 }},
		// i counts to 20. Threads leave the loop at their number, and count odd numbers only.
		{"break and continue", (&sketch{}).cf("LOOP_START_DX10", 4, 0).
			alu("ALU_BREAK", "ADD_INT 2.x 2.x 1_INT", "PRED_SETGT_INT _.x 0.x 2.x UPDATE_EXECUTE_MASK(1)").
			alu("ALU_CONTINUE", "AND_INT 2.y 2.x 1_INT", "PRED_SETNE_INT _.x 2.y 0 UPDATE_EXECUTE_MASK(1)").
			alu("ALU", "ADD_INT 1.x 1.x 2.x").cf("LOOP_END", 1, 0),
			func(x int) (sum int) {
				for i := 1; i < x; i += 2 {
					sum += i
				}
				return sum
			}},
		{"breaks in branches", (&sketch{}).cf("LOOP_START_DX10", 10, 0).
			alu("ALU", "ADD_INT 1.x 1.x 1_INT").
			alu("ALU_PUSH_BEFORE", "PRED_SETGE_INT _.x 1.x 0.x UPDATE_EXECUTE_MASK(1)").cf("JUMP", 6, 1).
			cf("LOOP_BREAK", 9, 0).cf("POP", 6, 1).
			alu("ALU_PUSH_BEFORE", "PRED_SETE_INT _.x 1.x LITERAL UPDATE_EXECUTE_MASK(1)", "#30").
			cf("LOOP_CONTINUE", 9, 0).cf("POP", 9, 1).cf("LOOP_END", 1, 0),
			func(x int) int { return max(1, x) }},
		{"killed threads", (&sketch{}).alu("ALU", "KILLGT_INT 1.x 0.x LITERAL", "#20"),
			func(x int) int {
				if x > 20 {
					return oneFloat
				}
				return 0
			}},
	} {
		for _, f := range []Family{R600, R700} {
			c.sketch.family = f
			for x, thread := range c.sketch.run(t, &Machine{Loops: []Loop{{}, {Count: 4, Start: 3, Step: 2}}}) {
				require.Equal(t, c.want(x), int(int32(thread.GPR[1][0])), "%s on %v, thread %d", c.name, f, x)
				require.Equal(t, c.name == "killed threads" && x > 20, thread.Killed)
			}
		}
	}
}

// Groups read the state before the group. Predicates, address registers, modifiers and the results of the previous
// group work.
func TestGroups(t *testing.T) {
	float := func(f float32) int { return int(math.Float32bits(f)) }
	for _, c := range []struct {
		name  string
		lines []string
		want  func(x int) int
	}{
		{"swap", []string{"MOV 1.y LITERAL", "#7", "+MOV 1.x 1.y", "MOV 1.y 0.x"}, func(int) int { return 7 }},
		{"PV", []string{"+MOV _.x 1_INT", "MOV _.y 0.x", "ADD_INT 1.x PV PV.y"},
			func(x int) int { return 1 + x }},
		{"PS", []string{"MULLO_INT _.x 0.x 0.x", "MOV 1.x PS"}, func(x int) int { return x * x }},
		{"two of a component", []string{"+MOV _.x 0.x", "MOV _.x 1_INT", "ADD_INT 1.x PS PV"}, func(x int) int { return 1 + x }},
		{"predicate", []string{"PRED_SETGT_INT _.x 0.x LITERAL UPDATE_PRED(1)", "#3",
			"MOV 1.x 1_INT PRED_SEL(SQ_PRED_SEL_ONE)", "MOV 1.x LITERAL PRED_SEL(SQ_PRED_SEL_ZERO)", "#9"},
			func(x int) int {
				if x > 3 {
					return 1
				}
				return 9
			}},
		{"predicates give 0 where they hold", []string{"PRED_SETGT_INT 1.x 0.x LITERAL", "#3"},
			func(x int) int {
				if x > 3 {
					return 0
				}
				return oneFloat
			}},
		{"address", []string{"AND_INT 9.x 0.x LITERAL", "#3", "MOVA_INT _.y 9.x",
			"MOV 2.x LITERAL DST_REL(RELATIVE) INDEX_MODE(SQ_INDEX_AR_Y)",
			"#6", "MOV 1.x 2.x SRC0_REL(RELATIVE) INDEX_MODE(SQ_INDEX_AR_Y)", "ADD_INT 1.x 1.x 5.x"},
			func(x int) int {
				if x%4 == 3 {
					return 12
				}
				return 6
			}},
		{"constants", []string{"MOVA_INT _.x 0.y", "+MOV 1.x KCACHE0_BASE+1.y SRC0_REL(RELATIVE)", "MOV 1.y 0.x"},
			func(int) int { return 42 }},
		{"negated", []string{"INT_TO_FLT 1.x 0.x", "ADD 1.x 1.x 1 SRC0_NEG(1)"}, func(x int) int { return float(1 - float32(x)) }},
		{"absolute", []string{"INT_TO_FLT 1.x 0.x", "ADD 1.x 1.x LITERAL", "#0xc1200000", "MOV 1.x 1.x SRC0_ABS(1)"},
			func(x int) int { return float(float32(math.Abs(float64(x - 10)))) }},
		{"modified", []string{"INT_TO_FLT 1.x 0.x", "MUL 1.x 1.x 0_5 OMOD(SQ_ALU_OMOD_D2)", "ADD 1.x 1.x 1 OMOD(SQ_ALU_OMOD_M4)"},
			func(x int) int { return float((float32(x)/4 + 1) * 4) }},
		{"clamped", []string{"INT_TO_FLT 1.x 0.x", "MUL 1.x 1.x 0_5 CLAMP(1)"},
			func(x int) int { return float(min(float32(x)/2, 1)) }},
		{"zero times infinity", []string{"MUL 1.x LITERAL 0", "#0x7f800000"}, func(int) int { return 0 }},
	} {
		for _, f := range []Family{R600, R700} {
			m := &Machine{Constants: [][][4]uint32{{{}, {0, 42}}}}
			for x, thread := range (&sketch{family: f}).alu("ALU", c.lines...).run(t, m) {
				require.Equal(t, c.want(x), int(thread.GPR[1][0]), "%s on %v, thread %d", c.name, f, x)
			}
		}
	}
}

// CALL_FS executes the fetch shader.
func TestFetchShader(t *testing.T) {
	fetch, err := Load(R700, (&sketch{family: R700}).alu("ALU", "MOV 1.x LITERAL", "#5").words(t))
	require.NoError(t, err)
	s := (&sketch{family: R700}).cf("CALL_FS", 0, 0).alu("ALU", "ADD_INT 1.x 1.x 0.x")
	for x, thread := range s.run(t, &Machine{Fetch: fetch}) {
		assert.Equal(t, 5+x, int(thread.GPR[1][0]))
	}
	_, err = s.try(t, &Machine{})
	assert.EqualError(t, err, "instruction 0 (CALL_FS): there is no fetch shader")
}

// Faults have the kind of the corresponding fault of GCN.
func TestKindsOfFaults(t *testing.T) {
	for kind, all := range map[state.FaultKind][]*sketch{
		state.FaultUnsupported: {new(sketch).cf("CALL", 0, 0), new(sketch).alu("ALU", "ADD_64 1.x 0.x 0.x")},
		state.FaultIllegal:     {new(sketch).cf("LOOP_BREAK", 1, 0), new(sketch).alu("ALU", "MOV 1.x PV")},
		state.FaultDecode:      {new(sketch).raw("0 0x1f000000")},
		state.FaultRegister: {new(sketch).alu("ALU", "MOV 1.x LITERAL", "#127", "MOVA_INT _.x 1.x",
			"MOV 3.x 0.x DST_REL(RELATIVE)")},
		state.FaultMemory: {new(sketch).alu("ALU", "MOV 1.x 131.x"), new(sketch).cf("CALL_FS", 0, 0),
			new(sketch).cf("LOOP_START", 1, 0)},
		state.FaultPC:    {new(sketch).cf("JUMP", 9, 0)},
		state.FaultLimit: {new(sketch).cf("LOOP_START_DX10", 2, 0).cf("LOOP_END", 1, 0)},
	} {
		for _, s := range all {
			s.family = R700
			words := s.words(t)
			p, err := Load(s.family, words)
			if err == nil {
				err = (&Machine{Constants: [][][4]uint32{{{}}}}).Group(p, make([]Thread, 1))
			}
			var fault *Error
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, kind, fault.Fault, "%v", err)
		}
	}
}

// Invalid or unmodelled features are faults that name them.
func TestFaultsOfClauses(t *testing.T) {
	for _, c := range []struct {
		want   string
		sketch *sketch
	}{
		{"(ADD_64): the instruction is not modelled", (&sketch{}).alu("ALU", "ADD_64 1.x 0.x 0.x")},
		{"instruction 2 (MOV): the group before it in the clause leaves no PV.X", (&sketch{}).alu("ALU", "MOV 1.x PV")},
		{"the group before it in the clause leaves no PS", (&sketch{}).alu("ALU", "MOV 1.x 0.x", "MOV 1.x PS")},
		{"the group has no slot left for it", (&sketch{}).alu("ALU", "+MOV 1.x 0.x", "+MOV 1.x 0.x", "MOV 1.x 0.x")},
		{"the clause ends in a group; set LAST", (&sketch{}).alu("ALU", "+MOV 1.x 0.x")},
		{"the clause ends before the literals of the group", (&sketch{}).alu("ALU", "MOV 1.x LITERAL")},
		{"SRC0_SEL 160: the clause locks no constants there", (&sketch{}).alu("ALU", "MOV 1.x 160.x")},
		{"SRC0_SEL 256: the source is not modelled", (&sketch{}).alu("ALU", "MOV 1.x 256.x")},
		{"there is no constant 3 of bank 0", (&sketch{}).alu("ALU", "MOV 1.x 131.x")},
		{"SRC0_SEL 221: the source is not modelled", (&sketch{}).alu("ALU", "MOV 1.x 221.x")},
		{"(MEM_STREAM1): the instruction is not modelled", (&sketch{}).raw("CF_ALLOC_IMP_EXP_DWORD0_MEM(RW_GPR(1)) " +
			"CF_ALLOC_IMP_EXP_DWORD1_BUF(CF_INST(SQ_CF_INST_MEM_STREAM1), COMP_MASK(1))")},
		{"UPDATE_EXECUTE_MASK and UPDATE_PRED are for instructions PRED_SET", (&sketch{}).alu("ALU", "MOV 1.x 0.x UPDATE_PRED(1)")},
		{"OMOD and CLAMP of an integer have no meaning", (&sketch{}).alu("ALU", "ADD_INT 1.x 0.x 0.x CLAMP(1)")},
		{"the sign of an integer", (&sketch{}).alu("ALU", "ADD_INT 1.x 0.x 0.x SRC0_NEG(1)")},
		{"thread 0 reads register 130; there are 0 to 127", (&sketch{}).alu("ALU", "MOV 1.x LITERAL", "#127", "MOVA_INT _.x 1.x", "MOV 1.x 3.x SRC0_REL(RELATIVE)")},
		{"a dot product takes all four vector slots", (&sketch{}).alu("ALU", "DOT4 1.x 0.x 0.x")},
		{"(POP): it pops 1 of 0 masks", (&sketch{}).cf("POP", 1, 1)},
		{"(ELSE): there is no mask that it could invert", (&sketch{}).cf("ELSE", 1, 0)},
		{"(LOOP_BREAK): it is outside of a loop", (&sketch{}).cf("LOOP_BREAK", 1, 0)},
		{"(LOOP_END): it is outside of a loop", (&sketch{}).cf("LOOP_END", 0, 0)},
		{"(JUMP): ADDR(9) is beyond the last instruction of control flow, 1", (&sketch{}).cf("JUMP", 9, 0)},
		{"(RET): only a fetch shader returns", (&sketch{}).cf("RET", 0, 0)},
		{"(CALL): the instruction is not modelled", (&sketch{}).cf("CALL", 0, 0)},
		{"(LOOP_START): there is no loop constant 0", (&sketch{}).cf("LOOP_START", 1, 0)},
		{"POP_COUNT 1 is not modelled; only POP_COUNT 0 is", (&sketch{}).cf("LOOP_START_DX10", 0, 1)},
		{"instructions and groups, and does not end", (&sketch{}).cf("LOOP_START_DX10", 2, 0).cf("LOOP_END", 1, 0)},
	} {
		c.sketch.family = R700
		_, err := c.sketch.try(t, &Machine{Constants: [][][4]uint32{{{}}}})
		var fault *Error
		require.ErrorAs(t, err, &fault, c.want)
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, strings.Contains(fault.What, "not modelled"), fault.Fault == state.FaultUnsupported, c.want)
	}
}
