package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/insttest"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/page/internal/engine"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// answersFile, if set, is the file to which this process writes its answers.
var answersFile = flag.String("answers", "", "write answers to this file and do nothing else")

func TestMain(m *testing.M) {
	flag.Parse()
	if *answersFile == "" {
		os.Exit(m.Run())
	}
	if err := os.WriteFile(*answersFile, answers(), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answers returns the library's answers to all calls of the page, the outputs of kernels and the results of random
// instructions, one a line that starts with a name.
func answers() []byte {
	var out bytes.Buffer
	add := func(name string, answer any, err error) {
		if err != nil {
			answer = "error: " + err.Error()
		}
		text, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&out, "%s %s\n", name, text)
	}
	call := func(name, call string, body any) {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		answer, err := new(engine.Engine).Call(context.Background(), call, text)
		add(name, json.RawMessage(answer), err)
	}
	for _, name := range []string{"info", "handbook", "lessons"} {
		call(name, name, nil)
	}
	call("check", "check", map[string]any{"mcpu": "vega10", "asm": "s_nop 0\nv_foo v1", "names": true})
	call("describe", "describe", map[string]any{"mcpu": "fiji", "kind": "vsharp", "words": []int{0, 0, 0, 0},
		"choices": true})
	call("fault", "run", map[string]any{"mcpu": "fiji", "asm": "flat_load_dword v2, v[0:1]"})
	lessons, err := engine.Lessons()
	if err != nil {
		panic(err)
	}
	for _, l := range lessons {
		for i := range len(l.WhatIf) + 1 {
			s := l.Scenario
			if i > 0 {
				w := &l.WhatIf[i-1]
				for _, x := range w.Replace {
					s.Asm = strings.Replace(s.Asm, x[0], x[1], 1)
				}
				for key, value := range w.Set {
					if err := json.Unmarshal([]byte(`{"`+key+`":`+string(value)+`}`), &s); err != nil {
						panic(err)
					}
				}
			}
			call(fmt.Sprintf("%s, change %d", l.Name, i), "run", &s)
			call(fmt.Sprintf("%s, change %d, as a request", l.Name, i), "compile", &s)
		}
	}
	specs, err := filepath.Glob("../../../testdata/kernels/*.json")
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(specs); i += 17 {
		text, err := os.ReadFile(specs[i])
		if err != nil {
			panic(err)
		}
		d, err := spec.ParseDispatch(text)
		if err != nil {
			panic(err)
		}
		d.Check = append(d.Check, "all")
		reply, err := d.Answer(context.Background(), &spec.Options{Files: files.Dir(filepath.Dir(specs[i]))})
		add(filepath.Base(specs[i]), reply, err)
	}
	randomInstructions(add)
	return out.Bytes()
}

// randomInstructions executes each instruction, in each form, with random fields and registers.
func randomInstructions(add func(name string, answer any, err error)) {
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX803, gcn.GFX906} {
		r := rand.New(rand.NewPCG(1, uint64(target)))
		m := sim.New(target)
		m.Limit = 8
		buffer, err := m.Map(0, 1<<16)
		if err != nil {
			panic(err)
		}
		w := state.NewWave(target, insttest.VGPRs)
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			for e := isa.SOP1; int(e) < isa.NumEncodings; e++ {
				if _, err := isa.New(target, op, e); err != nil {
					continue
				}
				in, ok := insttest.Random(r, target, op, e)
				if !ok {
					continue
				}
				insttest.Fill(r, w)
				w.PC = 0
				words := []uint32{uint32(in.Words), uint32(in.Words >> 32)}[:in.Size/4]
				_, err := m.Run(context.Background(), w, words)
				add(fmt.Sprintf("%v %v %08x", target, op, words),
					[]string{digest(w.S, w.V, w.SCC, w.Mode, w.Status()), fmt.Sprint(err)}, nil)
			}
		}
		add(fmt.Sprint(target, " memory"), digest(buffer.Bytes()), nil)
	}
}

// digest returns a hash of values.
func digest(values ...any) string {
	h := sha256.New()
	for _, v := range values {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// newerThan returns a source file of the library that was changed after then, or "".
func newerThan(t *testing.T, then time.Time) (newer string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && path != "../../.." ||
			d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".md", ".json"}, filepath.Ext(path)):
			return nil
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(then) {
			newer = path
		}
		return err
	}))
	return newer
}

// The library as WebAssembly returns the same bytes as in this process. make page compiles this test to WebAssembly.
func TestWasm(t *testing.T) {
	const program = "../../../bin/engine_test.wasm"
	built, err := os.Stat(program)
	if err != nil {
		t.Skip(err, ": WebAssembly is not compared; make page builds it")
	}
	if file := newerThan(t, built.ModTime()); file != "" {
		t.Skip(program, " is older than ", file, ": WebAssembly is not compared; make page builds it anew")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: WebAssembly is not compared")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "answers")
	// --liftoff-only, because optimizing would take longer than the test. Go's support file allows only few
	// environment variables.
	run := exec.Command(node, "--liftoff-only", filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm",
		"wasm_exec_node.js"), program,
		"-answers="+file)
	run.Env = []string{"PATH=" + os.Getenv("PATH")}
	said, err := run.CombinedOutput()
	require.NoError(t, err, "%s", said)
	took := run.ProcessState.UserTime()
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	want := answers()
	t.Logf("%d answers; WebAssembly took %v of the processor", bytes.Count(want, []byte("\n")), took)
	if bytes.Equal(want, got) {
		return
	}
	theirs, ours := slices.Collect(bytes.Lines(got)), slices.Collect(bytes.Lines(want))
	require.Len(t, theirs, len(ours))
	failures := 0
	for i := range ours {
		if !bytes.Equal(ours[i], theirs[i]) && failures < 10 {
			at := 0
			for at < min(len(ours[i]), len(theirs[i])) && ours[i][at] == theirs[i][at] {
				at++
			}
			failures++
			assert.Fail(t, "the answers differ", "%.60s at %d: %.80s here, %.80s there", ours[i], at, ours[i][at:],
				theirs[i][at:])
		}
	}
}
