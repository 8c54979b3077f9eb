package gcn

// Renamed are the instructions that RDNA has under other names, apart from memory instructions.
var Renamed = renamed

// CarryNames are the additions and subtractions among them whose mnemonics differ between the generations.
var CarryNames = carryNames
