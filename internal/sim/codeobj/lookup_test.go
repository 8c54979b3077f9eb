package codeobj

import "slices"

// itemNames are the names of the items in AMDGPUUsage.
var itemNames = [numSGPRItems]string{
	PrivateSegmentBuffer:         "private segment buffer",
	DispatchPtr:                  "dispatch ptr",
	QueuePtr:                     "queue ptr",
	KernargSegmentPtr:            "kernarg segment ptr",
	DispatchID:                   "dispatch id",
	FlatScratchInit:              "flat scratch init",
	PrivateSegmentSize:           "private segment size",
	GridWorkGroupCountX:          "grid work-group count x",
	GridWorkGroupCountY:          "grid work-group count y",
	GridWorkGroupCountZ:          "grid work-group count z",
	WorkGroupIDX:                 "work-group id x",
	WorkGroupIDY:                 "work-group id y",
	WorkGroupIDZ:                 "work-group id z",
	WorkGroupInfo:                "work-group info",
	PrivateSegmentWaveByteOffset: "private segment wave byte offset",
}

// symbol returns the first symbol of that name, nil if there is none.
func (o *Object) symbol(name string) *Symbol {
	i := slices.IndexFunc(o.symbols, func(s Symbol) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &o.symbols[i]
}

// initSGPR returns the first register of an item, and whether the kernel requests the item.
func (k *Kernel) initSGPR(item SGPRItem) (first int, ok bool) {
	for _, s := range k.initSGPRs {
		if s.Item == item {
			return s.First, true
		}
	}
	return 0, false
}
