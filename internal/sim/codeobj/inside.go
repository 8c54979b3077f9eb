package codeobj

// What only packages of this module ask of an object; users of the library see its methods and fields.

// InitSGPRs returns what the SGPRs of k hold as a wave begins, from s0 on, user SGPRs first.
func InitSGPRs(k *Kernel) []InitSGPR { return k.initSGPRs }

// FeaturesOf returns what o says of the features of its target.
func FeaturesOf(o *Object) Features { return o.features }

// Extent returns the first address of the image of o at load base 0, and its end.
func Extent(o *Object) (lo, hi uint64) { return o.lo, o.hi }
