// Package sweep has examples for sweeps on existing batch systems, and tests them with these systems.
package sweep

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/gotool"
)

// patience is how long a test waits for Slurm on a loaded machine.
const patience = 4 * time.Minute

// build builds the command and writes a corpus whose cases take some time.
func build(t *testing.T) (gcnsim, corpus string) {
	t.Helper()
	dir := t.TempDir()
	gcnsim, corpus = filepath.Join(dir, "gcnsim"), filepath.Join(dir, "corpus.jsonl")
	_, err := gotool.Output("build", "-o", gcnsim, "../../cmd/gcnsim")
	require.NoError(t, err)
	var lines []string
	for i := range 60 {
		lines = append(lines,
			fmt.Sprintf(`{"id":"count%d","exec":{"mcpu":"fiji","asm":"s_mov_b32 s0, 0x%x\nl:\ns_sub_u32 s0, s0, `+
				`1\ns_cbranch_scc0 l"},"limit":{"instructions":100000000}}`, i, 1<<18+i))
	}
	lines = append(lines,
		`{"id":"fault","exec":{"mcpu":"fiji","asm":"s_load_dword s0, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)"}}`)
	require.NoError(t, os.WriteFile(corpus, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
	return gcnsim, corpus
}

// merge returns the merged results of a directory. The command exits with an error, because a case fails.
func merge(t require.TestingT, gcnsim, results, file string) string {
	out, err := exec.Command(gcnsim, "sweep", "merge", results, "--json="+file).CombinedOutput()
	require.Error(t, err, "a case fails: %s", out)
	text, err := os.ReadFile(file)
	require.NoError(t, err, "%s", out)
	return string(text)
}

// TestSlurm executes the two tasks of an array job with its own Slurm controller and node. One task is requeued while
// it executes.
func TestSlurm(t *testing.T) {
	if !effort.Full() {
		t.Skip("a controller, a node and a sweep that is interrupted take half a minute")
	}
	for _, program := range []string{"slurmctld", "slurmd", "munged", "sbatch"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: apt-get install slurm-wlm munge", program)
		}
	}
	gcnsim, corpus := build(t)
	env := startSlurm(t)
	results, merged := filepath.Join(t.TempDir(), "results"), filepath.Join(t.TempDir(), "merged.json")
	slurm := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Env = append(append(os.Environ(), env...), "GCNSIM="+gcnsim, "OUT="+results)
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		out, err := slurm("sinfo", "-h", "-o", "%t")
		assert.NoError(c, err, out)
		assert.Equal(c, "idle", out)
	}, patience, 200*time.Millisecond)
	id, err := slurm("sbatch", "--parsable", "--array=0-1", "--output="+filepath.Join(t.TempDir(), "%a.log"),
		"slurm.sh", corpus)
	require.NoError(t, err, id)
	finished := func() int {
		names, _ := filepath.Glob(filepath.Join(results, "*.jsonl"))
		lines := 0
		for _, name := range names {
			text, _ := os.ReadFile(name)
			lines += strings.Count(string(text), "\n")
		}
		return lines
	}
	require.Eventually(t, func() bool { return finished() >= 4 }, patience, 5*time.Millisecond)
	out, err := slurm("scontrol", "requeue", id+"_0") // also works for a task that has ended
	require.NoError(t, err, out)
	t.Logf("requeued with %d results", finished())
	out, err = slurm("scontrol", "update", "JobId="+id+"_0", "StartTime=now") // instead of two minutes later
	require.NoError(t, err, out)
	require.EventuallyWithT(t, func(c *assert.CollectT) { // the queue may be empty before the task is requeued
		_, _ = slurm("scontrol", "update", "JobId="+id+"_0", "StartTime=now")
		out, _ := slurm("squeue", "-h", "-j", id)
		assert.True(c, out == "" || strings.Contains(out, "Invalid job id"), "%s", out)
		assert.True(c, strings.Contains(merge(c, gcnsim, results, merged), `"missing": 0`), "results are missing")
	}, patience, 500*time.Millisecond)
	local := filepath.Join(t.TempDir(), "local")
	text, err := exec.Command(gcnsim, "sweep", corpus, "--out="+local).CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Equal(t, merge(t, gcnsim, local, merged), merge(t, gcnsim, results, merged))
}

// startSlurm starts the daemons and returns the environment for their clients.
func startSlurm(t *testing.T) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "slurm") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	host, err := os.Hostname()
	require.NoError(t, err)
	me, err := user.Current() // the daemons need not run as root
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("key"), []byte(strings.Repeat("not secret: ", 100)), 0o600))
	for _, name := range []string{"state", "spool", "munge"} {
		require.NoError(t, os.Mkdir(at(name), 0o755))
	}
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.sock
SlurmUser=%[5]s
SlurmdUser=%[5]s
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MailProg=/bin/true
KillWait=1
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=%[1]s Default=YES MaxTime=INFINITE State=UP
`, host, dir, port(t), port(t), me.Username)
	require.NoError(t, os.WriteFile(at("slurm.conf"), []byte(conf), 0o644))
	env := []string{"SLURM_CONF=" + at("slurm.conf")}
	for _, daemon := range [][]string{
		{"munged", "--foreground", "--force", "--key-file=" + at("key"), "--socket=" + at("munge.sock"),
			"--pid-file=" + at("munge/pid"), "--log-file=" + at("munge/log"), "--seed-file=" + at("munge/seed")},
		{"slurmctld", "-D"},
		{"slurmd", "-D", "-N", host},
	} {
		cmd := exec.Command(daemon[0], daemon[1:]...)
		cmd.Env = append(os.Environ(), env...)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Signal(os.Interrupt)
			time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
			_ = cmd.Wait()
		})
		if daemon[0] == "munged" {
			require.Eventually(t, func() bool { _, err := os.Stat(at("munge.sock")); return err == nil }, patience,
				20*time.Millisecond)
		}
	}
	return env
}

// port returns an unused port.
func port(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
