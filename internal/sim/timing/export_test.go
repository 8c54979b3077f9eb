package timing

import "testing"

var LeftOut = leftOut

// SetRoom makes work-groups pause when m holds more than n bytes.
func (m *Model) SetRoom(n int) { m.rec.room = n }

// ShareAll makes all models distribute their clusters over cores until the test ends.
func ShareAll(t *testing.T) {
	was := worthSharing
	worthSharing = 0
	t.Cleanup(func() { worthSharing = was })
}

// Paused returns the largest number of work-groups that were paused at a time.
func (m *Model) Paused() int { return m.mostPaused }

// Held returns the number of bytes that m holds.
func (m *Model) Held() int { return m.rec.budget.held }

func (r *Result) Counts() any { return r.counts }
