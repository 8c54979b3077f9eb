package device

import (
	"slices"
	"syscall"
)

// fence tracks whether some work is done. The monitor of the file guards it.
type fence struct {
	finished bool
	failed   bool // it is finished, but the work was not done, because its context was lost
	// A point of a timeline is done when its own work and the work of all points before it is done.
	work, before *fence
}

// done reports whether the work is done. A nil fence is done.
func (f *fence) done() bool {
	if f == nil {
		return true
	}
	if !f.finished && f.work != nil && f.work.done() && f.before.done() {
		f.finish()
	}
	return f.finished
}

// canceled is the fence of lost work if the work's own fence no longer exists.
var canceled = &fence{finished: true, failed: true}

// errno returns the result of waiting for the fence, after it has finished.
func (f *fence) errno() syscall.Errno {
	if f != nil && f.failed {
		return syscall.ECANCELED
	}
	return 0
}

// finish marks f as done.
func (f *fence) finish() { f.finished, f.work, f.before = true, nil, nil }

// syncobj is a sync object: a binary one has one point with value 0.
type syncobj struct {
	points  []point // points that are not reached yet, and the last one, in ascending order
	reached uint64
	link    *sharedSync // nil if it is not shared with another file
}

// point is a value of a timeline, with the work that reaches it.
type point struct {
	value uint64
	fence *fence
}

// set replaces all points by the fence. The object becomes binary.
func (s *syncobj) set(f *fence) { s.points = []point{{0, f}} }

// add appends a point to the timeline. Value 0 makes the object binary instead.
func (s *syncobj) add(value uint64, f *fence) {
	if value == 0 {
		s.set(f)
		return
	}
	s.settle()
	p := point{value, &fence{work: f}}
	if n := len(s.points); n > 0 {
		p.fence.before = s.points[n-1].fence
		p.value = max(value, s.points[n-1].value)
	}
	s.points = append(s.points, p)
}

// settle removes points that are reached.
func (s *syncobj) settle() {
	n := 0
	for n < len(s.points) && s.points[n].fence.done() {
		s.reached = max(s.reached, s.points[n].value)
		n++
	}
	s.points = slices.Delete(s.points, 0, min(n, max(len(s.points)-1, 0)))
}

// at returns the work after which the object has reached the value. Value 0 asks for all submitted work. ok is false
// if nobody has submitted such work yet.
func (s *syncobj) at(value uint64) (f *fence, ok bool) {
	s.settle()
	switch n := len(s.points); {
	case value == 0 && n > 0:
		return s.points[n-1].fence, true
	case value != 0 && value <= s.reached:
		return nil, true
	}
	for _, p := range s.points {
		if value != 0 && p.value >= value {
			return p.fence, true
		}
	}
	return nil, false
}

// submitted returns the highest value for which work was submitted.
func (s *syncobj) submitted() uint64 {
	s.settle()
	if n := len(s.points); n > 0 {
		return max(s.reached, s.points[n-1].value)
	}
	return s.reached
}
