package engine_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// call calls the engine and returns its answer.
func call[T any](t *testing.T, name string, body any) (out T) {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	answer, err := new(engine.Engine).Call(context.Background(), name, text)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(answer, &out))
	return out
}

// ran holds what tests read of a run.
type ran struct {
	Reply struct {
		OK           bool
		Error        *struct{ Message string }
		Diagnostics  []struct{ Kind string }
		Instructions uint64
	}
	Error  *struct{ Line, Col int }
	Record []byte
	Memory []struct {
		Name string
		Data []byte
	}
	Cycles   uint64
	Verdicts []engine.Verdict
}

// kinds returns the kinds of findings.
func (r *ran) kinds() (list []string) {
	for _, d := range r.Reply.Diagnostics {
		list = append(list, d.Kind)
	}
	return list
}

func lessonsOf(t *testing.T) map[string]engine.Lesson {
	t.Helper()
	list, err := engine.Lessons()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(list), 24)
	by := map[string]engine.Lesson{}
	for _, l := range list {
		by[l.Name] = l
	}
	return by
}

// Every lesson executes, unchanged and with each of its changes, and cites existing rules.
func TestLessons(t *testing.T) {
	for name, l := range lessonsOf(t) {
		t.Run(name, func(t *testing.T) {
			assert.NotEmpty(t, l.Title)
			assert.NotEmpty(t, l.Question)
			assert.NotEmpty(t, l.Answer)
			assert.NotEmpty(t, l.WhatIf)
			text := l.Text + l.Question + l.Answer
			r := call[ran](t, "run", &l.Scenario)
			require.True(t, r.Reply.OK, "%+v", r.Reply.Error)
			file, err := record.Read(bytes.NewReader(r.Record))
			require.NoError(t, err)
			assert.LessOrEqual(t, l.Start, file.Windows[l.Wave].Count)
			for _, w := range l.WhatIf {
				text += w.Say
				s := changed(t, &l, w)
				r := call[ran](t, "run", &s)
				require.True(t, r.Reply.OK, "%s: %+v", w.Label, r.Reply.Error)
			}
			text += l.For
			assert.Positive(t, l.Minutes)
			assert.NotEmpty(t, l.For)
			assert.GreaterOrEqual(t, len(l.Exercises), 2)
			for _, x := range l.Exercises {
				text += x.Task + x.Solution.Say
			}
			cited := handbook.Cited(text)
			assert.NotEmpty(t, cited)
			for _, id := range cited {
				_, ok := handbook.Lookup(id)
				assert.True(t, ok, "rule %s", id)
			}
		})
	}
}

// judged executes a scenario and reports whether a condition holds.
func judged(t *testing.T, s *engine.Scenario, want string) bool {
	t.Helper()
	s.Wants = []string{want}
	r := call[ran](t, "run", s)
	require.Len(t, r.Verdicts, 1)
	t.Logf("%s: %v, %s", want, r.Verdicts[0].OK, r.Verdicts[0].Say)
	assert.NotEmpty(t, r.Verdicts[0].Say)
	return r.Verdicts[0].OK
}

// The statements of lessons about their programs are true.
func TestLessonsSayWhatIs(t *testing.T) {
	lessons := lessonsOf(t)
	run := func(name string) *ran {
		l := lessons[name]
		r := call[ran](t, "run", &l.Scenario)
		return &r
	}
	assert.Contains(t, run("070-waitcnt").kinds(), "wait-raw")
	assert.Contains(t, run("030-range").kinds(), "out-of-range")
	assert.Empty(t, run("060-coalescing").kinds())
	clocks := func(name string) (sum float64) {
		file, err := record.Read(bytes.NewReader(run(name).Record))
		require.NoError(t, err)
		for s, err := range file.Windows[0].Steps() {
			require.NoError(t, err)
			if s.Access != nil {
				for _, group := range s.LaneGroups {
					sum += group.Clocks
				}
				return sum
			}
		}
		t.Fatal("there is no access")
		return 0
	}
	assert.InDelta(t, 4, clocks("050-banks"), 0)
	assert.InDelta(t, 4, clocks("060-coalescing"), 0)
	assert.InDelta(t, 16, clocks("020-swizzle"), 0)
	for i, level := range []int{1, 0} { // unchanged, and with its first change
		mips := lessons["090-mips"]
		if i > 0 {
			for _, x := range mips.WhatIf[0].Replace {
				mips.Scenario.Asm = strings.Replace(mips.Scenario.Asm, x[0], x[1], 1)
			}
		}
		r := call[ran](t, "run", &mips.Scenario)
		file, err := record.Read(bytes.NewReader(r.Record))
		require.NoError(t, err)
		taps := 0
		for s, err := range file.Windows[0].Steps() {
			require.NoError(t, err)
			for _, tap := range s.Taps[0] {
				assert.Equal(t, level, tap.Level)
				taps++
			}
		}
		assert.Positive(t, taps)
	}
	one := lessons["110-occupancy"].Scenario
	few := call[ran](t, "run", &one).Cycles
	one.Waves = 4
	assert.Less(t, call[ran](t, "run", &one).Cycles, 2*few)
}

