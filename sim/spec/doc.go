// Package spec says in one value what runs and what it must leave: a kernel with its grid and its
// arguments ([Dispatch]), or a program with the state of its waves ([Exec]). Both run on a machine of
// their own:
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
// The functions of package compare compare two dispatches that should do the same, see [Dispatch.Program].
// gcnsim's commands exec and dispatch run both kinds of value: messages name fields as the
// JSON of those commands does, in lower case, where Data is hex or file. Who keeps a machine from one
// run to the next uses package sim itself. Tags of fields are the keys of that JSON, and say how it writes
// numbers; decoding it takes more than package encoding/json.
//
// A field that is nil, or zero where zero means nothing, leaves the default. A value may run any number
// of times, also at the same time: running changes none of its fields.
package spec
