// Package gcn is the vocabulary of the simulator: targets, encoded instructions and resource
// descriptors of AMD's GCN architecture.
//
// A [Target] is a processor, a [Gen] a generation of them. [Decode] reads an instruction from machine
// words as an [Inst]; package gcn/asm has it as text. A descriptor is a few dwords ([VSharp],
// [TSharp], [SSharp]); [Buffer], [Image] and [SamplerState] hold what its fields mean.
package gcn
