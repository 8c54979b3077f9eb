package sweep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// TestMain makes the test binary a worker if a variable asks for it. A case named crash crashes this worker.
func TestMain(m *testing.M) {
	if os.Getenv("SWEEP_WORKER") == "" {
		os.Exit(m.Run())
	}
	in, out := io.Pipe()
	go func() {
		r := bufio.NewReader(os.Stdin)
		for {
			line, err := r.ReadBytes('\n')
			if bytes.Contains(line, []byte(`"id":"crash`)) {
				fmt.Fprintln(os.Stderr, "panic: gone at 0x1234\nmore")
				os.Exit(3)
			}
			if _, failed := out.Write(line); err != nil || failed != nil {
				out.CloseWithError(io.EOF)
				return
			}
		}
	}()
	worst := check.Warning
	if err := Serve(context.Background(), in, os.Stdout, &worst); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func worker(t testing.TB) func() *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	return func() *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "SWEEP_WORKER=1")
		return cmd
	}
}

// corpus writes lines to a file.
func corpus(t testing.TB, lines ...string) *Corpus {
	t.Helper()
	name := filepath.Join(t.TempDir(), "corpus.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
	c, err := Open(name)
	require.NoError(t, err)
	return c
}

func newSweep(t testing.TB, c *Corpus, dir string) *Sweep {
	return &Sweep{Corpus: c, Dir: dir, Version: "v1", Jobs: 2, Worker: worker(t),
		Limits: Limits{Seconds: 30, Megabytes: 1024}}
}

// execCase returns a line that executes text on some chips.
func execCase(id, text, more string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"id":%q,"exec":{"mcpu":"gfx803","asm":%s%s},"mcpu":["gfx803","gfx900"]}`, id, quoted, more)
}

// many returns cases that pass and cases that fail in two ways.
func many() (lines []string) {
	for i := range 20 {
		lines = append(lines, execCase(fmt.Sprintf("ok%d", i), fmt.Sprintf("v_mov_b32 v0, %d", i), ""))
	}
	for i := range 8 {
		lines = append(lines, execCase(fmt.Sprintf("unmapped%d", i),
			fmt.Sprintf("s_load_dword s0, s[2:3], 0x%x\ns_waitcnt lgkmcnt(0)", 4*i), ""))
		lines = append(lines, execCase(fmt.Sprintf("wait%d", i), "s_load_dword s0, s[2:3], 0x0\ns_add_u32 s1, s0, s0",
			`,"check":["wait"],"sgpr":{"2":[4096,0]},"mem":[{"addr":4096,"size":64}]`))
	}
	return append(lines, `{"id":"bad"}`)
}

func merged(t testing.TB, dirs ...string) *Merged {
	t.Helper()
	m, err := Merge(dirs...)
	require.NoError(t, err)
	return m
}

func TestResults(t *testing.T) {
	effort.Long(t)
	loop := "s_branch 0xffff"
	c := corpus(t, append(many(),
		fmt.Sprintf(`{"id":"loop","exec":{"mcpu":"fiji","asm":%q},"limit":{"instructions":1000}}`, loop),
		fmt.Sprintf(`{"id":"long","exec":{"mcpu":"fiji","asm":%q},"limit":{"instructions":1000000000000,"seconds":0.2}}`,
			loop),
		`{"id":"large","exec":{"mcpu":"fiji","asm":"s_endpgm","mem":[{"addr":4096,"size":536870912}]},`+
			`"limit":{"megabytes":64}}`,
		`{"id":"crash","exec":{"mcpu":"fiji","asm":"s_endpgm"}}`,
		`{"id":"none","dispatch":"missing.json"}`,
		`{"id":"vary","dispatch":{"code_object":"k.co","kernel":"k"},"seeds":2}`,
		`this is no JSON`)...)
	assert.Len(t, c.Malformed, 2)
	dir := t.TempDir()
	p, err := newSweep(t, c, dir).Run(context.Background())
	require.NoError(t, err)
	m := merged(t, dir)
	assert.Equal(t, p.Done, m.Cases)
	assert.Zero(t, m.Missing)
	assert.Equal(t, map[string]int{passed: 40, failed: 16, found: 16, hung: 2, tooLarge: 1, crashed: 1, broken: 5},
		m.Status)
	byName := map[string]*Bucket{}
	for _, b := range m.Buckets {
		byName[b.Name] = b
	}
	for name, cases := range map[string]int{"fault, s_load_dword": 16, "time": 1, "memory": 1, "limit, s_branch": 1,
		"crashed, the process ended with status #: panic: gone at #": 1} {
		require.Contains(t, byName, name, "%v", m)
		assert.Equal(t, cases, byName[name].Cases, "%s of %v", name, m)
	}
	assert.Equal(t, "wait-raw, s_add_u32, rule W3", m.Buckets[1].Name)
	assert.Contains(t, m.String(), "16 found: wait-raw")
	require.Len(t, m.Coverage, 2)
	for i, mcpu := range []string{"gfx803", "gfx900"} {
		assert.Equal(t, mcpu, m.Coverage[i].MCPU)
		assert.Contains(t, m.Coverage[i].Executed, "v_mov_b32")
		assert.Contains(t, m.Coverage[i].Never, "v_rcp_f32")
	}
	assert.NotEmpty(t, m.specs())
}

// TestDiff compares two equal objects, and two different ones.
func TestDiff(t *testing.T) {
	kernels, err := filepath.Abs("../../../testdata/kernels")
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(kernels, name) }
	object, err := os.ReadFile(at("saxpy.fiji.co"))
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "other.co") // a copy with V_MUL_F32 instead of V_MAC_F32
	changed := bytes.Clone(object)
	replaced := false
	for i := 0; i+4 <= len(changed); i += 4 {
		w := binary.LittleEndian.Uint32(changed[i:])
		if w&0xfe0001ff == 22<<25|4 { // V_MAC_F32 of s4 is opcode 22 of VOP2, V_MUL_F32 5
			binary.LittleEndian.PutUint32(changed[i:], w&^(63<<25)|5<<25)
			replaced = true
		}
	}
	require.True(t, replaced)
	require.NoError(t, os.WriteFile(other, changed, 0o666))
	line := `{"id":%q,"diff":{"spec":%q,"a":%q,"b":%q}}`
	c := corpus(t,
		fmt.Sprintf(line, "same", at("saxpy.fiji.json"), at("saxpy.fiji.co"), at("saxpy.gfx900.co")),
		fmt.Sprintf(line, "changed", at("saxpy.fiji.json"), at("saxpy.fiji.co"), other),
		fmt.Sprintf(line, "missing", at("saxpy.fiji.json"), at("saxpy.fiji.co"), at("missing.co")),
		`{"id":"half","diff":{"spec":"k.json","a":"a.co"}}`)
	dir := t.TempDir()
	_, err = newSweep(t, c, dir).Run(context.Background())
	require.NoError(t, err)
	m := merged(t, dir)
	require.Equal(t, map[string]int{passed: 1, differs: 1, failed: 1, broken: 1}, m.Status, "%v", m)
	for _, b := range m.Buckets {
		if b.Status == differs {
			assert.Contains(t, b.Name, "v_mac_f32")
			assert.Contains(t, b.Name, "v_mul_f32")
		}
	}
	script := false
	for name, text := range m.specs() {
		script = script || strings.HasSuffix(name, ".diff.sh") && strings.Contains(string(text), "gcnsim diff --spec=")
	}
	assert.True(t, script)
}

// TestMergedIsTheSame: the merged result has the same bytes for any number of shards and jobs, and however often the
// sweep is killed.
func TestMergedIsTheSame(t *testing.T) {
	effort.Long(t)
	c := corpus(t, many()...)
	want := ""
	for _, shards := range []int{1, 7, effort.Rounds(64)} {
		dir := t.TempDir()
		r := rand.New(rand.NewPCG(1, uint64(shards)))
		for _, i := range r.Perm(shards) {
			for kills := 0; ; kills++ {
				s := newSweep(t, c, dir)
				s.Shard, s.Jobs = Shard{i, shards}, 1+r.IntN(2)
				ctx, cancel := context.WithCancel(context.Background())
				var left atomic.Int64
				left.Store(int64(3 + r.IntN(20)))
				if kills < effort.Rounds(3) {
					s.Progress = func(Progress) {
						if left.Add(-1) == 0 {
							cancel()
						}
					}
				}
				_, err := s.Run(ctx)
				cancel()
				if err == nil {
					break
				}
				require.ErrorIs(t, err, context.Canceled)
				require.Regexp(t, "^[0-9]+ of [0-9]+ cases have results; run it again", s.Left())
			}
		}
		m := merged(t, dir)
		require.Zero(t, m.Missing)
		if want == "" {
			want = string(m.Text())
		}
		require.Equal(t, want, string(m.Text()), "%d shards", shards)
	}
}

// TestResume: a case with a result is not executed again. A truncated line does not count as a result.
func TestResume(t *testing.T) {
	c := corpus(t, many()...)
	dir := t.TempDir()
	s := newSweep(t, c, dir)
	_, err := s.Run(context.Background())
	require.NoError(t, err)
	want := merged(t, dir).Text()
	name := filepath.Join(dir, "0-of-1.jsonl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	// as if the process was killed while it wrote the last line
	require.NoError(t, os.WriteFile(name, text[:len(text)-5], 0o666))
	assert.Equal(t, 1, merged(t, dir).Missing)
	p, err := newSweep(t, c, dir).Run(context.Background())
	require.NoError(t, err)
	assert.Equal(t, p.Total-1, p.Kept)
	assert.Equal(t, string(want), string(merged(t, dir).Text()))
}

func TestRefusals(t *testing.T) {
	first := corpus(t, many()...)
	dir := t.TempDir()
	_, err := newSweep(t, first, dir).Run(context.Background())
	require.NoError(t, err)
	other := corpus(t, append(many(), execCase("new", "s_nop 0", ""))...)
	_, err = newSweep(t, other, dir).Run(context.Background())
	require.ErrorContains(t, err, "another corpus")
	s := newSweep(t, first, dir)
	s.Version = "v2"
	_, err = s.Run(context.Background())
	require.ErrorContains(t, err, "of gcnsim v1, this is v2")
	s = newSweep(t, first, dir)
	s.Limits.Seconds++
	_, err = s.Run(context.Background())
	require.ErrorContains(t, err, "of other limits")
	_, err = Merge(t.TempDir())
	require.ErrorContains(t, err, "there are no results")
	name := filepath.Join(t.TempDir(), "twice.jsonl")
	line := execCase("a", "s_nop 0", "") + "\n"
	require.NoError(t, os.WriteFile(name, []byte(line+"\n"+line), 0o666))
	_, err = Open(name)
	require.ErrorContains(t, err, `twice.jsonl:3: the id "a" is that of`)
	require.ErrorContains(t, err, "twice.jsonl:1")
	require.NoError(t, os.WriteFile(name, []byte(`{"id":"a","exec":{},"seeds":4000000000}`), 0o666))
	_, err = Open(name)
	require.ErrorContains(t, err, "more than 33554432 cases")
	for list, what := range map[string]string{
		`"mcpu":["fiji","gfx900","fiji"]`: `mcpu: "fiji" is there twice`, `"chip":["fiji","fiji"]`: "chip",
		`"rules":["seed","seed"]`: "rules", `"id":"a rules=seed"`: `has " rules=" in it`,
		`"check":[["all"],["a","b"],["a,b"]]`: `check: "a,b"`, `"timing":[true,false,true]`: `timing: "true"`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(`{"id":"a","exec":{},`+list+`}`), 0o666))
		_, err = Open(name)
		require.ErrorContains(t, err, what)
	}
	_, err = Open(name, filepath.Join(t.TempDir(), "absent"))
	require.Error(t, err)
	for _, text := range []string{"", "1", "1/0", "3/3", "-1/4", "0/4x"} {
		require.Error(t, new(Shard).Set(text), text)
	}
	s = newSweep(t, first, t.TempDir())
	s.Worker = func() *exec.Cmd { return exec.Command(os.Args[0], "-no-such-flag") }
	_, err = s.Run(context.Background())
	require.ErrorContains(t, err, "before it was ready")
}

// TestShards: each case is in one shard, and added cases do not move others.
func TestShards(t *testing.T) {
	shardOf := func(c *Corpus) map[string]int {
		at := map[string]int{}
		for n := range 7 {
			for one := range c.all(Shard{n, 7}) {
				require.NotContains(t, at, one.id)
				at[one.id] = n
			}
		}
		require.Len(t, at, c.Cases)
		return at
	}
	before := shardOf(corpus(t, many()...))
	after := shardOf(corpus(t, append(many(), execCase("new", "s_nop 0", ""))...))
	require.Len(t, after, len(before)+2)
	for id, n := range before {
		if !strings.HasPrefix(id, "corpus.jsonl:") {
			require.Equal(t, n, after[id], id)
		}
	}
}

func TestConcrete(t *testing.T) {
	c := corpus(t, `{"id":"k","dispatch":{"code_object":"k.co","kernel":"k","args":[{"buffer":{"size":64,`+
		`"random":"0x10"}},{"u32":3}]},"chip":["fiji"],"rules":["driver"],"check":[["all"],[]],"timing":[true],"seeds":3}`)
	require.Equal(t, 6, c.Cases)
	all := map[string]*Case{}
	for one := range c.all(Shard{}) {
		all[one.id] = one.ready(Limits{Instructions: 9})
	}
	one := all["k chip=fiji rules=driver check=all timing=true seed=2"]
	require.NotNil(t, one, all)
	assert.JSONEq(t, `{"code_object":"k.co","kernel":"k","args":[{"buffer":{"size":64,"random":"0x12"}},{"u32":3}],`+
		`"chip":"fiji","rules":"driver","check":["all"],"timing":true,"max_instructions":9}`, string(one.Spec))
}

// FuzzCorpus: any file is either a corpus or an error.
func FuzzCorpus(f *testing.F) {
	f.Add([]byte(strings.Join(many(), "\n")))
	f.Add([]byte(`{"id":"k","dispatch":{"args":[{"buffer":{"random":"0x10"}}]},"seeds":3}`))
	f.Add([]byte(`{"id":"k","exec":{},"mcpu":["fiji","fiji"]}`))
	f.Add([]byte(`{"id":"a rules=seed","exec":{}}` + "\n" + `{"id":"a","exec":{},"rules":["seed"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "c")
		require.NoError(t, os.WriteFile(name, text, 0o666))
		c, err := Open(name)
		if err != nil {
			return
		}
		if c.Cases > 100 {
			return
		}
		ids := map[string]bool{}
		for one := range c.all(Shard{}) {
			require.False(t, ids[one.id], one.id)
			ids[one.id] = true
		}
		require.Len(t, ids, c.Cases)
	})
}

// BenchmarkCase executes one case in a worker. Baseline is the same dispatch in this process.
func BenchmarkCase(b *testing.B) {
	const name = "../../../testdata/kernels/saxpy.fiji.json"
	text, err := os.ReadFile(name)
	require.NoError(b, err)
	dir, err := filepath.Abs(filepath.Dir(name))
	require.NoError(b, err)
	b.Run("Baseline", func(b *testing.B) {
		o := &spec.Options{Files: files.ReadOnly{Dir: files.Dir(dir)}, Objects: &sim.ObjectCache{}, Workers: 1}
		for b.Loop() {
			req, err := spec.ParseDispatch(text)
			require.NoError(b, err)
			_, err = req.Answer(context.Background(), o)
			require.NoError(b, err)
		}
	})
	b.Run("Worker", func(b *testing.B) {
		p := &process{start: worker(b)}
		defer p.end(true)
		c := &Case{ID: "saxpy", Kind: "dispatch", Dir: dir, Spec: lineOf(nil)}
		c.Spec = text
		for b.Loop() {
			a, err := p.do(context.Background(), c)
			require.NoError(b, err)
			require.Equal(b, passed, a.Status, a.Message)
		}
	})
}
