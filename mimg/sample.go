package mimg

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// bindSampler is [Bind] of an instruction that reads a sampler.
func (o *op) bindSampler(in *gcn.Inst) state.Impl {
	return state.Impl{Why: in.Row().Name + " does not execute yet"}
}
