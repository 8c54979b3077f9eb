package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// operation returns the executor of an instruction. Each row has one operation.
type operation interface {
	bind(in *isa.Inst, r *isa.Row) executor.Impl
}

// operations maps each row to its operation. It is filled in init, because packed instructions look up the operation
// of their half in it.
var operations *executor.Table[operation]

func init() {
	encodings := []gcn.Encoding{isa.SOP1, isa.SOP2, isa.SOPC, isa.SOPK, isa.SOPP, isa.VOP1, isa.VOP2, isa.VOPC,
		isa.VOP3A, isa.VOP3B, isa.VOP3P, isa.VINTRP, isa.EXP}
	executor.Executes(bind, encodings...)
	operations = executor.NewTable(executor.OneOf(encodings...), byFacts,
		plain(basicOps), plain(scalarOps), plain(execMaskOps), plain(controls), plain(stops), plain(branches),
		executor.Bindings[operation]{"s_waitcnt": waits{}, "s_nop": nop{}},
		plain(laneOps), plain(registerOps), plain(sums), plain(mixOps), plain(dotOps),
		vectors(lanesOps), vectors(bitOps), vectors(f32Conversions), vectors(f32Ops), vectors(extremes), vectors(f64Ops),
		vectors(pairsOps), vectors(sadOps), vectors(carryOps), vectors(chainOps), vectors(saturatedOps),
		vectors(saturatedCarryOps),
		vectors(softOps), vectors(convertOps), vectors(divideOps), vectors(transcendentalOps),
	)
}

// byFacts returns the operation of comparisons, packed instructions and exports, which follows from their row.
func byFacts(r *isa.Row) (operation, bool) {
	switch {
	case r.Enc == isa.EXP:
		return exportOp{}, true
	case r.Enc == isa.VOPC:
		return vectorRow{compareOf(r)}, true
	case r.Cond != 0:
		return basicCompare(r.Cond, r.Sig.Src[0]), true
	case r.Half != 0:
		return packedOp{}, true
	}
	return nil, false
}

// bind returns the executor of an instruction. Exec is nil, with the reason in Why, if the instruction or this form
// of it does not execute here. Exec is bound to in: it may be called for many waves at a time, but not with another
// instruction.
func bind(in *isa.Inst) executor.Impl {
	op, why := operations.Of(in)
	if why != "" {
		return executor.Impl{Why: why}
	}
	if executor.ReadsLDSDirect(in) {
		return bindLDSDirect(in, op)
	}
	return op.bind(in, in.Row())
}

// plain returns a list as operations.
func plain[T operation](list executor.Bindings[T]) executor.Bindings[operation] {
	all := executor.Bindings[operation]{}
	for name, op := range list {
		all[name] = op
	}
	return all
}

// vectors returns a list of kernels as operations.
func vectors[K kernel](list executor.Bindings[K]) executor.Bindings[operation] {
	all := executor.Bindings[operation]{}
	for name, k := range list {
		all[name] = vectorRow{k}
	}
	return all
}
