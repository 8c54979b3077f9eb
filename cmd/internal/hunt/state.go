package hunt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// stateFile has the state from which a later hunt continues.
const stateFile = "hunt.json"

// state is the progress of all hunts in a directory.
type state struct {
	First      uint64            `json:"-"`        // first seed of this execution
	Next       uint64            `json:"next"`     // the smallest seed that is not finished
	Programs   uint64            `json:"programs"` // number of finished programs
	Judged     uint64            `json:"judged"`
	Signatures map[string]uint64 `json:"signatures"` // number of builds by their signature
	Coverage   coverage          `json:"coverage"`
}

// readState returns the progress of the hunts in a directory.
func readState(dir string) (*state, error) {
	name := filepath.Join(dir, stateFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: it is no directory of a hunt, as gcnsim hunt --out writes it: %w", dir, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	s := emptyState()
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w; give another directory with --out", name, err)
	}
	if c := &s.Coverage; s.Signatures == nil || c.Forms == nil || c.Pending == nil {
		return nil, fmt.Errorf("%s: a map of it is null; give another directory with --out", name)
	}
	return s, nil
}

// emptyState is the state before the first program.
func emptyState() *state {
	return &state{Signatures: map[string]uint64{}, Coverage: coverage{Forms: map[string]uint64{},
		Pending: map[uint64][]string{}}}
}

// open creates the directory, or reads its state.
func (h *Hunt) open() (err error) {
	h.done, h.claimed, h.tries = map[uint64]bool{}, map[string]bool{}, map[string]int{}
	h.epochs = make(chan struct{})
	switch h.state, err = readState(h.Out); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(h.Out, 0o777); err != nil {
			return err
		}
		if there, err := os.ReadDir(h.Out); err != nil || len(there) > 0 {
			return errors.Join(err, fmt.Errorf("%s: it is no directory of a hunt, and not empty; give another one with --out",
				h.Out))
		}
		h.state = emptyState()
		h.state.Next = h.Seed
	case err != nil:
		return err
	case h.Seeded:
		h.state.Next = h.Seed
	}
	h.state.First = h.state.Next
	return h.save()
}

// save writes the state.
func (h *Hunt) save() error {
	text, err := json.MarshalIndent(h.state, "", " ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(h.Out, stateFile), append(text, '\n'))
}

// probe compiles a program for the host. A missing compiler or sanitizer is thus an error before the hunt starts.
func (h *Hunt) probe(ctx context.Context) error {
	if h.IR || h.Assembly || h.Kernels != "" {
		return nil // the right output is known without a compiler
	}
	k := h.program(0)
	dir, err := prepare(k.body, k)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	want, err := k.answer(ctx, dir, k.body)
	if err != nil {
		return fmt.Errorf("--host=%s: %w", shrink.Quoted(h.Host), err)
	}
	again, err := k.strict(ctx, dir, k.body)
	if err == nil && !bytes.Equal(want, again) {
		err = errors.New("its programs leave other answers")
	}
	if err != nil {
		return fmt.Errorf("--host=%s with -fsanitize=undefined,address: %w", shrink.Quoted(h.Host), err)
	}
	return nil
}

// seedText formats the seed of a kernel.
func seedText(k *program) string { return strconv.FormatUint(k.Seed, 10) }

// Signatures parses a file of known signatures, one a line. Empty lines and lines that begin with # are skipped.
func Signatures(text []byte) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all[line] = true
		}
	}
	return all
}

// Write prints the bugs, one a line, and the counts.
func (s *Summary) Write(w io.Writer) error {
	var text strings.Builder
	for _, b := range s.Bugs {
		if err := b.Write(&text); err != nil {
			return err
		}
	}
	fmt.Fprintf(&text, "%d programs, %d judged; %d new bugs, %d builds with known ones\n", s.Programs, s.Judged, s.New,
		s.Again)
	for _, left := range []struct {
		n    uint64
		what string
	}{{s.Unanswered, "programs cannot run on the host"}, {s.Refused, "builds were refused by their compiler"},
		{s.Unrun, "builds cannot run here"}, {s.Undefined, "programs are not defined"}} {
		if left.n > 0 {
			fmt.Fprintf(&text, "%d %s\n", left.n, left.what)
		}
	}
	if s.First != "" {
		fmt.Fprintf(&text, "first of them: %s\n", s.First)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
