// Package spec describes a run and its expected results in one value: a kernel with its grid and its arguments
// ([Dispatch]), or a program with the state of its waves ([Exec]). Both execute on their own machine:
//
//	d := spec.Dispatch{
//		Object: object, Kernel: "saxpy", Grid: [3]uint32{1024},
//		Args: []spec.Arg{
//			{U32: new(uint32(1000))},
//			{Buffer: &spec.Buffer{Size: 4096, Random: &spec.Random{Seed: 1, As: spec.F32}}},
//			{Buffer: &spec.Buffer{Size: 4096}},
//		},
//		Expect: []spec.Expect{{Arg: 2, Want: want, As: spec.F32, ULP: new(uint64(2))}},
//	}
//	res, err := d.Run(ctx, nil)
//
// Package compare compares two dispatches that should have the same results, see [Dispatch.Program]. The commands
// gcnsim exec and gcnsim dispatch execute both kinds of value: messages name fields as the JSON of those commands
// does, in lower case, where Data is hex or file. To keep a machine from one run to the next, use package sim itself.
// Tags of fields are the keys of that JSON and the form of numbers in it; package encoding/json alone cannot decode
// it.
//
// A field that is nil, or zero if zero is not a useful value, has its default. A value may be executed any number of
// times, also concurrently: execution does not change its fields.
package spec
