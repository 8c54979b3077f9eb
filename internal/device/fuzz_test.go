//go:build linux && (amd64 || arm64)

package device

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// nonsense is a process that sends anything: its memory repeats the same bytes, and addresses with the top bit are
// not mapped.
type nonsense []byte

func (n nonsense) ReadAt(b []byte, addr uint64) error {
	if addr>>63 != 0 || len(n) == 0 {
		return errBadAddress
	}
	for i := range b {
		b[i] = n[(addr+uint64(i))%uint64(len(n))]
	}
	return nil
}

func (n nonsense) WriteAt(_ []byte, addr uint64) error {
	if addr>>63 != 0 {
		return errBadAddress
	}
	return nil
}

// fuzzOptions returns options with which any submission ends soon.
func fuzzOptions(name string) Options {
	return Options{Chip: name, MemoryBytes: 1 << 24, HangAfter: time.Millisecond, Limit: 300, Workers: 1}
}

// FuzzIoctl: every ioctl of a client returns, and the file can be closed.
func FuzzIoctl(f *testing.F) {
	numbers := slices.Sorted(maps.Keys(ioctls))
	f.Add([]byte("\x05\x00\x00\x00\x00\x00\x00\x00\x00"))
	for i, nr := range numbers {
		f.Add(append([]byte{byte(i), byte(i + 1), 2, 3}, make([]byte, ioctls[nr].size)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := New(fuzzOptions("fiji"))
		require.NoError(t, err)
		file, err := d.Open()
		require.NoError(t, err)
		c := playing(t, file, 1<<16)
		c.mapped(dataVA, 4096)
		c.context()
		c.syncobj(0)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		for i := 0; i < min(len(data), 64); i++ {
			nr := numbers[int(data[i])%len(numbers)]
			size := uint32(ioctls[nr].size) + uint32(data[i]>>6)
			_ = file.Ioctl(ctx, nonsense(data), 3<<30|size<<16|drmType<<8|uint32(nr), uint64(i))
		}
		require.NoError(t, file.Close())
	})
}

// FuzzCommands: every submission of a client is executed, refused, or ends with a fault.
func FuzzCommands(f *testing.F) {
	words := func(w []uint32) (b []byte) {
		for _, v := range w {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	f.Add(words(packet(0x15, 1, 1, 1, 5)), uint8(0), uint8(0))
	f.Add(words(packet(0x50, 0, low(dataVA), high(dataVA), low(dataVA+64), high(dataVA), 4)), uint8(6), uint8(1))
	f.Add(words(packet(0x3f, low(commandsVA), 0, 4|1<<20)), uint8(10), uint8(1))
	f.Add(words(packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 1, 1, 4)), uint8(16), uint8(1))
	f.Add(words(slices.Concat(packet(0x76, 0x20c, dataVA>>8, 0), packet(0x76, 0x212, 0xffff, 0xffff),
		packet(0x76, 0x207, 64, 1, 1), packet(0x15, 1<<20, 9, 9, 5))), uint8(6), uint8(0))
	f.Add(words(packet(0x1e, 0x4f, low(dataVA), high(dataVA), 5, 0, 0, 0, 0)), uint8(8), uint8(1))
	all := chip.All()
	f.Fuzz(func(t *testing.T, data []byte, which, ip uint8) {
		if len(data) < 4 {
			return
		}
		d, err := New(fuzzOptions(all[int(which)%len(all)].Name))
		require.NoError(t, err)
		file, err := d.Open()
		require.NoError(t, err)
		c := playing(t, file, 1<<16)
		_, code := c.mapped(dataVA, 64<<10)
		for i := range code {
			code[i] = data[i%len(data)]
		}
		q := c.queue(ipType(ip%2), 0, commandsVA)
		n := copy(q.bytes, data) / 4
		began := time.Now()
		stop := time.AfterFunc(50*time.Millisecond, func() { _ = file.Close() })
		_, _ = q.cs(chunk{chunkIB, &ibChunk{Addr: q.at, Bytes: uint32(4 * n), IP: q.ip}})
		stop.Stop()
		require.NoError(t, file.Close())
		require.Less(t, time.Since(began), time.Minute)
	})
}
