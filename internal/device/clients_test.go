//go:build linux && (amd64 || arm64)

package device

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// spin is an endless loop.
const spin = `
loop:
	s_branch loop
	s_endpgm`

// Many open files at a time have separate memory. A file with a fault, a file with endless work and a file that is
// closed during a dispatch do not disturb the others.
func TestManyClients(t *testing.T) {
	const clients = 24
	d, err := New(Options{Chip: "fiji", Workers: 1, Limit: 1 << 60})
	require.NoError(t, err)
	all := make([]*client, clients)
	for i := range all {
		all[i] = openClient(t, d)
	}
	var group errgroup.Group
	for i, c := range all {
		_, data := c.mapped(dataVA, 64<<10)
		q := c.queue(ipCompute, uint32(i%4), commandsVA)
		text := storeGroup
		if i%8 == 1 {
			text = spin
		}
		words := q.program(text)
		groups := uint32(i%16 + 1)
		if i%8 == 2 {
			groups = 257 // the last ones store behind the buffer's end
		}
		ib := q.ib(append(words, packet(0x15, groups, 1, 1, 5)...)...)
		group.Go(func() error {
			switch i % 8 {
			case 1:
				time.AfterFunc(30*time.Millisecond, func() { assert.NoError(t, c.f.Close()) })
				_, _ = q.cs(ib) // EINTR or success, because the file is being closed
				assert.Equal(t, syscall.ENODEV, c.ioctl(nrCtx, &ctxIn{Op: ctxAlloc}, nil))
			case 2:
				_, errno := q.cs(ib)
				assert.Equal(t, syscall.ECANCELED, errno)
			default:
				for range 20 {
					_, errno := q.cs(ib)
					assert.Zero(t, errno)
				}
				assert.EqualValues(t, 64*groups-1, dword(data, int(64*groups-1)))
				assert.Zero(t, dword(data, int(64*groups)))
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
}

// An endless wave ends with a fault when it reaches the limit of instructions.
func TestEndlessWave(t *testing.T) {
	var fault *Fault
	c := newClient(t, Options{Chip: "tahiti", Limit: 1000, Faulted: func(f *Fault) { fault = f }})
	q := c.queue(ipCompute, 0, commandsVA)
	_, errno := q.cs(q.ib(append(q.program(spin), packet(0x15, 1, 1, 1, 5)...)...))
	assert.Equal(t, syscall.ECANCELED, errno)
	assert.ErrorContains(t, fault, "1000")
}
