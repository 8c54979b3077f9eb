package cli

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Limits of inputs, in bytes.
const (
	MaxTextBytes  = 256 << 20 // text that is assembled or disassembled
	MaxInputBytes = 1 << 30   // all other inputs
	MaxLineBytes  = 1 << 30   // one request; there may be any number of requests
)

// leftover describes what an interrupted command leaves unfinished.
type leftover struct {
	mu   sync.Mutex
	text func() string
	// patient says that an interrupted command ends on its own, with its own status. writes says that it first writes
	// its results so far.
	patient, writes atomic.Bool
}

// grace is the time in which an interrupted command may end on its own.
const grace = 30 * time.Millisecond

// await returns how an interrupted command ends. If it does not end on its own in time, the result is given, and text
// describes what it leaves.
func (l *leftover) await(done <-chan end, given end) (ended end, text string) {
	for {
		select {
		case ended = <-done:
			return ended, ""
		case <-time.After(grace):
		}
		text = l.String() // read it first: a command becomes patient before it sets its text
		if !l.patient.Load() && !l.writes.Load() {
			return given, text
		}
	}
}

type contextKey int

// Context keys of a command's *leftover and *[files.Uses].
const (
	leftoverKey contextKey = iota
	usesKey
)

// Leaves sets the description of what cmd leaves unfinished if it is interrupted. text may be called while the
// command executes.
func Leaves(cmd *cobra.Command, text func() string) {
	if l, ok := cmd.Context().Value(leftoverKey).(*leftover); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.text = text
	}
}

// EndsItself marks cmd as patient: it ends on its own when it is interrupted.
func EndsItself(cmd *cobra.Command) {
	if l, ok := cmd.Context().Value(leftoverKey).(*leftover); ok {
		l.patient.Store(true)
	}
}

// WritesAll makes cmd write its files even if it is interrupted.
func WritesAll(cmd *cobra.Command) {
	if l, ok := cmd.Context().Value(leftoverKey).(*leftover); ok {
		l.writes.Store(true)
	}
}

// String returns the description.
func (l *leftover) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == nil {
		return "nothing was written"
	}
	return l.text()
}

// Open returns the input of a command: the file of its only argument, or standard input without an argument or with
// "-". name is for messages.
func Open(cmd *cobra.Command, args []string) (r io.ReadCloser, name string, err error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(cmd.InOrStdin()), "<stdin>", nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, "", Wrong(err)
	}
	return f, args[0], nil
}

// ReadAll returns the whole input of a command, and its name. The input may have at most limit bytes.
func ReadAll(cmd *cobra.Command, args []string, limit int64) (text []byte, name string, err error) {
	in, name, err := Open(cmd, args)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	if text, err = read(in, name, limit); err != nil {
		return nil, "", Wrong(err)
	}
	return text, name, nil
}

// read returns all that in contains, at most limit bytes. Content that is neither text nor compiled code is refused
// early.
func read(in io.Reader, name string, limit int64) ([]byte, error) {
	if f, ok := in.(*os.File); ok {
		if data, ok := files.Mapped(f); ok {
			return data, nil
		}
	}
	in, err := files.Judged(in, name, codeobj.IsObject)
	if err != nil {
		return nil, err
	}
	return files.ReadAll(in, name, limit)
}

// ReadFile returns a file's content, at most [MaxInputBytes].
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, name, MaxInputBytes)
}
