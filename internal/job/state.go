package job

import (
	"fmt"
	"strconv"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

type memRange struct {
	Addr number   `json:"addr"`
	Hex  hexBytes `json:"hex"`
	Size *number  `json:"size"`
}

type storage struct {
	Size number   `json:"size"`
	Hex  hexBytes `json:"hex"`
}

func (req *ExecRequest) setRegisters(w *state.Wave) error {
	if req.Exec != nil {
		w.SetExec(req.Exec.v)
	}
	w.SetVCC(req.VCC.v)
	w.SetFlatScratch(req.FlatScratch.v)
	w.SetSCC(req.SCC.v != 0)
	m0, err := req.M0.u32()
	if err != nil {
		return fmt.Errorf("m0: %w", err)
	}
	w.SetM0(m0)
	if req.Mode != nil {
		mode, err := req.Mode.u32()
		if err != nil {
			return fmt.Errorf("mode: %w", err)
		}
		w.Mode = state.Mode(mode)
	}
	for key, list := range req.SGPR {
		first, err := strconv.Atoi(key)
		if err != nil || first < 0 || first+len(list.values) > w.T.SGPRs {
			return fmt.Errorf("sgpr: %q with %d values is not within s0 to s%d", key, len(list.values), w.T.SGPRs-1)
		}
		w.SetSGPRs(first, list.values...)
	}
	for key, list := range req.VGPR {
		reg, err := strconv.Atoi(key)
		if err != nil || reg < 0 || reg >= w.NumVGPRs {
			return fmt.Errorf("vgpr: %q is not a register from 0 to %d", key, w.NumVGPRs-1)
		}
		if len(list.values) > state.NumLanes {
			return fmt.Errorf("vgpr: register %d has %d values; a wave has %d lanes", reg, len(list.values), state.NumLanes)
		}
		v := lane.Of(list.values...)
		if list.single {
			v = lane.All(list.values[0])
		}
		w.SetVGPR(reg, v)
	}
	return nil
}

func (req *ExecRequest) setMemory(m *sim.Machine) error {
	for _, r := range req.Mem {
		size := uint64(len(r.Hex))
		if r.Size != nil {
			size = max(size, r.Size.v)
		}
		if size > maxHostBytes {
			return fmt.Errorf("mem: %d bytes at 0x%x are more than exec maps (%d)", size, r.Addr.v, maxHostBytes)
		}
		b, err := m.Map(r.Addr.v, size)
		if err != nil {
			return fmt.Errorf("mem: %w", err)
		}
		copy(b.Bytes(), r.Hex)
	}
	for _, s := range []struct {
		name string
		from *storage
		size *int
		get  func() *sim.Buffer
		max  int
	}{
		{"lds", req.LDS, &m.LDSSize, m.LDS, m.LDSSize},
		{"gds", req.GDS, &m.GDSSize, m.GDS, m.GDSSize},
	} {
		if s.from == nil {
			continue
		}
		size := max(s.from.Size.v, uint64(len(s.from.Hex)))
		if size > uint64(max(s.max, 64<<10)) {
			return fmt.Errorf("%s: %d bytes are more than the %d there are", s.name, size, max(s.max, 64<<10))
		}
		*s.size = int(size)
		copy(s.get().Bytes(), s.from.Hex)
	}
	return nil
}

// maxHostBytes is how much host memory one range of a request may take.
const maxHostBytes = 4 << 30
