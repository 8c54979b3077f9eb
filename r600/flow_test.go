package r600

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/state"
)

// text is a program in the making: control flow, and the clauses behind it.
type sketch struct {
	family Family
	flow   []string
	clause []string // of each instruction of flow, "" for none
}

// cf adds an instruction of control flow.
func (s *sketch) cf(name string, addr, pops int) *sketch {
	return s.raw(fmt.Sprintf("CF_DWORD0(ADDR(%d)) CF_DWORD1(CF_INST(SQ_CF_INST_%s), POP_COUNT(%d))", addr, name, pops))
}

// raw adds two words.
func (s *sketch) raw(text string) *sketch {
	s.flow, s.clause = append(s.flow, text), append(s.clause, "")
	return s
}

// alu adds a clause. Operations are lines as in ADD_INT 1.x 0.x 1i: the instruction, the register that it writes, the
// operands and fields.
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

// operation returns the words of a line of alu. A + in front says that more of the group follows; # is a literal.
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

// words assembles the program, which ends behind its control flow.
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

// run runs the program for threads that have their number in X of register 0, and returns them.
func (s *sketch) run(t testing.TB, m *Machine) []Thread {
	t.Helper()
	threads, err := s.try(t, m)
	require.NoError(t, err)
	return threads
}

// try is run for programs that may have a fault.
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
	return threads, m.Group(p, threads, make([]byte, 256))
}

// Control flow gives each thread what the same branches give in Go.
func TestFlow(t *testing.T) {
	for _, c := range []struct {
		name   string
		sketch *sketch
		want   func(x int) int // X of register 1
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
		// i counts to 20; threads leave it at their number, and count odd numbers alone.
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
		for _, f := range []Family{R600, R700, Evergreen} {
			c.sketch.family = f
			for x, thread := range c.sketch.run(t, &Machine{Loops: []Loop{{}, {Count: 4, Start: 3, Step: 2}}}) {
				require.Equal(t, c.want(x), int(int32(thread.GPR[1][0])), "%s on %v, thread %d", c.name, f, x)
				require.Equal(t, c.name == "killed threads" && x > 20, thread.Killed)
			}
		}
	}
}

// Groups read what was before them; predicates, address registers, modifiers and the results of the group before have
// their meaning.
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
		for _, f := range []Family{R600, R700, Evergreen} {
			m := &Machine{Constants: [][][4]uint32{{{}, {0, 42}}}}
			for x, thread := range (&sketch{family: f}).alu("ALU", c.lines...).run(t, m) {
				require.Equal(t, c.want(x), int(thread.GPR[1][0]), "%s on %v, thread %d", c.name, f, x)
			}
		}
	}
}

// Streams, rings and RATs are written where their fields say.
func TestMemoryExports(t *testing.T) {
	dword := func(b []byte, i int) int { return int(binary.LittleEndian.Uint32(b[4*i:])) }
	export := func(inst string, fields, fields1 string) string {
		return fmt.Sprintf("CF_ALLOC_IMP_EXP_DWORD0_MEM(%s) CF_ALLOC_IMP_EXP_DWORD1_BUF(CF_INST(SQ_CF_INST_%s), %s)", fields, inst, fields1)
	}
	for _, f := range []Family{R600, R700, Evergreen, Cayman} {
		stream, buffer := "MEM_STREAM1", 1
		if f >= Evergreen {
			stream, buffer = "MEM_STREAM1_BUF2", 6
		}
		m := &Machine{Streams: make([]Buffer, 7), Rings: []Buffer{{Data: make([]byte, 4096), Stride: 32}}}
		m.Streams[buffer] = Buffer{Data: make([]byte, 12*60), Stride: 12} // of 60 vertices
		(&sketch{family: f}).alu("ALU", "MOV 1.y 0.x", "MOV 2.x 1_INT", "AND_INT 3.x 0.x 1_INT").
			raw(export(stream, "TYPE(SQ_EXPORT_WRITE), RW_GPR(1), ARRAY_BASE(1)", "COMP_MASK(2), ARRAY_SIZE(4095)")).
			raw(export("MEM_RING", "TYPE(SQ_EXPORT_WRITE_IND), RW_GPR(0), INDEX_GPR(3), ELEM_SIZE(2)", "COMP_MASK(1), BURST_COUNT(2), ARRAY_SIZE(9)")).
			run(t, m)
		for x := range Threads {
			if x < 60 {
				assert.Equal(t, []int{0, 0, x}, []int{dword(m.Streams[buffer].Data, 3*x), dword(m.Streams[buffer].Data, 3*x+1),
					dword(m.Streams[buffer].Data, 3*x+2)})
			}
			ring := m.Rings[0].Data[32*x:]
			assert.Equal(t, x, dword(ring, 2*(x%2)), x)
		}
	}
	rat := func(f Family, inst, fields string) []byte {
		m := &Machine{RATs: [][]byte{nil, make([]byte, 512)}, Returns: [][]byte{nil, make([]byte, 512)}}
		for i := range 128 {
			binary.LittleEndian.PutUint32(m.RATs[1][4*i:], uint32(3*i))
		}
		(&sketch{family: f}).alu("ALU", "ADD_INT 1.x 0.x LITERAL", "#1000", "MOV 1.y 0.x", "MOV 1.z LITERAL", "#30",
			"MOV 1.w LITERAL", "#60").
			raw("CF_ALLOC_IMP_EXP_DWORD0_RAT(RAT_ID(1), RAT_INST(EXPORT_RAT_INST_"+inst+"), TYPE(SQ_EXPORT_WRITE_IND), RW_GPR(1)) "+
				"CF_ALLOC_IMP_EXP_DWORD1_BUF(COMP_MASK("+fields+"), CF_INST(SQ_CF_INST_MEM_RAT))").
			run(t, m)
		return append(m.RATs[1], m.Returns[1]...)
	}
	for _, f := range []Family{Evergreen, Cayman} {
		expected := 20
		if f == Cayman {
			expected = 10
		}
		exchanged, added, masked, stored := rat(f, "CMPXCHG_INT_RTN", "15"), rat(f, "ADD", "15"), rat(f, "MSKOR", "15"),
			rat(f, "STORE_RAW", "7")
		for i := range Threads {
			want := 3 * i
			if i == expected {
				want = 1000 + i
			}
			require.Equal(t, want, dword(exchanged, i), "%v %d", f, i)
			require.Equal(t, 3*i, dword(exchanged, 128+i))
			require.Equal(t, 4*i+1000, dword(added, i))
			require.Equal(t, (3*i)&^60|(1000+i), dword(masked, i))
		}
		assert.Equal(t, []int{1063, 63, 30}, []int{dword(stored, 63), dword(stored, 64), dword(stored, 65)})
	}
}

