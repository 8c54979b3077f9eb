package job

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/internal/literal"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// waveState is what a request says of the registers of a wave.
type waveState struct {
	Exec        *bits64    `json:"exec"`
	VCC         *bits64    `json:"vcc"`
	M0          *bits32    `json:"m0"`
	SCC         *bit       `json:"scc"`
	Mode        *bits32    `json:"mode"`
	FlatScratch *bits64    `json:"flat_scratch"`
	SGPR        byRegister `json:"sgpr"`
	VGPR        byRegister `json:"vgpr"`
}

// registers returns them as values.
func (s *waveState) registers() spec.Registers {
	r := spec.Registers{
		Exec: (*uint64)(s.Exec), VCC: (*uint64)(s.VCC), M0: (*uint32)(s.M0), Mode: (*uint32)(s.Mode), FlatScratch: (*uint64)(s.FlatScratch),
		SGPRs: map[int][]uint32{}, VGPRs: map[int][]uint32{},
	}
	if s.SCC != nil {
		r.SCC = new(*s.SCC == 1)
	}
	for first, n := range s.SGPR {
		r.SGPRs[first] = n.values
	}
	for reg, n := range s.VGPR {
		if r.VGPRs[reg] = n.values; n.single { // it is that of all lanes
			r.VGPRs[reg] = slices.Repeat(n.values, state.NumLanes)
		}
	}
	return r
}

// byRegister is what an object gives registers, by number.
type byRegister map[int]numbers

func (l *byRegister) decodeFrom(d *decoder, path string) error {
	*l = byRegister{}
	return d.object(path, func(key string, at int) error {
		first, err := strconv.ParseUint(key, 10, 16)
		if err != nil {
			return d.fail(at, path, "%s is not the number of a register", literal.Quoted(key))
		}
		if _, twice := (*l)[int(first)]; twice { // as 1 and 01
			return d.fail(at, path, "%c%d is given twice", path[len(path)-len("sgpr")], first)
		}
		var n numbers
		err = n.decodeFrom(d, join(path, key))
		(*l)[int(first)] = n
		return err
	})
}

// numbers is one number or an array of them.
type numbers struct {
	values []uint32
	single bool
}

func (l *numbers) decodeFrom(d *decoder, path string) error {
	var n bits32
	if l.single = d.next() != '['; l.single {
		at := d.at
		if err := n.UnmarshalJSON(d.raw()); err != nil {
			return d.fail(at, path, "%v", err)
		}
		l.values = []uint32{uint32(n)}
		return nil
	}
	return d.array(path, func(i int) error {
		d.next()
		at := d.at
		if err := n.UnmarshalJSON(d.raw()); err != nil {
			return d.fail(at, fmt.Sprintf("%s[%d]", path, i), "%v", err)
		}
		l.values = append(l.values, uint32(n))
		return nil
	})
}
