package lds

// PhaseLanes is phaseLanes for tests from outside.
var PhaseLanes = phaseLanes
