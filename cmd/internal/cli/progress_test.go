package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// told is what progress says in so many seconds if it is told something every 50 milliseconds.
func told(terminal bool, seconds int) string {
	var b strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&b, "diff", terminal, func() time.Time { return now })
	for range seconds * 20 {
		now = now.Add(50 * time.Millisecond)
		p.Tell("on the way")
	}
	p.End()
	return b.String()
}

// TestProgress: a file gets nothing of a short command and few lines of a long one; a terminal gets
// one line that is cleared.
func TestProgress(t *testing.T) {
	const line = "gcnsim: diff: on the way\n"
	assert.Empty(t, told(false, 4))
	assert.Equal(t, line, told(false, 20))
	assert.Equal(t, strings.Repeat(line, 3), told(false, 70))
	terminal := told(true, 2)
	assert.Equal(t, 20, strings.Count(terminal, "on the way"))
	assert.True(t, strings.HasSuffix(terminal, "\r\x1b[K"))
	assert.NotContains(t, terminal, "\n")
}
