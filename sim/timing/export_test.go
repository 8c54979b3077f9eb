package timing

// LeftOut is leftOut for tests from outside.
var LeftOut = leftOut