// A typed store writes texels of a target.
func TestTypedStore(t *testing.T) {
	img := picture(t, rgba8, 16, 8, 0)
	(&sketch{family: Evergreen}).alu("ALU", "AND_INT 2.x 0.x LITERAL", "#31", "LSHR_INT 2.y 0.x LITERAL",
		"#5", "MOV 1.x 1", "MOV 1.w 0_5").
		raw("CF_ALLOC_IMP_EXP_DWORD0_RAT(RAT_INST(EXPORT_RAT_INST_STORE_TYPED), TYPE(SQ_EXPORT_WRITE_IND), RW_GPR(1), INDEX_GPR(2)) "+
			"CF_ALLOC_IMP_EXP_DWORD1_BUF(COMP_MASK(15), CF_INST(SQ_CF_INST_MEM_RAT))").run(t, &Machine{Targets: []*Image{img}})
	for x := range 16 {
		for y := range 2 {
			assert.Equal(t, []byte{255, 0, 0, 128}, img.Data[4*(16*y+x):][:4])
		}
	}
}

// A fetch shader runs where CALL_FS calls it.
func TestFetchShader(t *testing.T) {
	fetch, err := Load(Evergreen, (&sketch{family: Evergreen}).alu("ALU", "MOV 1.x LITERAL", "#5").words(t))
	require.NoError(t, err)
	s := (&sketch{family: Evergreen}).cf("CALL_FS", 0, 0).alu("ALU", "ADD_INT 1.x 1.x 0.x")
	for x, thread := range s.run(t, &Machine{Fetch: fetch}) {
		assert.Equal(t, 5+x, int(thread.GPR[1][0]))
	}
	_, err = s.try(t, &Machine{})
	assert.EqualError(t, err, "instruction 0 (CALL_FS): there is no fetch shader")
}

// Faults have the kind that a fault of GCN would have.
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
			s.family = Evergreen
			words := s.words(t)
			p, err := Load(s.family, words)
			if err == nil {
				err = (&Machine{Constants: [][][4]uint32{{{}}}}).Group(p, make([]Thread, 1), nil)
			}
			var fault *Error
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, kind, fault.Fault, "%v", err)
		}
	}
}

// What has no meaning, or is not modelled, is a fault that names it.
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
		{"takes a value of LDS that no instruction has read", (&sketch{}).alu("ALU", "MOV 1.x LDS_OQ_A_POP")},
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
		c.sketch.family = Evergreen
		_, err := c.sketch.try(t, &Machine{Constants: [][][4]uint32{{{}}}})
		var fault *Error
		require.ErrorAs(t, err, &fault, c.want)
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, strings.Contains(fault.What, "not modelled"), fault.Fault == state.FaultUnsupported, c.want)
	}
}
