package sim_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// engines are the combinations of an engine and watching. The plain engine, which shows every instruction, is the
// reference.
var engines = []struct {
	name, engine string // engine is an argument of sim.ChooseEngine
	all          bool   // a watcher must see every instruction, so that none is left out for other watchers
}{
	{"plain, each instruction is seen", "off", true},
	{"plain", "off", false},
	{"compiled", "hot", false},
	{"compiled at random", "random", false},
}

// compareEngines requires that a scene has the same results in all engines, and that the watchers report the same. It
// returns the results.
func compareEngines(t *testing.T, s *scene, names []string, set func(*sim.Config)) (want string) {
	for _, name := range names {
		said := ""
		for i, e := range engines {
			if name == "" && e.all {
				said = "" // there are no watchers
			}
			restore := sim.ChooseEngine(t, e.engine)
			l := look{says: func() string { return "" }}
			if name != "" {
				l = looks[name](t, s.target)
			}
			left := s.start(t, func(c *sim.Config) {
				require.NoError(t, c.Watch(l.watchers...))
				if e.all {
					require.NoError(t, c.Watch(sim.Observer(func(*sim.Event) {})))
				}
				set(c)
			})
			says := l.says()
			restore()
			if want == "" {
				want = left
			}
			if i == 0 {
				said = says
			}
			requireSame(t, want, left, "%s leaves another state of %s with %q", e.name, s.name, name)
			requireSame(t, said, says, "%s makes %q say something else of %s", e.name, name, s.name)
		}
	}
	return want
}

// requireSame shows the first difference between two long texts.
func requireSame(t *testing.T, want, got, format string, args ...any) {
	t.Helper()
	if want == got {
		return
	}
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	from := max(i-200, 0)
	t.Fatalf(format+": at byte %d of %d\n%.600q\nand each instruction seen, in the plain engine\n%.600q",
		append(args, i, len(got), got[from:], want[from:])...)
}

// TestEngines executes programs of the suites and random ones in both engines, with each watcher. Registers, memory,
// faults, counts, findings and times must be equal, also after a fault or at an instruction limit. A short run tests
// each program with one of the watchers.
func TestEngines(t *testing.T) {
	none := func(*sim.Config) {}
	names := append(lookNames(), "")
	for _, s := range engineScenes() {
		t.Run(s.name, func(t *testing.T) { compareEngines(t, &s, names, none) })
	}
	if testing.Short() {
		return
	}
	turn := 0
	looks := func() []string {
		if turn++; effort.Full() {
			return names
		}
		return []string{names[turn%len(names)], ""}
	}
	for i, s := range slices.Concat(zooScenes(t), kernelScenes(t)) {
		if !effort.LeavesOut(i) {
			t.Run(s.name, func(t *testing.T) { compareEngines(t, &s, looks(), none) })
		}
	}
	s := bareScene("to its limit", gcn.GFX900, 1, "loop:\nv_add_f32 v1, v1, v0\nv_mul_f32 v2, v1, v0\ns_add_u32 s20, s20, 1\n"+
		"v_cmp_lt_f32 vcc, v0, v2\ns_branch loop")
	for _, limit := range []uint64{1, 2, 3, 5, 6, 7, 100, 101, 102, 103, 104, 16383, 16384, 16385, 50000} {
		compareEngines(t, &s, []string{"profile", ""}, func(c *sim.Config) { c.Limit = limit })
	}
	ends, ran, rounds := map[string]int{}, 0, effort.Rounds(350)
	for seed := range uint64(rounds) {
		s := randomScene(seed)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			ran++
			left := compareEngines(t, &s, looks(), func(c *sim.Config) {
				if c.Limit = 1000; seed%4 == 0 {
					c.Limit = 1 + seed*7%97
				}
			})
			for _, how := range []string{"<nil>", " limit of ", " memory fault ", " trap fault ", " deadlock fault ",
				" fault "} {
				if strings.Contains(left, how) {
					ends[how]++
				}
			}
		})
	}
	if ran == rounds { // -run did not select some of the subtests
		require.Greater(t, len(ends), 3, ends)
	}
}

// engineTexts are programs on which the engines once differed.
var engineTexts = []string{
	// The first instruction after a barrier sets EXEC to the complement of its old value.
	"s_mov_b64 exec, 0\ns_barrier\ns_mov_b64 exec, -1\nv_mov_b32 v1, v2\nv_mov_b32 v1, v2\nv_mov_b32 v1, v2",
	// The faulting instruction was once reported as a branch that had been taken before it.
	"s_barrier\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\nv_mov_b32 v8, 1\nv_mov_b32 v9, v8\nflat_load_dword v8, v[6:7]\ns_endpgm",
	"s_barrier\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\nv_mov_b32 v8, 1\nv_mov_b32 v9, v8\ns_trap 1\ns_endpgm",
	"s_nop 0\ns_nop 0\ns_nop 0\ns_endpgm",
	"s_nop 0\nv_mov_b32 v1, 1\nv_mov_b32 v2, 1\nv_mov_b32 v250, 1\ns_endpgm",
}

