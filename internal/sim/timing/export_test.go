package timing

import "testing"

// LeftOut is leftOut for tests from outside.
var LeftOut = leftOut

// SetRoom makes work-groups pause when m holds more than n bytes.
func (m *Model) SetRoom(n int) { m.rec.room = n }

// ShareAll makes all models that run until the test ends share their clusters out among cores.
func ShareAll(t *testing.T) {
	was := worthSharing
	worthSharing = 0
	t.Cleanup(func() { worthSharing = was })
}

// Paused returns how many work-groups were paused at a time.
func (m *Model) Paused() int { return m.mostPaused }

// Held returns how many bytes m holds.
func (m *Model) Held() int { return m.rec.budget.held }

// Counts are the counters for tests from outside.
func (r *Result) Counts() any { return r.counts }
