package pm4_test

import (
	"fmt"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// A listing of the command buffer with which a driver starts 4 x 1 x 1 work-groups.
func Example() {
	words := []uint32{
		0xc0027600, 0x20c, 0x00001234, 0, // SET_SH_REG
		0xc0031502, 4, 1, 1, 5,
		0xc0033700, 0x00100500, 0x1000, 1, 42,
	}
	if err := (pm4.Stream{Gen: gcn.GCN12, Ring: pm4.Compute}).List(os.Stdout, words); err != nil {
		fmt.Println(err)
	}
	// Output:
	//     0  c0027600  SET_SH_REG
	//                  COMPUTE_PGM_LO = 0x1234
	//                  COMPUTE_PGM_HI = 0x0
	//     4  c0031502  DISPATCH_DIRECT DIM_X=4 DIM_Y=1 DIM_Z=1 DISPATCH_INITIATOR=5
	//     9  c0033700  WRITE_DATA DST_SEL=5 WR_ONE_ADDR=0 ENGINE=0 DST=0x100001000 DATA=2a
}
