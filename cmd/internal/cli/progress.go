package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Intervals between updates: on a terminal, and otherwise after the first line.
const (
	showEvery  = 100 * time.Millisecond
	firstAfter = 5 * time.Second
	writeEvery = 30 * time.Second
)

// Progress shows on standard error how far a command is. On a terminal it updates one line. Elsewhere it prints a
// line now and then if the command takes more than some seconds.
type Progress struct {
	out      io.Writer
	name     string // name of the command
	terminal bool
	now      func() time.Time

	mu    sync.Mutex
	next  time.Time // time of the next update
	shown bool      // the terminal's line is not empty
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

// Tell shows text if an update is due. It is safe for concurrent use.
func (p *Progress) Tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch {
	case now.Before(p.next):
	case p.terminal:
		fmt.Fprintf(p.out, "\r%s\x1b[K", text) // clears the rest of the line
		p.next, p.shown = now.Add(showEvery), true
	default:
		fmt.Fprintf(p.out, "gcnsim: %s: %s\n", p.name, text)
		p.next = now.Add(writeEvery)
	}
}

// End clears the terminal's line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
