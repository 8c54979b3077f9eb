package smem

// Bind is how tests bind instructions of this executor alone.
var Bind = bind
