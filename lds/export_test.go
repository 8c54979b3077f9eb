package lds

// PhaseLanes is phaseLanes for tests from outside.
var PhaseLanes = phaseLanes

// Bind is how tests bind instructions of this executor alone.
var Bind = bind
