package job

import (
	"fmt"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// dumpRequest is what a request wants to see of the state that its program leaves.
type dumpRequest struct {
	SGPR [][2]int    `json:"sgpr"`
	VGPR [][2]int    `json:"vgpr"`
	Mem  []memRange  `json:"mem"`
	LDS  [][2]number `json:"lds"`
	GDS  [][2]number `json:"gds"`
	Regs bool        `json:"regs"`
}

type memDump struct {
	Addr address  `json:"addr"`
	Hex  hexBytes `json:"hex"`
}

type ldsDump struct {
	Addr uint64   `json:"addr"`
	Hex  hexBytes `json:"hex"`
}

type regsDump struct {
	Exec    hex64  `json:"exec"`
	VCC     hex64  `json:"vcc"`
	M0      hex32  `json:"m0"`
	SCC     uint32 `json:"scc"`
	Mode    hex32  `json:"mode"`
	Status  hex32  `json:"status"`
	TrapSts hex32  `json:"trapsts"`
}

// check refuses a dump of what does not exist, before anything runs.
func (d *dumpRequest) check(m *sim.Machine, w *state.Wave) error {
	for _, r := range d.SGPR {
		if r[0] < 0 || r[1] < 0 || r[0] > w.T.SGPRs || r[1] > w.T.SGPRs-r[0] {
			return fmt.Errorf("dump: sgpr %d, %d registers, is not within s0 to s%d", r[0], r[1], w.T.SGPRs-1)
		}
	}
	for _, r := range d.VGPR {
		if r[0] < 0 || r[1] < 0 || r[0] > w.NumVGPRs || r[1] > w.NumVGPRs-r[0] {
			return fmt.Errorf("dump: vgpr %d, %d registers, is not within v0 to v%d", r[0], r[1], w.NumVGPRs-1)
		}
	}
	for _, r := range d.Mem {
		if r.Size == nil {
			return fmt.Errorf("dump: mem at 0x%x has no size", r.Addr.v)
		}
		if _, err := readMemory(m, r.Addr.v, r.Size.v); err != nil {
			return err
		}
	}
	return nil
}

// readMemory returns size bytes at addr, which may span adjacent ranges.
func readMemory(m *sim.Machine, addr, size uint64) ([]byte, error) {
	var b []byte
	for uint64(len(b)) < size {
		at := addr + uint64(len(b))
		s := m.Find(at)
		if s == nil {
			return nil, fmt.Errorf("dump: no mapped range holds 0x%x", at)
		}
		off := at - s.Base
		b = append(b, s.Bytes[off:min(s.Hi, off+size-uint64(len(b)))]...)
	}
	return b, nil
}

// fill writes what the request wants to see into reply.
func (d *dumpRequest) fill(m *sim.Machine, w *state.Wave, reply *ExecReply) error {
	for _, r := range d.SGPR {
		if reply.SGPR == nil {
			reply.SGPR = registers{}
		}
		for _, v := range w.S[r[0] : r[0]+r[1]] {
			reply.SGPR[r[0]] = append(reply.SGPR[r[0]], hex32(v))
		}
	}
	for _, r := range d.VGPR {
		if reply.VGPR == nil {
			reply.VGPR = registers{}
		}
		for reg := r[0]; reg < r[0]+r[1]; reg++ {
			lanes := make([]hex32, state.NumLanes)
			for i, v := range w.VGPR(reg) {
				lanes[i] = hex32(v)
			}
			reply.VGPR[reg] = lanes
		}
	}
	for _, r := range d.Mem {
		b, err := readMemory(m, r.Addr.v, r.Size.v)
		if err != nil {
			return err
		}
		reply.Mem = append(reply.Mem, memDump{address(r.Addr.v), b})
	}
	var err error
	if reply.LDS, err = dumpStorage("lds", d.LDS, m.LDS); err != nil {
		return err
	}
	if reply.GDS, err = dumpStorage("gds", d.GDS, m.GDS); err != nil {
		return err
	}
	if d.Regs {
		reply.Regs = &regsDump{
			Exec: hex64(w.Exec()), VCC: hex64(w.VCC()), M0: hex32(w.M0()), SCC: w.SCC,
			Mode: hex32(w.Mode), Status: hex32(w.Status()), TrapSts: hex32(w.TrapSts),
		}
	}
	return nil
}

func dumpStorage(name string, ranges [][2]number, get func() *sim.Buffer) ([]ldsDump, error) {
	var dumps []ldsDump
	for _, r := range ranges {
		b := get().Bytes()
		addr, size := r[0].v, r[1].v
		if addr > uint64(len(b)) || size > uint64(len(b))-addr {
			return nil, fmt.Errorf("dump: %s %d, %d bytes, is not within its %d bytes", name, addr, size, len(b))
		}
		dumps = append(dumps, ldsDump{addr, b[addr : addr+size]})
	}
	return dumps, nil
}
