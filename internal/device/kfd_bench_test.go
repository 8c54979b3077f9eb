//go:build linux && (amd64 || arm64)

package device

import (
	"testing"

	"github.com/gcnsim/gcnsim/internal/packet/aql"
)

// BenchmarkLaunch measures a packet that dispatches a wave with one instruction.
func BenchmarkLaunch(b *testing.B) {
	r := newRuntime(b, Options{Chip: "vega10", MemoryBytes: 64 << 20})
	p := launch(r.kernel("s_endpgm", 1<<aql.HasKernargPtr), kfdData)
	q := &kfdQueue{ring: kfdRing, size: 1024, writePtr: kfdQueueAt + 0x1000, readPtr: kfdQueueAt + aql.QueueReadIndex,
		at: kfdQueueAt, ctx: b.Context()}
	r.k.queues[0].suspended.Store(true) // the benchmark executes packets itself
	b.ReportAllocs()
	for b.Loop() {
		r.submit(p)
		if !r.k.step(q) {
			b.Fatal("it waits")
		}
	}
}