func TestCheck(t *testing.T) {
	type answer struct {
		Errors []struct {
			Line, Col int
			Message   string
		}
		Names []string
	}
	text := map[string]any{"mcpu": "fiji", "asm": "ds_load_b32 v0, v1"}
	require.Len(t, call[answer](t, "check", text).Errors, 1)
	text["rules"] = "rdna"
	require.Empty(t, call[answer](t, "check", text).Errors)
	a := call[answer](t, "check", map[string]any{"mcpu": "fiji", "asm": "s_nop 0\n  v_foo v1", "names": true})
	require.Len(t, a.Errors, 1)
	assert.Equal(t, [...]int{2, 3}, [...]int{a.Errors[0].Line, a.Errors[0].Col})
	assert.Contains(t, a.Names, "buffer_load_dword")
	assert.NotContains(t, a.Names, "global_load_dword")
}

func TestDescribe(t *testing.T) {
	type field struct {
		Name         string
		Shift, Width int
		Value        uint64
		Meaning      string
		Choices      []string
	}
	type answer struct {
		Fields []field
		Text   string
	}
	describe := func(kind string, words []int, choices bool) (a answer, by map[string]field) {
		t.Helper()
		a, by = call[answer](t, "describe", map[string]any{"mcpu": "fiji", "kind": kind, "words": words,
			"choices": choices}), map[string]field{}
		for _, f := range a.Fields {
			by[f.Name] = f
		}
		return a, by
	}
	buffer := []int{0x10000, 0x100000, 0x100, 0x27fac}
	a, by := describe("vsharp", buffer, true)
	assert.Regexp(t, regexp.MustCompile(`STRIDE +16`), a.Text)
	assert.Equal(t, field{"STRIDE", 48, 14, 16, "16 bytes", nil}, by["STRIDE"])
	assert.Equal(t, []string{"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"},
		by["NUM_FORMAT"].Choices)
	assert.Equal(t, []string{"constant 0", "constant 1", "not defined", "not defined", "component R", "component G",
		"component B", "component A"}, by["DST_SEL_X"].Choices)
	for kind, words := range map[string][]int{"vsharp": buffer, "ssharp": {0, 0, 0, 0}, "tsharp": make([]int, 8)} {
		_, by := describe(kind, words, true)
		for name, f := range by {
			if f.Choices != nil {
				require.Len(t, f.Choices, 1<<f.Width, name)
				assert.Equal(t, f.Meaning, f.Choices[f.Value], name)
			}
		}
	}
	_, by = describe("tsharp", make([]int, 8), true)
	assert.Equal(t, "8_8_8_8, 4 bytes", by["DATA_FORMAT"].Choices[10])
	assert.Equal(t, "SRGB", by["NUM_FORMAT"].Choices[9])
	_, by = describe("vsharp", buffer, false)
	assert.Empty(t, by["NUM_FORMAT"].Choices)
}

// Wrong requests of a page are errors that name the problem.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ call, body, want string }{
		"name":   {"no", `{}`, `no call "no"`},
		"json":   {"run", `{`, "the call"},
		"target": {"run", `{"mcpu":"gfx1"}`, "gfx1"},
		"memory": {"run", `{"mcpu":"fiji","buffers":[{"name":"a","size":16777216},{"name":"b","size":4}]}`,
			"MiB together"},
		"fill":    {"run", `{"mcpu":"fiji","buffers":[{"name":"a","size":4,"fill":"x"}]}`, "no way to fill"},
		"picture": {"run", `{"mcpu":"fiji","images":[{"name":"a","width":10000,"height":1}]}`, "10000 x 1"},
		"waves":   {"run", `{"mcpu":"fiji","waves":5}`, "5 waves"},
		"program": {"run", `{"mcpu":"fiji","asm":"` + strings.Repeat("s_nop 0;", 1<<18) + `"}`,
			"the program has 2097152 bytes"},
		"text": {"check", `{"mcpu":"fiji","asm":"` + strings.Repeat("s_nop 0;", 1<<18) + `"}`,
			"the program has 2097152 bytes"},
		"call": {"run", strings.Repeat(" ", engine.MaxCall+1), "MiB"},
	} {
		_, err := new(engine.Engine).Call(context.Background(), c.call, []byte(c.body))
		assert.ErrorContains(t, err, c.want, name)
	}
}

