// Package sweep runs corpora of cases, each a specification of exec or dispatch with lists
// of chips, rule sets, seeds, checks and timing that multiply, and merges what they gave.
//
//	corpus   JSON lines; [Open] reads them and finds the cases, [Init] makes some
//	chunk    the cases whose ids have the same hash, of 4096: what one worker runs at a time,
//	         and one file of results. A shard is every n-th chunk, so that which shard a case
//	         is of hangs on its id and on n alone
//	journal  the file of a chunk that is not finished: a line a case, so that a run which is
//	         killed loses the cases at hand only
//	worker   a child process, see [Serve]: a case that takes the process down is a result
//	bucket   failures of the same kind, instruction and rule, with the smallest case
//
// What [Merge] says does not depend on shards, order or interruptions: results hold no
// times, and chunks are sorted. Files are reached through [Store]: a directory, or what
// serves the protocol of S3.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/v1"
	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Sweep runs the cases of a corpus, or of a shard of it, that have no result yet.
type Sweep struct {
	Corpus  *Corpus
	Store   Store
	Version string // of the simulator: another one gives results of its own
	Shard   Shard
	Jobs    int // processes
	Limits  Limits
	Extend  bool // the results may be those of another corpus: those of cases in both are kept
	// Worker returns a command that is a worker: see [Serve].
	Worker func() *exec.Cmd
	// Progress, if not nil, is called after each case.
	Progress func(Progress)

	now atomic.Pointer[Progress]
}

// Left says how far the sweep is, at any time: what is not done when it is interrupted.
func (s *Sweep) Left() string {
	p := s.now.Load()
	if p == nil {
		return "no case had run"
	}
	return fmt.Sprintf("%d of %d cases have results; run it again to go on", p.Done, p.Total)
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
		to.Count > chunks || to.Index < 0 || to.Index >= to.Count {
		return fmt.Errorf("%q is no shard; give I/N, part I of N from 0, with at most %d parts", text, chunks)
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

// has reports whether a chunk is of the shard.
func (s *Shard) has(chunk int) bool { return s.Count < 2 || chunk%s.Count == s.Index }

// manifest says what results are of.
type manifest struct {
	Version string `json:"version"`
	Corpus  string `json:"corpus"`
	Cases   int    `json:"cases"`
}

const manifestName = "manifest.json"

// readManifest returns the manifest of a store, nil if there is none.
func readManifest(s Store) (*manifest, error) {
	data, err := s.Read(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	return m, nil
}

// claim marks the store as the store of this corpus. It refuses a store with results of another corpus.
func (s *Sweep) claim() error {
	mine := manifest{s.Version, s.Corpus.Digest(), s.Corpus.Cases()}
	there, err := readManifest(s.Store)
	switch {
	case err != nil:
		return err
	case there == nil:
	case *there == mine:
		return nil
	case there.Version != mine.Version:
		return fmt.Errorf("the results are of gcnsim %s, this is %s; choose another directory", there.Version, mine.Version)
	case !s.Extend:
		return fmt.Errorf("the results are of another corpus (%s of %d cases, this is %s of %d); choose another "+
			"directory, or --extend to keep those of cases that are in both",
			there.Corpus, there.Cases, mine.Corpus, mine.Cases)
	}
	return s.Store.Write(manifestName, lineOf(mine))
}

// Run runs what is left. An error leaves all results of cases that ended.
func (s *Sweep) Run(ctx context.Context) (Progress, error) {
	if err := s.claim(); err != nil {
		return Progress{}, err
	}
	finished, err := s.finished()
	if err != nil {
		return Progress{}, err
	}
	var p Progress
	var todo []int
	for n := range chunks {
		size := len(s.Corpus.chunks[n])
		switch {
		case size == 0 || !s.Shard.has(n):
			continue
		case finished[n] && !s.Extend:
			p.Done, p.Kept = p.Done+size, p.Kept+size
		default:
			todo = append(todo, n)
		}
		p.Total += size
	}
	var mu sync.Mutex
	report := func(kept, ran, failed int) {
		mu.Lock()
		defer mu.Unlock()
		p.Done, p.Kept, p.Failed = p.Done+kept+ran, p.Kept+kept, p.Failed+failed
		now := p
		s.now.Store(&now)
		if s.Progress != nil {
			s.Progress(p)
		}
	}
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(max(s.Jobs, 1), max(len(todo), 1)) {
		g.Go(func() error {
			w := &process{start: s.Worker}
			defer w.end(false)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(todo) {
					return nil
				}
				if err := s.chunk(ctx, w, todo[i], report); err != nil {
					return err
				}
			}
		})
	}
	err = g.Wait()
	return p, err
}

// finished returns which chunks have a file.
func (s *Sweep) finished() (is [chunks]bool, err error) {
	names, err := s.Store.List(chunkFolder)
	for _, name := range names {
		var n int
		if _, err := fmt.Sscanf(strings.TrimSuffix(path.Base(name), ".jsonl"), "%x", &n); err == nil && n < chunks {
			is[n] = true
		}
	}
	return is, err
}

// chunk runs the cases of a chunk that have no result, and writes its file.
func (s *Sweep) chunk(ctx context.Context, w *process, n int, report func(kept, ran, failed int)) error {
	cases, err := s.Corpus.chunk(n, s.Limits)
	if err != nil {
		return err
	}
	var have chunkResults
	for _, name := range []string{chunkName(n), journalName(n)} {
		if err := have.read(s.Store, name); err != nil {
			return err
		}
	}
	out := chunkResults{results: map[string]*Result{}, covers: have.covers}
	var journal Journal = noJournal{}
	if len(cases) > 1 { // the file of a chunk of one case says it as soon
		if journal, err = s.Store.Journal(journalName(n)); err != nil {
			return err
		}
	}
	defer func() {
		if journal != nil {
			_ = journal.Close() // an error is on its way
		}
	}()
	for _, c := range cases {
		if r := have.results[c.ID]; r != nil && r.Hash == hashText(c.Hash) {
			out.results[c.ID] = r
			report(1, 0, 0)
			continue
		}
		a, err := w.do(ctx, c)
		if err != nil {
			return err
		}
		if a.Cover != "" && out.covers[a.Cover] == nil {
			out.covers[a.Cover] = a.Ran
			if err := journal.Add(lineOf(coverLine{a.Cover, a.Ran})); err != nil {
				return err
			}
		}
		out.results[c.ID] = &a.Result
		if err := journal.Add(lineOf(&a.Result)); err != nil {
			return err
		}
		failed := 0
		if a.Status != passed {
			failed = 1
		}
		report(0, 1, failed)
	}
	err = journal.Close()
	journal = nil
	if err != nil {
		return err
	}
	if err := s.Store.Write(chunkName(n), out.text()); err != nil {
		return err
	}
	return s.Store.Remove(journalName(n))
}

// noJournal takes lines that need not be kept.
type noJournal struct{}

func (noJournal) Add([]byte) error { return nil }
func (noJournal) Close() error     { return nil }
