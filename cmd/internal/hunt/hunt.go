// Package hunt searches for miscompiled programs. It writes random kernels, compiles each in several ways, executes
// the objects and compares their output with the output of the host's compiler.
package hunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Hunt has the settings: which programs, which compilers, and for how long.
type Hunt struct {
	CC            []string // commands of compilers, with {O}, {cpu}, {in} and {out}
	Levels, Chips []string // values for {O} and {cpu}
	IR            bool     // programs are LLVM IR in place of OpenCL C
	GLSL          bool     // programs are compute shaders, compiled by Mesa's drivers
	Assembly      bool     // programs are assembly
	Self          string   // path of the command gcnsim, with which these drivers run
	Kernels       string   // directory of kernels whose variants are tested, "" for random programs
	Host          string   // command of the host's C compiler
	Out           string   // directory of the bugs
	Seed          uint64   // seed of the first program, unless the hunt continues an earlier one
	Seeded        bool     // use Seed even if the hunt continues an earlier one
	Count         uint64   // number of programs; 0 means no limit
	Time          time.Duration
	Jobs          int           // programs that are tested at a time
	CompileTime   time.Duration // time limit of one compiler call
	ReduceTime    time.Duration // time limit of a reduction
	Known         map[string]bool
	Progress      func(text string)

	builds  []build
	runner  string // path of the program that dispatches shaders
	kernels []kernelFile

	mu      sync.Mutex
	state   *state
	done    map[uint64]bool // finished seeds from state.Next on
	claimed map[string]bool // signatures whose programs are being reduced
	tries   map[string]int  // number of programs without a telling signature, by the set of wrong builds
	started int             // programs whose coverage is still missing
	epochs  chan struct{}   // closed when an epoch ends
	sum     Summary
}

// Summary counts the results of programs.
type Summary struct {
	Programs, Judged uint64 // in this execution
	Unanswered       uint64 // programs without an output on the host
	Refused          uint64 // builds that the compiler refused
	Unrun            uint64 // builds that cannot be executed here
	Undefined        uint64 // programs with undefined behaviour
	New, Again       uint64 // new bugs, and builds with a known bug
	First            string // the first problem that is not a compiler bug
	Bugs             []*Bug // new bugs in the directory
}

// Check completes commands, levels and chips with defaults, and returns an error if they do not fit together.
func (h *Hunt) Check() (err error) {
	h.complete()
	h.builds, err = builds(h.CC, h.Levels, h.Chips)
	return err
}

// Run hunts until the time has passed, the number of programs is reached, or ctx ends. Bugs are written to the
// directory. The error comes from ctx or says what else ended the hunt.
func (h *Hunt) Run(ctx context.Context) (*Summary, error) {
	if err := h.Check(); err != nil {
		return nil, err
	}
	if h.Kernels != "" {
		if err := h.readKernels(); err != nil {
			return nil, err
		}
	}
	if err := h.open(); err != nil {
		return nil, err
	}
	if err := h.probe(ctx); err != nil {
		return nil, err
	}
	if h.GLSL {
		tools, err := h.buildRunner(ctx)
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(tools)
	}
	within, cancel := context.WithCancel(ctx)
	if h.Time > 0 {
		within, cancel = context.WithTimeout(ctx, h.Time)
	}
	defer cancel()
	seeds := make(chan uint64)
	go func() {
		defer close(seeds)
		for n := uint64(0); (h.Count == 0 || n < h.Count) && h.admit(within); n++ {
			select {
			case seeds <- h.state.First + n:
			case <-within.Done():
				return
			}
		}
	}()
	failed := make([]error, h.Jobs)
	var wait sync.WaitGroup
	for i := range h.Jobs {
		wait.Go(func() {
			for seed := range seeds {
				if err := h.try(within, seed); err != nil {
					failed[i] = err
					cancel()
					return
				}
			}
		})
	}
	wait.Wait()
	for i, err := range failed {
		if within.Err() != nil && errors.Is(err, within.Err()) {
			failed[i] = nil
		}
	}
	bugs, err := Bugs(h.Out)
	for _, b := range bugs {
		if !h.Known[b.Signature] {
			h.sum.Bugs = append(h.sum.Bugs, b)
		}
	}
	return &h.sum, errors.Join(ctx.Err(), errors.Join(failed...), err)
}

// note counts a problem that is not a bug, and keeps the first message.
func (h *Hunt) note(counter *uint64, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*counter++
	if h.sum.First == "" {
		h.sum.First = text
	}
}

// trial is a program with its builds.
type trial struct {
	*Hunt
	k        *program
	dir      string
	want     []byte
	right    []*build // builds without a failure
	findings []*suspect
}

// suspect is a failure, with the builds that have it.
type suspect struct {
	*failure
	builds []*build
}

