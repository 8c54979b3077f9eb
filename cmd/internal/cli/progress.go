package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// How often progress is shown: on a terminal, and in a file from the first line on.
const (
	showEvery  = 100 * time.Millisecond
	firstAfter = 5 * time.Second
	writeEvery = 30 * time.Second
)

// Progress says on standard error how far a command is: on a terminal in one line that changes,
// elsewhere in a line now and then if the command takes more than some seconds.
type Progress struct {
	out      io.Writer
	name     string // of the command
	terminal bool
	now      func() time.Time

	mu    sync.Mutex
	next  time.Time // when it says something again
	shown bool      // the terminal shows something
}

// ProgressOf returns the progress display of cmd.
func ProgressOf(cmd *cobra.Command) *Progress {
	out := cmd.ErrOrStderr()
	return newProgress(out, cmd.Name(), files.IsTerminal(out), time.Now)
}

func newProgress(out io.Writer, name string, terminal bool, now func() time.Time) *Progress {
	p := &Progress{out: out, name: name, terminal: terminal, now: now}
	p.next = now().Add(firstAfter)
	if terminal {
		p.next = now().Add(showEvery)
	}
	return p
}

// Tell shows text if it is time for it. It may be called by several goroutines at a time.
func (p *Progress) Tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch {
	case now.Before(p.next):
	case p.terminal:
		fmt.Fprintf(p.out, "\r%s\x1b[K", text) // and clears the rest of the line
		p.next, p.shown = now.Add(showEvery), true
	default:
		fmt.Fprintf(p.out, "gcnsim: %s: %s\n", p.name, text)
		p.next = now.Add(writeEvery)
	}
}

// End clears what the terminal shows.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
