package aql_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/internal/packet/aql"
)

// A packet that launches 100 work-items in work-groups of 64.
func ExamplePacket_Dispatch() {
	var p aql.Packet
	p[0], p[2] = byte(aql.KernelDispatch), 1 // the packet has one dimension
	binary.LittleEndian.PutUint16(p[4:], 64)
	binary.LittleEndian.PutUint32(p[12:], 100)
	d := p.Dispatch()
	fmt.Println(p.Type(), d.Grid, d.Group)
	// Output: kernel dispatch [100 1 1] [64 1 1]
}

func TestBarrierValue(t *testing.T) {
	for condition, want := range [][3]bool{{false, true, false}, {true, false, true}, {true, false, false},
		{false, true, true}} {
		v := aql.Value{Reference: 5, Mask: 0xff, Condition: uint32(condition)}
		for i, value := range []int64{4, 5, 0x106} {
			assert.Equal(t, want[i], v.Holds(value), "condition %d of %d", condition, value)
		}
	}
}

func TestTypes(t *testing.T) {
	assert.Equal(t, "barrier-or", aql.BarrierOr.String())
	assert.Equal(t, "type 99", aql.Type(99).String())
}
