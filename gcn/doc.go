// Package gcn defines the vocabulary of the simulator: targets, encoded instructions and resource descriptors of
// AMD's GCN architecture.
//
// A [Target] is a processor, a [Gen] a generation of processors. [Decode] turns machine words into an [Inst]; package
// gcn/asm turns an Inst into text and text into an Inst. A descriptor is a few dwords ([VSharp], [TSharp], [SSharp]);
// [Buffer], [Image] and [SamplerState] hold its decoded fields.
package gcn
