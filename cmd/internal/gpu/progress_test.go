package gpu

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/sim"
)

// TestProgress: the line changes while the card works, and is cleared before others print.
func TestProgress(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := &progress{out: &out, now: func() time.Time { return now }}
	shown := func(after time.Duration) string {
		now = now.Add(after)
		out.Reset()
		p.show()
		return out.String()
	}
	const gone = "\r\x1b[K"
	kernels := []*device.Kernel{{Number: 1}, {Number: 2, Name: "_Z4longPi"}}
	d := func(i int) *device.Dispatch {
		return &device.Dispatch{Kernel: kernels[i], Result: &sim.Result{Instructions: 64}}
	}
	assert.Empty(t, shown(time.Hour), "nothing was dispatched")

	short, long := d(0), d(1)
	p.reach(short, 0, 0)
	assert.Empty(t, shown(progressEvery), "it has just begun")
	now = now.Add(firstProgress)
	p.end(short)
	assert.Equal(t, "\r1 dispatched, 64 instructions\x1b[K\r", shown(0))

	p.reach(long, 0, 0)
	assert.Equal(t, "\r1 dispatched, 64 instructions; long 1 s\x1b[K\r", shown(time.Second))
	p.reach(long, 3, 8)
	assert.Equal(t, "\r1 dispatched, 64 instructions; long 3 of 8 work-groups 5 s\x1b[K\r", shown(4*time.Second))
	out.Reset()
	p.end(long)
	assert.Equal(t, gone, out.String(), "the program may have waited for it")
	assert.Equal(t, "\r2 dispatched, 128 instructions; 76 % of the time in long\x1b[K\r", shown(0))
	assert.Equal(t, gone, shown(progressEvery), "nothing runs")
	assert.Empty(t, shown(progressEvery))

	p.reach(d(0), 0, 0)
	shown(0)
	out.Reset()
	_, err := p.Write([]byte("a fault\n"))
	assert.NoError(t, err)
	assert.Equal(t, gone+"a fault\n", out.String())

	kernels[0].Name = strings.Repeat("n", 100)
	assert.Equal(t, "\r2 dispatched, 128 instructions\x1b[K\r", shown(0), "the line does not wrap")
}
