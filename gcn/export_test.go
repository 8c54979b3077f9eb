package gcn

// Renamed are the instructions that RDNA has under other names, apart from memory instructions.
var Renamed = renamed
