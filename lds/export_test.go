package lds

var PhaseLanes = phaseLanes
