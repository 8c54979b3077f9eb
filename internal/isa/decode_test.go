package isa

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The table of a processor is made when the first instruction is decoded, by any goroutine, and shared by processors
// with the same instructions.
func TestTablesAreMadeOnce(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for target := range Target(NumTargets) {
				_, err := Decode(target, []uint32{0xbf810000}) // s_endpgm
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	distinct := map[*table]bool{}
	for target := range tables {
		distinct[tables[target].Load()] = true
	}
	assert.NotContains(t, distinct, (*table)(nil))
	assert.Less(t, len(distinct), NumTargets)
}