func engineScenes() (all []scene) {
	for i, text := range engineTexts {
		all = append(all, bareScene(fmt.Sprintf("program %d", i), gcn.GFX900, 1+i%2, text))
	}
	return all
}

// zooScenes returns the programs with hazards from sim/check.
func zooScenes(t *testing.T) (all []scene) {
	file, err := os.Open("check/testdata/zoo.tsv")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 7 || f[0] == "id" {
			continue
		}
		target, err := gcn.ParseTarget(strings.Split(f[1], ",")[0])
		require.NoError(t, err)
		all = append(all, bareScene(f[0], target, 1, strings.ReplaceAll(f[3], `\n`, "\n")))
	}
	require.Greater(t, len(all), 40)
	return all
}

// kernelScenes returns the compiled kernels.
func kernelScenes(t *testing.T) (all []scene) {
	for i, k := range kernelTests() {
		files := k.objects(t)
		all = append(all, kernelScene(t, k, filepath.Base(files[i%len(files)]), i%2 == 0))
	}
	return all
}

// randomLines are the lines of random programs; %d are registers or small numbers. Some lines are listed several
// times, so that code is often straight for a while.
var randomLines = slices.Concat(slices.Repeat([]string{
	"v_add_f32 v%d, v%d, v%d", "v_xor_b32 v%d, v%d, v%d", "v_mul_u32_u24 v%d, v%d, v%d", "v_mov_b32 v%d, v%d",
	"v_cndmask_b32 v%d, v%d, v%d, vcc", "v_cmp_lt_u32 vcc, v%d, v%d", "s_add_u32 s2%[1]d, s2%[2]d, 5",
}, 3), []string{
	"v_cmpx_gt_u32 vcc, v%d, v%d", "s_mov_b64 exec, 0", "s_mov_b64 exec, -1", "s_mov_b64 exec, 0xff00ff",
	"s_not_b64 exec, exec", "s_and_saveexec_b64 s[16:17], vcc", "s_mov_b64 exec, s[16:17]",
	"ds_read_b32 v%[1]d, v0 offset:%[2]d", "ds_write_b32 v0, v%[1]d offset:%[2]d", "ds_add_rtn_u32 v%[1]d, v0, v%[2]d",
	"ds_read2_b32 v[12:13], v0 offset0:1 offset1:4", "buffer_load_dword v%[1]d, v0, s[0:3], 0 offen offset:%[2]d",
	"buffer_store_dword v%[1]d, v0, s[0:3], 0 offen", "flat_load_dword v%[1]d, v[4:5]", "flat_store_dword v[4:5], v%[1]d",
	"flat_atomic_add v%[1]d, v[4:5], v%[2]d glc", "s_load_dword s2%[1]d, s[0:1], 0x%[2]d", "s_waitcnt vmcnt(0) lgkmcnt(0)",
	"s_waitcnt vmcnt(0) lgkmcnt(0)", "s_nop 3", "s_barrier", "s_barrier", "s_memtime s[18:19]",
	"v_readfirstlane_b32 s25, v%d",
	"s_getreg_b32 s26, hwreg(HW_REG_MODE)", "s_cmp_eq_u32 s2%d, s2%d", "s_setprio 1",
}, slices.Repeat([]string{"s_cbranch_%s over%d"}, 6))

// randomEnds are lines that can end a program.
var randomEnds = []string{
	"v_mov_b32 v4, v%[1]d\nflat_load_dword v%[1]d, v[4:5]", "flat_store_dword v[6:7], v%[1]d", "s_trap 1",
	"v_mov_b32 v250, v%[1]d", ".long 0xbfff0000", "s_setpc_b64 s[20:21]", "s_endpgm", "s_cbranch_scc1 0x100",
}

