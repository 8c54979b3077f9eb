package spec

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Save returns a dispatch as the text of a specification that [ParseDispatch] reads: its kernel, grid, arguments and
// instruction limit. object is the path of its code object in the specification, mcpu the processor that selects the
// code in a bundle, "" for other files. Save omits expectations.
func Save(d *Dispatch, object, mcpu string) ([]byte, error) {
	out := members(d, object)
	if mcpu != "" {
		out["mcpu"] = mcpu
	}
	args := make([]jsonv1.RawMessage, len(d.Args))
	for i := range d.Args {
		var err error
		if args[i], err = savedArg(d.Args[i]); err != nil {
			return nil, err
		}
	}
	out["args"] = args
	return indented(out)
}

// SaveDriver does what [Save] does, for a dispatch of a driver on a chip: with registers, buffers at addresses, and
// their expected contents. beside has the contents of files, by names that start with name.
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
	if d.Offset != [3]uint64{} {
		out["global_offset"] = d.Offset
	}
	if d.MaxInstructions != 0 {
		out["max_instructions"] = d.MaxInstructions
	}
	return out
}

// indented returns v as JSON with indentation.
func indented(v any) ([]byte, error) {
	text, err := jsonv1.MarshalIndent(v, "", " ")
	return append(text, '\n'), err
}

// savedArg returns an argument as JSON, including the contents of its file.
func savedArg(a Arg) (jsonv1.RawMessage, error) {
	switch {
	case a.Buffer != nil:
		b := *a.Buffer
		b.Size, b.File = max(b.Size, uint64(len(b.Data))), ""
		a.Buffer = &b
	case a.Image != nil:
		im := *a.Image
		im.File = ""
		a.Image = &im
	}
	text, err := json.Marshal(a, json.WithMarshalers(json.MarshalFunc(func(data []byte) ([]byte, error) {
		return strconv.AppendQuote(nil, hex.EncodeToString(data)), nil
	})))
	if err != nil {
		return nil, err
	}
	sorted := jsontext.Value(text)
	err = sorted.Format(jsontext.ReorderRawObjects(true))
	return sorted, err
}
