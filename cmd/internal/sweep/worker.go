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

// statusTooLarge is the exit status of a worker whose memory exceeded the limit.
const statusTooLarge = 86

// objectBytes is the size of a worker's cache of code objects. It is small because there are many workers, and
// because consecutive cases rarely use the same object.
const objectBytes = 32 << 20

// maxMessage is the greatest length of a line between a sweep and its workers: a case with its file names, or an
// answer with the case.
const maxMessage = 4 * maxLine

// ready is the first line that a worker writes.
const ready = "ready\n"

// Serve is the main loop of a worker: it executes the cases on in, one at a time, and writes an answer for each. A
// case fails if it has findings of severity failOn or worse, unless failOn is nil. Serve ends the process with a
// special exit status when a case exceeds its memory limit.
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

// watch ends the process when its memory exceeds a limit.
type watch struct {
	limit   chan uint64 // sends the limit to the goroutine that polls
	current uint64      // current limit in bytes, or 0
}

// begin sets the limit of a case in MiB, 0 for none, and frees memory of earlier cases.
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

// inUse returns the memory in bytes that the process has from the system.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// enforce ends the process if it uses more bytes than the limit.
func enforce(limit uint64) {
	if limit > 0 && inUse() > limit {
		os.Exit(statusTooLarge)
	}
}

// look polls and enforces the limit.
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

// run executes a case.
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

// bucketOf returns the name of a bucket: the kind of the failure, the instruction's mnemonic, and the rules that the
// message cites. For a message without an instruction it is the message without numbers.
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

// numbers matches the varying parts of messages: numbers and processors.
var numbers = regexp.MustCompile(`\b(0x[0-9a-fA-F]+|[0-9]+|gfx[0-9a-f]+)\b`)

// withoutNumbers returns the beginning of a message with # instead of numbers.
func withoutNumbers(s string) string {
	const most = 160
	s = numbers.ReplaceAllString(s, "#")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
