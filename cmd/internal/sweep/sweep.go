// Package sweep executes corpora of cases and merges their results. A case is a specification of exec or dispatch;
// lists of chips, rule sets, seeds, checks and timing multiply it.
//
// corpus JSON lines; [Open] reads them
//
//	shard    the cases of one process; it depends only on the case's id and on the
//	         number of shards
//	results  a directory with a file for each shard, with a line for each finished case. A killed
//	         execution only loses the cases in progress
//	worker   a child process, see [Serve]: a case that kills its process is a result
//	bucket   failures of the same kind, instruction and rule, with the smallest case
//
// The output of [Merge] does not depend on shards, order or interruptions, because results contain no times.
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

// Sweep executes the cases of a corpus, or of a shard, that have no result yet.
type Sweep struct {
	Corpus  *Corpus
	Dir     string // directory of results
	Version string // version of the simulator; results of different versions are separate
	Shard   Shard
	Jobs    int // number of worker processes
	Limits  Limits
	// Worker returns the command of a worker process: see [Serve].
	Worker func() *exec.Cmd
	// Progress is called after each case. It may be nil.
	Progress func(Progress)

	mu  sync.Mutex // guards the fields below
	now Progress
	out *os.File
	ran map[string]bool // instructions that earlier lines of the results file list
}

// Left describes the progress at any time: what is left if the sweep is interrupted.
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
	Kept        int // cases of Done that had a result from an earlier execution
	Failed      int // failures among the cases executed now
}

// String formats the progress for people.
func (p Progress) String() string {
	return fmt.Sprintf("%d cases have results, %d of them from before; %d that ran now are not ok", p.Done, p.Kept,
		p.Failed)
}

// Bar returns a function that shows progress on one line of w, or nil if w is not a terminal.
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

// Shard is a part of the cases; the zero value means all. It is a flag value.
type Shard struct{ Index, Count int }

// Set parses I/N: part I of N, from 0.
func (s *Shard) Set(text string) error {
	var to Shard
	if n, err := fmt.Sscanf(text+"\n", "%d/%d\n", &to.Index, &to.Count); n != 2 || err != nil || to.Count < 1 ||
		to.Index < 0 || to.Index >= to.Count {
		return fmt.Errorf("%q is no shard; give I/N, part I of N from 0", text)
	}
	*s = to
	return nil
}

// String returns I/N, or "" for all cases.
func (s *Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Type returns the value's name in help texts.
func (s *Shard) Type() string { return "I/N" }

// has reports whether a case belongs to the shard.
func (s *Shard) has(id string) bool {
	return s.Count < 2 || sum64(id)%uint64(s.Count) == uint64(s.Index)
}

// file returns the name of the shard's results file.
func (s *Shard) file() string { return fmt.Sprintf("%d-of-%d.jsonl", s.Index, max(s.Count, 1)) }

// manifest identifies the corpus and the version of the results in a directory.
type manifest struct {
	Version string `json:"version"`
	Corpus  string `json:"corpus"`
	Cases   int    `json:"cases"`
	Limits  Limits `json:"limits"`
}

const manifestName = "manifest.json"

// readManifest reads the manifest of a directory. The error is [fs.ErrNotExist] if it is missing.
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

// claim writes the manifest of this corpus. It refuses a directory with results of another corpus.
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

// Run executes the remaining cases. After an error the results of finished cases are kept.
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

// open opens the results file for appending. It completes a line that a killed process left unfinished.
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

// keep writes a result, without instructions that earlier lines of the file list.
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
