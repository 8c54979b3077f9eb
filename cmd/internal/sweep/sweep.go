// Package sweep runs corpora of cases, each a specification of exec or dispatch with lists
// of chips, rule sets, seeds, checks and timing that multiply, and merges what they gave.
//
//	corpus   JSON lines; [Open] reads them and finds the cases
//	shard    the cases that one process runs: which shard a case is of hangs on its id and on
//	         the number of shards alone
//	results  a directory with a file for each shard, which has a line for each case that ended. A run
//	         that is killed loses the cases at hand only
//	worker   a child process, see [Serve]: a case that takes the process down is a result
//	bucket   failures of the same kind, instruction and rule, with the smallest case
//
// What [Merge] says does not depend on shards, order or interruptions: results hold no times.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/v1"
	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Sweep runs the cases of a corpus, or of a shard of it, that have no result yet.
type Sweep struct {
	Corpus  *Corpus
	Dir     string // of results
	Version string // of the simulator: another one gives results of its own
	Shard   Shard
	Jobs    int // processes
	Limits  Limits
	// Worker returns a command that is a worker: see [Serve].
	Worker func() *exec.Cmd
	// Progress, if not nil, is called after each case.
	Progress func(Progress)

	mu  sync.Mutex // of what follows
	now Progress
	out *os.File
	ran map[string]bool // instructions that the file of results has
}

// Left says how far the sweep is, at any time: what is not done when it is interrupted.
func (s *Sweep) Left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Total == 0 {
		return "no case had run"
	}
	return fmt.Sprintf("%d of %d cases have results; run it again to go on", s.now.Done, s.now.Total)
}

// Progress is how far a sweep is.
type Progress struct {
	Done, Total int // cases of the shard
	Kept        int // cases of Done that had a result before
	Failed      int // of those that ran now
}

// String is for people.
func (p Progress) String() string {
	return fmt.Sprintf("%d cases have results, %d of them from before; %d that ran now are not ok", p.Done, p.Kept,
		p.Failed)
}

// Bar returns what shows progress on one line of w, nil if that is no terminal.
func Bar(w io.Writer) func(Progress) {
	if !files.IsTerminal(w) {
		return nil
	}
	return func(p Progress) {
		end := ""
		if p.Done == p.Total {
			end = "\n"
		}
		fmt.Fprintf(w, "\r%d of %d cases, %d not ok%s", p.Done, p.Total, p.Failed, end)
	}
}

// Shard is a part of the cases; the zero value is all. It is the value of a flag.
type Shard struct{ Index, Count int }

// Set reads I/N: part I of N, from 0.
func (s *Shard) Set(text string) error {
	var to Shard
	if n, err := fmt.Sscanf(text+"\n", "%d/%d\n", &to.Index, &to.Count); n != 2 || err != nil || to.Count < 1 ||
		to.Index < 0 || to.Index >= to.Count {
		return fmt.Errorf("%q is no shard; give I/N, part I of N from 0", text)
	}
	*s = to
	return nil
}

// String returns I/N, "" for all.
func (s *Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Type is the name of the value in help.
func (s *Shard) Type() string { return "I/N" }

// has reports whether a case is of the shard.
func (s *Shard) has(id string) bool {
	return s.Count < 2 || sum64(id)%uint64(s.Count) == uint64(s.Index)
}

// file is the name of the file of results.
func (s *Shard) file() string { return fmt.Sprintf("%d-of-%d.jsonl", s.Index, max(s.Count, 1)) }

// manifest says what results are of.
type manifest struct {
	Version string `json:"version"`
	Corpus  string `json:"corpus"`
	Cases   int    `json:"cases"`
	Limits  Limits `json:"limits"`
}

const manifestName = "manifest.json"

// readManifest returns the manifest of a directory. The error of one that is not there is [fs.ErrNotExist].
func readManifest(dir string) (m manifest, err error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	return m, nil
}

// claim marks the directory as the directory of this corpus. It refuses one with results of another corpus.
func (s *Sweep) claim() error {
	mine := manifest{s.Version, s.Corpus.Digest(), s.Corpus.Cases, s.Limits}
	there, err := readManifest(s.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(s.Dir, 0o777); err != nil {
			return err
		}
		return files.Write(filepath.Join(s.Dir, manifestName), lineOf(mine))
	case err != nil:
		return err
	case there.Version != mine.Version:
		return fmt.Errorf("the results are of gcnsim %s, this is %s; choose another directory", there.Version, mine.Version)
	case there.Corpus != mine.Corpus:
		return fmt.Errorf("the results are of another corpus (%s of %d cases, this is %s of %d); choose another directory",
			there.Corpus, there.Cases, mine.Corpus, mine.Cases)
	case there.Limits != mine.Limits:
		return fmt.Errorf("the results are of other limits (%s, these are %s); choose another directory",
			marshal(there.Limits), marshal(mine.Limits))
	}
	return nil
}

// Run runs what is left. An error leaves all results of cases that ended.
func (s *Sweep) Run(ctx context.Context) (p Progress, err error) {
	if err := s.claim(); err != nil {
		return Progress{}, err
	}
	done := map[uint64]bool{}
	if err := results(s.Dir, done, func(*Result) {}); err != nil {
		return Progress{}, err
	}
	for c := range s.Corpus.all(s.Shard) {
		p.Total++
		if done[sum64(c.id)] {
			p.Done++
			p.Kept++
		}
	}
	if err := s.open(p); err != nil {
		return Progress{}, err
	}
	defer func() { err = errors.Join(err, s.out.Close()) }()
	next, stop := iter.Pull(s.Corpus.all(s.Shard))
	defer stop()
	var mu sync.Mutex
	todo := func() *Case {
		mu.Lock()
		defer mu.Unlock()
		for {
			c, ok := next()
			if !ok {
				return nil
			}
			if !done[sum64(c.id)] {
				return c.ready(s.Limits)
			}
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	for range max(min(s.Jobs, p.Total-p.Done), 1) {
		g.Go(func() error {
			w := &process{start: s.Worker}
			defer w.end(false)
			for c := todo(); c != nil; c = todo() {
				r, err := w.do(ctx, c)
				if err == nil {
					err = s.keep(r)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = g.Wait()
	return s.now, err
}

// open opens the file of results to add lines to. A line that a killed process left half written is ended.
func (s *Sweep) open(p Progress) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.ran = p, map[string]bool{}
	s.out, err = os.OpenFile(filepath.Join(s.Dir, s.Shard.file()), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	if end, err := s.out.Seek(0, io.SeekEnd); err != nil || end == 0 {
		return err
	}
	_, err = s.out.WriteString("\n")
	return err
}

// keep writes a result. It keeps no instructions that executed for an earlier line of the file.
func (s *Sweep) keep(r *Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Ran = slices.DeleteFunc(r.Ran, func(name string) bool {
		had := s.ran[name]
		s.ran[name] = true
		return had
	})
	if _, err := s.out.Write(lineOf(r)); err != nil {
		return err
	}
	s.now.Done++
	if r.Status != passed {
		s.now.Failed++
	}
	if s.Progress != nil {
		s.Progress(s.now)
	}
	return nil
}
