package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

func (o *op) bindStore() executor.Impl {
	exec := o.store
	if !o.mem.Format {
		exec = o.storeRaw
	}
	return doubt(exec, given(o.count == 0, noneWhy))
}

// store executes IMAGE_STORE and IMAGE_STORE_MIP.
func (o *op) store(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	v, ok, fault := o.begin(w, p, a)
	switch {
	case !ok:
		return fault
	case v.stored.NoStore:
		return noStore(v)
	case o.count == 0:
		a.Op = gcn.NoMem
		return nil
	}
	in, warned := o.place(w, v, a, &w.Temp()[tempTexel])
	in, lost := o.mapped(p, v, a, in)
	f, temp := v.stored, w.Temp()
	executor.Doubt(a, v.storeDoubts)
	var words, src [format.MaxComponents][]uint32
	for c := range f.Components {
		i := v.sel.Store(c, format.MaxComponents)
		if i == format.Absent || o.dmask>>i&1 == 0 { // stores 0 (rules IM5 and IF5)
			a.Doubt = sparseWhy
			continue
		}
		rank := bits.OnesCount32(o.dmask & (1<<i - 1)) // number of components before it
		if !o.d16 {
			src[c] = w.V[o.vdata+rank][:]
			continue
		}
		src[c] = temp[tempResults+c][:]
		o.half(w, rank, &temp[tempResults+c])
		executor.Widen(f, src[c])
	}
	for j := range f.Words {
		words[j] = temp[tempWords+j][:]
	}
	f.Pack(&words, &src)
	for j := range f.Words {
		if fault := executor.Scatter(p.Mem, &temp[tempWords+j], nil,
			executor.Elements{Addr: &a.Addr, Disp: uint64(4 * j), Size: min(f.Size, 4)}, in); fault != nil {
			return fault
		}
	}
	o.finish(w, a, in, lost, warned)
	return nil
}

// half sets dst to D16 component i of the data registers. Upper halves of dst are undefined.
func (o *op) half(w *state.Wave, i int, dst *state.Lanes) {
	reg, shift := o.vdata+i, 0
	if o.packed {
		reg, shift = o.vdata+i/2, i%2*16
	}
	for lane, v := range &w.V[reg] {
		dst[lane] = v >> shift
	}
}

// storeRaw executes the PCK forms, which store dwords of the element without conversion, 0 where DMASK is 0 (rule
// IM8).
func (o *op) storeRaw(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	v, ok, fault := o.begin(w, p, a)
	switch {
	case !ok:
		return fault
	case format.Unstorable>>v.DataFormat&1 != 0:
		return noStore(v)
	case o.count == 0:
		a.Op = gcn.NoMem
		return nil
	}
	in, warned := o.place(w, v, a, &w.Temp()[tempTexel])
	in, lost := o.mapped(p, v, a, in)
	reg := o.vdata
	size := v.layout.Surface.Bytes
	for j := range (size + 3) / 4 {
		src := &zeros
		if o.dmask>>j&1 != 0 {
			src = &w.V[reg]
			reg++
		}
		if f := executor.Scatter(p.Mem, src, nil, executor.Elements{Addr: &a.Addr, Disp: uint64(4 * j),
			Size: min(size, 4)}, in); f != nil {
			return f
		}
	}
	o.finish(w, a, in, lost, warned)
	return nil
}

var zeros state.Lanes

// noStore returns the fault for a store to a format that does not support stores.
func noStore(v *view) *state.Fault {
	what := gcn.DataFormatName(v.DataFormat)
	if v.stored != nil {
		what = v.stored.String()
	}
	return executor.NewFault(state.FaultIllegal, "the format %s of the T# takes no stores ("+rule.TD3+")", what)
}
