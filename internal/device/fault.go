package device

import (
	"errors"
	"fmt"
	"strings"
)

// Fault is why a context was lost.
type Fault struct {
	Chip       string
	File       int
	Ring       string
	Submission uint64 // sequence number on the ring
	Dispatch   int    // number of the dispatch, 0 if it was none
	Packet     string // where the packet is that was being executed
	// Code is where the instruction is, as in "buffer object 4 + 0x100", or "vadd(int*)+0x14, vadd.hip:6, in
	// buffer 3 + 0x114" if the code object is known; "" if it was none.
	Code string
	Err  error // a *[state.Fault], *[Refusal], *[pm4.Error] or an error that memory is not mapped

	queue bool // a user-mode queue stops, which has no context
}

// Error is the report: several lines.
func (e *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, file %d: %s, submission %d", e.Chip, e.File, e.Ring, e.Submission)
	if e.Dispatch != 0 {
		fmt.Fprintf(&b, ", dispatch %d", e.Dispatch)
	}
	stops := "the context is lost"
	if e.queue {
		stops = "the queue executes nothing more"
	}
	fmt.Fprintf(&b, ": %s\n  %v", stops, e.Err)
	if e.Code != "" {
		fmt.Fprintf(&b, "\n  instruction: %s", e.Code)
	}
	if e.Packet != "" {
		fmt.Fprintf(&b, "\n  packet: %s", e.Packet)
	}
	return b.String()
}

// Unwrap returns what happened.
func (e *Fault) Unwrap() error { return e.Err }

// faultOf says what ended the context of a submission.
func (f *File) faultOf(s *submission, err error) *Fault {
	r := s.ring
	fault := &Fault{
		Chip: f.dev.chip.Name, File: f.id, Ring: r.String(), Submission: s.sequence,
		Packet: r.processor.where(f), Code: f.placeOf(err), Err: err,
		queue: r.user != nil,
	}
	if d, ok := errors.AsType[*dispatchError](err); ok {
		fault.Dispatch, fault.Err = d.number, d.err
	}
	fault.Err = f.host.explain(fault.Err)
	return fault
}

// report tells of a fault. The caller holds no lock.
func (f *File) report(fault *Fault) {
	f.dev.logf("%v", fault)
	if f.dev.options.Faulted != nil {
		f.dev.tell.Lock()
		defer f.dev.tell.Unlock()
		f.dev.options.Faulted(fault)
	}
}

// dispatchError says which dispatch failed.
type dispatchError struct {
	number int
	err    error
}

// Error is the text of the dispatch.
func (e *dispatchError) Error() string { return e.err.Error() }

// Unwrap returns it.
func (e *dispatchError) Unwrap() error { return e.err }
