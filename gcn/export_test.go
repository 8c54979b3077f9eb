package gcn

// Renamed are the instructions that RDNA has under other names, apart from those of memory.
var Renamed = renamed