// An error in a program has its line, and a program that faults has a record up to the fault.
func TestWrongPrograms(t *testing.T) {
	r := call[ran](t, "run", map[string]any{"mcpu": "fiji", "asm": "s_nop 0\nv_foo"})
	require.NotNil(t, r.Error)
	assert.Equal(t, 2, r.Error.Line)
	r = call[ran](t, "run", map[string]any{"mcpu": "fiji",
		"asm": "s_nop 0\nv_mov_b32 v1, 0\nflat_load_dword v2, v[0:1]\ns_endpgm"})
	assert.False(t, r.Reply.OK)
	file, err := record.Read(bytes.NewReader(r.Record))
	require.NoError(t, err)
	require.NotNil(t, file.Fault)
	x := engine.ExtraOf(file)
	assert.Equal(t, []string{"F9"}, x.Fault)
	assert.Contains(t, x.Rules, "F9")

	for i, c := range []struct{ asm, kind string }{
		{"s_movk_i32 s0, 20000\nl: s_sub_i32 s0, s0, 1\ns_cmp_lg_i32 s0, 0\ns_cbranch_scc1 l\nflat_load_dword v2, v[0:1]", "memory"},
		{"l: s_sub_i32 s0, s0, 1\ns_branch l", "limit"},
	} {
		if effort.LeavesOut(i) {
			continue
		}
		r = call[ran](t, "run", map[string]any{"mcpu": "fiji", "asm": c.asm})
		file, err = record.Read(bytes.NewReader(r.Record))
		require.NoError(t, err)
		require.NotNil(t, file.Fault)
		assert.Equal(t, c.kind, file.Fault.Kind)
		require.Len(t, file.Windows, 2) // the second window leads to the fault
		assert.Equal(t, file.Fault.Step+1, file.Windows[1].From+uint64(file.Windows[1].Count))
	}
}

