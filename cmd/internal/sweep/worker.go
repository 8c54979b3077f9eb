package sweep

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// statusTooLarge is the exit status of a worker whose memory grew beyond the limit.
const statusTooLarge = 86

// objectBytes is how much a worker keeps of code objects: cases of one object follow one
// another rarely, but workers are many.
const objectBytes = 32 << 20

// maxMessage is the longest line between a sweep and its workers: a case with its files by
// name, or an answer with the case.
const maxMessage = 4 * maxLine

// ready is the first line of a worker.
const ready = "ready\n"

// Serve is a worker: it runs the cases on in, one at a time, and writes an answer for each.
// Findings of the severity failOn or a worse one, if it is not nil, make a case fail.
// Serve ends the process with a status of its own when a case takes more memory than it may.
func Serve(ctx context.Context, in io.Reader, out io.Writer, failOn *check.Severity) error {
	w := bufio.NewWriter(out)
	objects := &sim.ObjectCache{MaxBytes: objectBytes}
	var limit watch
	if _, err := io.WriteString(out, ready); err != nil {
		return err
	}
	return files.Lines(in, maxMessage, "{", func(line []byte, err error) error {
		var c Case
		if err == nil {
			err = json.Unmarshal(line, &c)
		}
		if err != nil {
			return fmt.Errorf("this is no case: %w", err)
		}
		limit.begin(c.Limits.Megabytes)
		a := run(ctx, &c, objects, failOn)
		enforce(limit.current)
		if _, err := w.Write(lineOf(a)); err != nil {
			return err
		}
		return w.Flush()
	})
}

// watch ends the process when its memory grows beyond a limit.
type watch struct {
	limit   chan uint64 // to the goroutine that looks
	current uint64      // bytes, 0 if there is none
}

// begin sets the limit of a case in MiB, 0 for none, and frees what cases before it left.
func (w *watch) begin(megabytes uint64) {
	if limit := megabytes << 20; limit != w.current {
		if w.limit == nil {
			w.limit = make(chan uint64)
			go look(w.limit)
		}
		w.current = limit
		w.limit <- limit
	}
	if w.current > 0 && inUse() > w.current/2 {
		debug.FreeOSMemory()
	}
}

// inUse returns the bytes that the process has of the system.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// enforce ends the process if it has more bytes than the limit.
func enforce(limit uint64) {
	if limit > 0 && inUse() > limit {
		os.Exit(statusTooLarge)
	}
}

// look enforces the limit while a case runs.
func look(limits <-chan uint64) {
	var limit uint64
	tick := time.NewTicker(5 * time.Millisecond)
	for {
		select {
		case limit = <-limits:
		case <-tick.C:
			enforce(limit)
		}
	}
}

// run runs a case.
func run(ctx context.Context, c *Case, objects *sim.ObjectCache, failOn *check.Severity) *Result {
	a := &Result{Case: c.ID, Status: passed}
	seen := &coverage{}
	options := &spec.Options{Files: files.ReadOnly{Dir: files.Dir(c.Dir)}, Objects: objects, Workers: 1,
		Watch: seen.watch}
	var reply *spec.Reply
	switch c.Kind {
	case "diff":
		return a.compare(ctx, c, objects)
	case "exec":
		reply = spec.Answer(ctx, c.Spec, options)
	default:
		req, err := spec.ParseDispatch(c.Spec)
		if err == nil {
			reply, err = req.Answer(ctx, options)
		}
		if err != nil {
			reply = spec.FailedReply(err)
		}
	}
	if reply.Result != nil {
		a.Instructions = reply.Result.Instructions
	}
	a.Ran = seen.list()
	switch failure, findings := reply.Error, reply.Findings; {
	case failure != nil && failure.Kind == "limit":
		a.fail(c, hung, bucketOf("limit", failure.Text, failure.Message), failure.Message)
	case failure != nil:
		a.fail(c, failed, bucketOf(failure.Kind, failure.Text, failure.Message), failure.Message)
	case failOn != nil:
		if i := slices.IndexFunc(findings, func(f check.Finding) bool { return f.Severity >= *failOn }); i >= 0 {
			f := &findings[i]
			a.fail(c, found, bucketOf(string(f.Kind), f.Text, f.Rule), f.String())
		}
	}
	return a
}

// bucketOf names what failures have in common: their kind, the mnemonic of the instruction,
// and the rules that the message cites; of messages without an instruction, what they say
// except for numbers.
func bucketOf(kind, text, message string) string {
	parts := []string{kind}
	mnemonic, _, _ := strings.Cut(text, " ")
	switch {
	case mnemonic != "":
		parts = append(parts, mnemonic)
	default:
		parts = append(parts, withoutNumbers(message))
	}
	for _, rule := range handbook.Cited(message) {
		parts = append(parts, "rule "+rule)
	}
	if _, known := handbook.Lookup(message); known {
		parts = append(parts, "rule "+message)
	}
	return strings.Join(parts, ", ")
}

// numbers matches the parts in which messages about different values differ: numbers and processors.
var numbers = regexp.MustCompile(`\b(0x[0-9a-fA-F]+|[0-9]+|gfx[0-9a-f]+)\b`)

// withoutNumbers returns the beginning of a message with # for each number.
func withoutNumbers(s string) string {
	const most = 160
	s = numbers.ReplaceAllString(s, "#")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