// randomScene returns a random program with loops, forward branches, barriers and accesses. It may contain mistakes.
func randomScene(seed uint64) scene {
	r := rand.New(rand.NewPCG(seed, 54))
	target := []gcn.Target{gcn.GFX803, gcn.GFX900}[r.IntN(2)]
	var text strings.Builder
	fmt.Fprintf(&text, "s_movk_i32 s27, %d\nloop:\n", 1+r.IntN(6))
	n := 4 + r.IntN(40)
	var ends []int // for each branch, the line before which its label is
	for i := range n {
		for j := range ends {
			if ends[j] == i {
				fmt.Fprintf(&text, "over%d:\n", j)
			}
		}
		line := randomLines[r.IntN(len(randomLines))]
		switch {
		case strings.Contains(line, "over"):
			on := []string{"scc0", "scc1", "vccz", "vccnz", "execz", "execnz"}[r.IntN(6)]
			fmt.Fprintf(&text, line+"\n", on, len(ends))
			ends = append(ends, min(i+1+r.IntN(8), n))
			continue
		case r.IntN(40) == 0:
			line = randomEnds[r.IntN(len(randomEnds))]
		}
		// %.[4]s prints nothing, but uses the last argument, which lines with fewer verbs must do as well.
		fmt.Fprintf(&text, line+"%.[4]s\n", 1+r.IntN(3), r.IntN(4), 8+r.IntN(4), "")
	}
	for j := range ends {
		if ends[j] == n {
			fmt.Fprintf(&text, "over%d:\n", j)
		}
	}
	text.WriteString("s_sub_u32 s27, s27, 1\ns_cmp_lg_u32 s27, 0\ns_cbranch_scc1 loop\ns_endpgm\n")
	if r.IntN(3) == 0 {
		return gridScene(fmt.Sprintf("seed %d\n%s", seed, text.String()), target, 1+r.Uint32N(3), text.String())
	}
	return bareScene(fmt.Sprintf("seed %d\n%s", seed, text.String()), target, 1+r.IntN(3), text.String())
}

// gridScene dispatches text as five work-groups of waves waves. Registers are initialized as in bareScene, with a
// buffer of 12 KiB.
func gridScene(name string, target gcn.Target, waves uint32, text string) scene {
	return scene{name, target, func(t testing.TB, set func(*sim.Config)) string {
		b := newComputeBench(t, target)
		b.put(0, "s_mov_b32 s27, s4\nv_lshlrev_b32 v0, 2, v0\nv_mov_b32 v4, 0x20000\nv_or_b32 v4, v4, v0\n"+
			"v_mov_b32 v5, 0\ns_mov_b32 m0, -1\ns_lshl_b32 s20, s27, 8\n"+text)
		c := sim.Compute{Initiator: sim.ShaderEnable, End: [3]uint32{5, 1, 1}, NumThread: [3]uint32{64 * waves, 1, 1},
			Program: 0x10000, RSRC: rsrc(4, 1, 1), Workers: 1}
		c.RSRC[1] |= 4 << 15 // 1 or 2 KiB of LDS
		copy(c.UserData[:], b.vsharp())
		set(&c.Config)
		res, err := b.Compute(ctx, c)
		return fmt.Sprintf("%v %v %x", res, err, b.data)
	}}
}

// TestInterruptedEngines: a run that is interrupted leaves the same state as the plain engine with a limit of the
// same number of instructions, and watchers have seen these instructions.
func TestInterruptedEngines(t *testing.T) {
	const forever = 1 << 50
	const text = "loop:\nv_add_f32 v1, v1, v0\nds_write_b32 v0, v1\nv_mul_f32 v2, v1, v0\nds_read_b32 v3, v0\n" +
		"v_xor_b32 v6, v3, v2\ns_add_u32 s20, s20, 1\ns_waitcnt lgkmcnt(0)\ns_branch loop"
	words, err := asmWords(gcn.GFX900, text)
	require.NoError(t, err)
	for _, name := range []string{"", "time", "check", "profile", "sparse observer"} {
		run := func(engine string, limit uint64) (left string, executed uint64) {
			defer sim.ChooseEngine(t, engine)()
			m, l := sim.New(gcn.GFX900), look{says: func() string { return "" }}
			if m.Limit = limit; name != "" {
				l = looks[name](t, gcn.GFX900)
			}
			stop := ctx
			if limit == forever {
				var cancel context.CancelFunc
				stop, cancel = context.WithTimeout(ctx, 2*time.Millisecond)
				defer cancel()
			}
			require.NoError(t, m.Watch(l.watchers...))
			w := state.NewWave(gcn.GFX900, 8)
			w.S[gcn.M0] = ^uint32(0)
			res, err := m.RunProgram(stop, sim.NewProgram(gcn.GFX900, 0, words, 8), w)
			require.Error(t, err)
			return fmt.Sprint(res, w.PC, w.Executed, w.S, w.V, w.SCC, w.LGKMCnt, l.says()), w.Executed
		}
		for range 3 {
			left, executed := run("hot", forever)
			if executed == 0 {
				continue
			}
			want, _ := run("off", executed)
			requireSame(t, want, left, "an interrupt after %d instructions leaves something else with %q", executed, name)
		}
	}
}