// BenchmarkRun measures the page's call run: with checks, times and a record.
func BenchmarkRun(b *testing.B) {
	const loops = 10_000
	text := fmt.Sprintf(`{"mcpu":"fiji","asm":"s_movk_i32 s8, %d\nl: v_add_f32 v1, v1, v0\nv_lshlrev_b32 v2, 2, `+
		`v0\nbuffer_load_dword v3, v2, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\ns_sub_i32 s8, s8, 1\ns_cmp_lg_i32 s8, `+
		`0\ns_cbranch_scc1 l","buffers":[{"name":"a","size":256}]}`, loops)
	for b.Loop() {
		if _, err := new(engine.Engine).Call(b.Context(), "run", []byte(text)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(7*loops*float64(b.N)/b.Elapsed().Seconds(), "instructions/s")
}

// The kind of an opened file is detected; for unknown files the error says so.
func TestOpen(t *testing.T) {
	object, err := os.ReadFile("../../../internal/sim/codeobj/testdata/probe.v3.gfx900.co")
	require.NoError(t, err)
	type answer struct {
		Target  string
		Kernels []struct {
			Name string
			Args []struct {
				Name, Kind   string
				Offset, Size int
			}
			VGPRs int
			Code  []struct {
				PC   int
				Text string
			}
		}
		Scenario *engine.Scenario
		Object   string
		LeftOut  []string `json:"left_out"`
	}
	open := func(data string) answer {
		return call[answer](t, "open", map[string]any{"name": "a", "data": []byte(data)})
	}
	a := open(string(object))
	assert.Equal(t, "gfx900", a.Target)
	require.NotEmpty(t, a.Kernels)
	assert.NotEmpty(t, a.Kernels[0].Args)
	assert.Positive(t, a.Kernels[0].VGPRs)
	require.NotEmpty(t, a.Kernels[0].Code)
	assert.Contains(t, a.Kernels[0].Code[len(a.Kernels[0].Code)-1].Text+a.Kernels[0].Code[0].Text, "s_")
	assert.Equal(t, "s_nop 0", open("s_nop 0").Scenario.Asm)
	a = open(`{"mcpu":"gfx803","asm":"s_nop 0","sgpr":{"4":[7]},"vgpr":{"1":[1]},"rules":"driver"}`)
	assert.Equal(t, []engine.Word{7}, a.Scenario.SGPRs["4"])
	assert.Equal(t, "driver", a.Scenario.Rules)
	assert.Equal(t, []string{"vgpr"}, a.LeftOut)
	assert.Equal(t, "a.co", open(`{"code_object":"../a.co","kernel":"k"}`).Object)
	for data, want := range map[string]string{"": "empty", "\xff\xfe": "no code object",
		`{"code_object":1}`: "code_object", "{": "JSON", `{"mcpu":"gfx803","words":[1]}`: "no asm"} {
		_, err := new(engine.Engine).Call(context.Background(), "open",
			fmt.Appendf(nil, `{"data":%q}`, base64.StdEncoding.EncodeToString([]byte(data))))
		assert.ErrorContains(t, err, want, data)
	}
}

// A kernel of an object executes with derived arguments, and with a specification.
func TestDispatch(t *testing.T) {
	const dir = "../../../testdata/kernels/"
	files := map[string][]byte{}
	for _, name := range []string{"vadd.fiji.co", "vadd.arg1.in", "vadd.arg2.in"} {
		data, err := os.ReadFile(dir + name)
		require.NoError(t, err)
		files[name] = data
	}
	made := call[struct{ Specs []string }](t, "launches", map[string]any{"name": "vadd.fiji.co", "kernel": "vadd",
		"data": files["vadd.fiji.co"]})
	require.NotEmpty(t, made.Specs)
	text, err := os.ReadFile(dir + "vadd.fiji.json")
	require.NoError(t, err)
	type answer struct {
		Reply struct {
			OK    bool
			Error struct{ Message string }
			Dump  []struct{ Hex string }
		}
		Record []byte
		Cycles int
	}
	for _, spec := range []string{made.Specs[0], string(text)} {
		a := call[answer](t, "dispatch", map[string]any{"spec": spec, "files": files})
		assert.True(t, a.Reply.OK, a.Reply.Error.Message)
		assert.Positive(t, a.Cycles)
		r, err := record.Read(bytes.NewReader(a.Record))
		require.NoError(t, err)
		assert.NotEmpty(t, r.Windows)
	}
	delete(files, "vadd.arg2.in")
	a := call[answer](t, "dispatch", map[string]any{"spec": string(text), "files": files})
	assert.Contains(t, a.Reply.Error.Message, "vadd.arg2.in is not here: drop it on the page, too")
	assert.Empty(t, a.Record)
	files["vadd.arg2.in"] = make([]byte, 4096)
	a = call[answer](t, "dispatch", map[string]any{"files": files,
		"spec": strings.Replace(string(text), `"hex":true`, `"file":"x"`, 1)})
	assert.Contains(t, a.Reply.Error.Message, "a page does not write x")
}

// The error for an invalid condition has its location.
func TestConditions(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "no operand",
		"lines(buffer_load)":       "a comparison is missing",
		"lines == 4":               "( is missing",
		"lines() == 4":             "a name is missing",
		"v1 == 4":                  "[ is missing",
		"s200 == 4":                "no operand",
		"findings(no-such) == 0":   "no check of that name",
		"cycles < 4 or cycles > 5": "goes on after its end",
		"mem(out) == 4":            ", is missing",
		"(1 + 2 == 3":              ") is missing",
		"v1[lane == 3":             "] is missing",
		"colour(buffer_load) == 4": "no operand",
		"s1 == 4 and":              "no operand",
		"findings(race == 4":       ") is missing",
	} {
		body, err := json.Marshal(map[string]any{"mcpu": "fiji", "asm": "s_nop 0", "wants": []string{text}})
		require.NoError(t, err)
		_, err = new(engine.Engine).Call(context.Background(), "run", body)
		assert.ErrorContains(t, err, want, text)
	}
	s := engine.Scenario{MCPU: "fiji", Asm: "s_movk_i32 s4, 12\nv_lshlrev_b32 v1, 3, v0\ns_mov_b64 vcc, 5"}
	for text, want := range map[string]bool{
		"s4 == 12 and s4 != 13 and s4 >= 12 and s4 <= 12 and s4 > 11 and s4 < 13": true,
		"v1[lane] == lane * 8":                                             true,
		"v1[lane] == lane << 3 and v1[63] >> 3 == 63":                      true,
		"v1[lane] == lane * 7":                                             false,
		"(s4 & 4) + (s4 | 1) == 4 + 13 and s4 ^ 12 == 0":                   true,
		"s4 - 2 == 10 and instructions == 3 and cycles > 0":                true,
		"vcc == 5 and scc == 0 and m0 == 0 and exec == 0xffffffffffffffff": true,
		"findings == 0 and findings(race) == 0 and count(v_lshlrev) == 1":  true,
		"mem(none, 0) == 0":                                                false,
		"v1[64] == 0":                                                      false,
	} {
		assert.Equal(t, want, judged(t, &s, text), text)
	}
}
