package spec

import (
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/v1"
)

// Save returns a dispatch as the text of a specification that [ParseDispatch] reads: its kernel, grid,
// arguments and limit of instructions. object is the path of its code object as the specification names
// it, mcpu the processor whose code is taken of a bundle, "" where it has one. What it expects is left out.
func Save(d *Dispatch, object, mcpu string) ([]byte, error) {
	out := members(d, object)
	if mcpu != "" {
		out["mcpu"] = mcpu
	}
	args := make([]any, len(d.Args))
	for i := range d.Args {
		args[i] = savedArg(&d.Args[i])
	}
	out["args"] = args
	return indented(out)
}

// SaveDriver is [Save] of a dispatch of a driver on a chip: with registers, buffers at addresses, and what they
// must hold after it. Contents are in files beside it, whose names begin with name.
func SaveDriver(d *Dispatch, object, chip, name string) (text []byte, beside map[string][]byte, err error) {
	beside = map[string][]byte{}
	file := func(kind string, i int, data []byte) string {
		of := fmt.Sprintf("%s.%s%d.bin", name, kind, i)
		beside[of] = data
		return of
	}
	r := d.Registers
	user := make([]string, len(r.UserData))
	for i, v := range r.UserData {
		user[i] = fmt.Sprintf("%#x", v)
	}
	out := members(d, object)
	out["chip"], out["entry"] = chip, fmt.Sprintf("%#x", d.Entry)
	out["registers"] = map[string]any{
		"user": user, "tmp_ring": r.TmpRing, "private_base": fmt.Sprintf("%#x", r.PrivateBase),
		"border_colors": fmt.Sprintf("%#x", r.BorderColors), "start": r.Start,
	}
	args := make([]any, len(d.Args))
	for i := range d.Args {
		b := d.Args[i].Buffer
		m := map[string]any{"size": b.Size, "addr": fmt.Sprintf("%#x", *b.Addr)}
		if len(b.Data) > 0 {
			m["file"] = file("arg", i, b.Data)
		}
		args[i] = map[string]any{"buffer": m}
	}
	expect := make([]any, len(d.Expect))
	for i, x := range d.Expect {
		as := "u32"
		if x.Offset%4 != 0 || len(x.Want)%4 != 0 {
			as = "u8"
		}
		expect[i] = map[string]any{"arg": x.Arg, "offset": x.Offset, "as": as, "file": file("want", i, x.Want)}
	}
	out["args"], out["expect"] = args, expect
	text, err = indented(out)
	return text, beside, err
}

// members returns the members that all saved dispatches have.
func members(d *Dispatch, object string) map[string]any {
	out := map[string]any{"code_object": object, "kernel": d.Kernel, "grid": d.Grid, "workgroup": d.Group}
	if d.MaxInstructions != 0 {
		out["max_instructions"] = d.MaxInstructions
	}
	return out
}

// indented returns v as JSON of several lines.
func indented(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", " ")
	return append(text, '\n'), err
}

// savedArg returns an argument as JSON has it.
func savedArg(a *Arg) map[string]any {
	switch {
	case a.Buffer != nil:
		b := map[string]any{"size": max(a.Buffer.Size, uint64(len(a.Buffer.Data)))}
		putContents(b, a.Buffer.Data, a.Buffer.Random)
		if a.Buffer.NoInit {
			b["noinit"] = true
		}
		if a.Buffer.Parts != nil {
			b["parts"] = a.Buffer.Parts
		}
		if a.Buffer.Addr != nil {
			b["addr"] = *a.Buffer.Addr
		}
		return map[string]any{"buffer": b}
	case a.Image != nil:
		m := map[string]any{"format": a.Image.Format, "size": a.Image.Size}
		if a.Image.Type != "" {
			m["type"] = a.Image.Type
		}
		if a.Image.Levels != nil {
			m["levels"] = *a.Image.Levels
		}
		if a.Image.Tiling != nil {
			m["tiling"] = *a.Image.Tiling
		}
		putContents(m, a.Image.Data, a.Image.Random)
		return map[string]any{"image": m}
	case a.Sampler != nil:
		return map[string]any{"sampler": savedSampler(a.Sampler)}
	case a.Bytes != nil:
		return map[string]any{"hex": hex.EncodeToString(*a.Bytes)}
	case a.U32 != nil:
		return map[string]any{"u32": *a.U32}
	case a.U64 != nil:
		return map[string]any{"u64": *a.U64}
	case a.F32 != nil:
		return map[string]any{"f32": *a.F32}
	case a.Local != nil:
		return map[string]any{"local": *a.Local}
	}
	return map[string]any{}
}

// savedSampler returns the members of a sampler that are not as they are by default.
func savedSampler(s *Sampler) map[string]any {
	var all map[string]any
	text, err := json.Marshal(s)
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil // it has texts and numbers only
	}
	for key, v := range all {
		switch v {
		case nil, "", false, 0.0:
			delete(all, key)
		}
	}
	if s.Address == [3]string{} {
		delete(all, "address")
	}
	return all
}

// putContents adds the contents of memory to its members.
func putContents(m map[string]any, data []byte, random *Random) {
	if len(data) > 0 {
		m["hex"] = hex.EncodeToString(data)
	}
	if random == nil {
		return
	}
	m["random"], m["as"] = random.Seed, random.As
	if random.Min != "" {
		m["min"] = random.Min
	}
	if random.Max != "" {
		m["max"] = random.Max
	}
	if len(random.With) > 0 {
		m["with"] = random.With
	}
}
