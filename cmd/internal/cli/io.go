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

// Limits of what is read, in bytes.
const (
	MaxTextBytes  = 256 << 20 // what is assembled or disassembled
	MaxInputBytes = 1 << 30   // everything else
	MaxLineBytes  = 1 << 30   // one request; there may be any number of them
)

// leftover is a file that an interrupted command leaves unfinished.
type leftover struct {
	mu   sync.Mutex
	text func() string
	// patient is set by a command that ends by itself, with its own status, when it is interrupted; writes by a command
	// that then writes its results so far.
	patient, writes atomic.Bool
}

// grace is how long an interrupted command may take to end by itself.
const grace = 30 * time.Millisecond

// await returns how an interrupted command ends. One that does not end by itself is given up after a
// while: then it has ended as given, and text describes what it leaves.
func (l *leftover) await(done <-chan end, given end) (ended end, text string) {
	for {
		select {
		case ended = <-done:
			return ended, ""
		case <-time.After(grace):
		}
		text = l.String() // first: a command says that it ends by itself before it says what it leaves
		if !l.patient.Load() && !l.writes.Load() {
			return given, text
		}
	}
}

type contextKey int

// The keys of a command's *leftover and *[files.Uses] in its context.
const (
	leftoverKey contextKey = iota
	usesKey
)

// Leaves sets what cmd leaves unfinished when it is interrupted. text may be called while
// the command runs.
func Leaves(cmd *cobra.Command, text func() string) {
	if l, ok := cmd.Context().Value(leftoverKey).(*leftover); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.text = text
	}
}

// EndsItself makes cmd patient.
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

// String says what is left.
func (l *leftover) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == nil {
		return "nothing was written"
	}
	return l.text()
}

// Open returns the input of a command: the file that its only argument names. Without an argument, or with "-", that is
// standard input. The name is for messages.
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

// ReadAll returns all of the input of a command, not more than limit bytes, with its name.
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

// read returns all that in holds, not more than limit bytes. What is neither text nor compiled code
// is refused before it is read to its end.
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

// ReadFile returns what a file holds, not more than [MaxInputBytes].
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, name, MaxInputBytes)
}