// try compiles and executes the program for a seed, and reports failures.
func (h *Hunt) try(ctx context.Context, seed uint64) error {
	t := &trial{Hunt: h, k: h.program(seed)}
	var err error
	if t.dir, err = prepare(t.k.body, t.k); err != nil {
		return err
	}
	defer os.RemoveAll(t.dir)
	if t.want, err = t.k.answer(ctx, t.dir, t.k.body); errors.Is(err, errUndefined) {
		h.note(&h.sum.Unanswered, fmt.Sprintf("seed %d: %v", seed, err))
		t.cover()
		return h.ended(seed, false)
	} else if err != nil {
		return err
	}
	judged := false
	for i := range h.builds {
		was, err := t.judge(ctx, &h.builds[i])
		if err != nil {
			return err
		}
		judged = judged || was
	}
	t.cover()
	for _, s := range t.findings {
		if err := t.report(ctx, s); err != nil {
			return err
		}
	}
	return h.ended(seed, judged)
}

// judge compiles the program with one build and executes it.
func (t *trial) judge(ctx context.Context, b *build) (judged bool, err error) {
	f, refused, err := t.compile(ctx, t.dir, t.k, b)
	switch {
	case err != nil:
		return false, err
	case refused != "":
		t.note(&t.sum.Refused, fmt.Sprintf("seed %d: %s: %s", t.k.Seed, b.Command, refused))
		return false, nil
	case f == nil:
		f, err = t.run(ctx, t.dir, b, t.k, t.want)
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		t.note(&t.sum.Unrun, fmt.Sprintf("seed %d: %s: %v", t.k.Seed, b.Command, err))
		return false, nil
	case f == nil:
		t.right = append(t.right, b)
		return true, nil
	}
	for _, s := range t.findings {
		if s.Kind == f.Kind && s.alike == f.alike && (f.alike != "" || s.Signature == f.Signature) {
			s.builds = append(s.builds, b)
			return true, nil
		}
	}
	t.findings = append(t.findings, &suspect{f, []*build{b}})
	return true, nil
}

// ended records that the program for a seed is finished.
func (h *Hunt) ended(seed uint64, judged bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sum.Programs++
	h.state.Programs++
	if judged {
		h.sum.Judged++
		h.state.Judged++
	}
	for h.done[seed] = true; h.done[h.state.Next]; h.state.Next++ {
		delete(h.done, h.state.Next)
	}
	if h.Progress != nil {
		h.Progress(fmt.Sprintf("%d programs, %d bugs", h.sum.Programs, h.sum.New))
	}
	return h.save()
}

// reductions is how many programs are reduced for each set of wrong builds whose signatures do not identify a bug.
// After that only the 8th, 16th, 32nd and so on is reduced, because it may have another bug.
const reductions = 4

// admits reports whether the program of a suspect is reduced: if its signature is new, or if the signature does not
// identify a bug and few programs of these builds were reduced.
func (h *Hunt) admits(signature string, s *suspect, named bool) bool {
	if named {
		return h.claim(signature)
	}
	names := []string{string(s.Kind)}
	for _, b := range s.builds {
		names = append(names, b.Name)
	}
	who := strings.Join(names, " ")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tries[who]++
	if n := h.tries[who]; n > reductions && n&(n-1) != 0 {
		h.sum.Again++
		return false
	}
	return true
}

// claim reports whether a signature is new. If it is not, claim counts it.
func (h *Hunt) claim(signature string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, before := h.state.Signatures[signature]
	if before || h.Known[signature] || h.claimed[signature] {
		h.state.Signatures[signature]++
		h.sum.Again++
		return false
	}
	h.claimed[signature] = true
	return true
}

// settle records the signatures of a reported program, before and after its reduction.
func (h *Hunt) settle(signatures ...string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sum.New++
	for _, s := range signatures {
		h.state.Signatures[s]++
	}
	return h.save()
}

// SeedFlag is the value of a flag: the seed of the first program, or a directory of kernels.
type SeedFlag struct {
	*Hunt
	text string
}

// Set sets the seed if text is a number, and otherwise the directory.
func (s *SeedFlag) Set(text string) error {
	s.text = text
	if n, err := strconv.ParseUint(text, 10, 63); err == nil {
		s.Seed, s.Seeded = n, true
		return nil
	}
	if is, err := os.Stat(text); err != nil || !is.IsDir() {
		return errors.New("give a number below 9223372036854775808, or a directory of kernels")
	}
	s.Kernels = text
	return nil
}

// String returns the text of the last Set.
func (s *SeedFlag) String() string { return s.text }

// Type returns the value's name in help texts.
func (*SeedFlag) Type() string { return "N|DIR" }
