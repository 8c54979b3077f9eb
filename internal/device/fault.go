package device

import (
	"errors"
	"fmt"
	"strings"
)

// Fault says why a context was lost.
type Fault struct {
	Chip       string
	File       int
	Ring       string
	Submission uint64 // sequence number on the ring
	Dispatch   int    // number of the dispatch, 0 if the fault was not in a dispatch
	Packet     string // location of the packet that was executing
	// Code is the location of the instruction: "buffer object 4 + 0x100", or "vadd(int*)+0x14, vadd.hip:6, in buffer
	// 3 + 0x114" if the code object is known. It is "" if no instruction failed.
	Code string
	Err  error // a *[state.Fault], a *[Refusal], a *[pm4.Error], or an error about unmapped memory

	queue bool // the fault stopped a user-mode queue, which has no context
}

// Error returns the report, which has several lines.
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

// Unwrap returns the cause.
func (e *Fault) Unwrap() error { return e.Err }

// faultOf describes the error that ended the context of a submission.
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

// report passes a fault to the log and to the user's callback. The caller holds no lock.
func (f *File) report(fault *Fault) {
	f.dev.logf("%v", fault)
	if f.dev.options.Faulted != nil {
		f.dev.tell.Lock()
		defer f.dev.tell.Unlock()
		f.dev.options.Faulted(fault)
	}
}

// dispatchError is an error of a dispatch, with the dispatch's number.
type dispatchError struct {
	number int
	err    error
}

func (e *dispatchError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *dispatchError) Unwrap() error { return e.err }
