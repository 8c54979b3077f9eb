package check_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// raceKernels returns the specifications of compiled kernels.
func raceKernels(t *testing.T) []string {
	dir := compiled
	if other := os.Getenv("GCNSIM_KERNELS"); other != "" {
		dir = other
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// racesOf runs a kernel and returns findings about races that are no notes. The observer may
// be nil.
func racesOf(t *testing.T, file string, files job.Files, o sim.Observer) (races []check.Finding, err error) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	req, err := job.ParseDispatch(text)
	require.NoError(t, err, file)
	reply, err := req.Run(context.Background(), &job.Options{Check: []string{"race"}, Files: files, Observe: func(job.Run) sim.Observer { return o }})
	if reply == nil {
		return nil, err
	}
	for _, f := range reply.Findings {
		if f.Severity > check.Note {
			races = append(races, f)
		}
	}
	return races, err
}

// TestCompiledKernelsDoNotRace: compilers and those who wrote the kernels order what must
// be. One of them does not: its waves wait in a loop for a plain store to LDS.
func TestCompiledKernelsDoNotRace(t *testing.T) {
	for i, file := range raceKernels(t) {
		if testing.Short() && i%7 != 0 {
			continue
		}
		races, err := racesOf(t, file, directory(filepath.Dir(file)), nil)
		assert.NoError(t, err, file)
		if strings.HasPrefix(filepath.Base(file), "spin.") {
			assert.NotEmpty(t, races, file)
			continue
		}
		assert.Empty(t, races, file)
	}
}

// patched is a directory one of whose files has another word at an offset.
type patched struct {
	directory
	name string
	at   int
	word uint32
}

func (p patched) ReadFile(name string, limit int64) ([]byte, error) {
	data, err := p.directory.ReadFile(name, limit)
	if err == nil && name == p.name {
		data = slices.Clone(data)
		binary.LittleEndian.PutUint32(data[p.at:], p.word)
	}
	return data, err
}

// Machine words.
const (
	wordBarrier = 0xbf8a0000
	wordNop     = 0xbf800000
)

// TestDeletedBarriersAreFound deletes each S_BARRIER of compiled kernels in turn. One that
// orders accesses of different waves must be missed; whether it does a plain reference says.
func TestDeletedBarriersAreFound(t *testing.T) {
	deleted, needed, found := 0, 0, 0
	for i, file := range raceKernels(t) {
		if testing.Short() && i%29 != 0 {
			continue
		}
		dir := directory(filepath.Dir(file))
		name := strings.TrimSuffix(filepath.Base(file), ".json") + ".co"
		data, err := dir.ReadFile(name, 0)
		if err != nil {
			continue
		}
		var before *plainRaces // of the kernel as it is
		for at := 0; at+4 <= len(data); at += 4 {
			if binary.LittleEndian.Uint32(data[at:]) != wordBarrier {
				continue
			}
			if before == nil {
				before = newPlainRaces()
				_, err := racesOf(t, file, dir, before.observe)
				require.NoError(t, err)
			}
			plain := newPlainRaces()
			races, err := racesOf(t, file, patched{dir, name, at, wordNop}, plain.observe)
			if !assert.NoError(t, err, file) {
				continue
			}
			for pair := range before.pairs {
				delete(plain.pairs, pair)
			}
			if deleted++; len(plain.pairs) == 0 {
				continue
			}
			needed++
			if len(races) > 0 {
				found++
			} else {
				t.Errorf("%s: s_barrier at 0x%x of the file orders %v", file, at, plain.pairs)
			}
		}
	}
	t.Logf("%d deleted, %d of them order something, %d found", deleted, needed, found)
}
