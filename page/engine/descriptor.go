package engine

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/sim/explain"
)

// setCall asks what a descriptor means, after a field is set if one is named.
type setCall struct {
	MCPU  string `json:"mcpu"`
	Kind  string `json:"kind"` // vsharp, tsharp or ssharp
	Words []Word `json:"words"`
	Field string `json:"field"`
	Value uint64 `json:"value"`
}

// setAnswer is a descriptor, field by field.
type setAnswer struct {
	Words  []Word  `json:"words"`
	Fields []field `json:"fields"`
	Text   string  `json:"text"`
}

type field struct {
	Name    string `json:"name"`
	Width   int    `json:"width"`
	Value   uint64 `json:"value"`
	Meaning string `json:"meaning"`
}

// set explains a descriptor.
func set(c *setCall) (any, error) {
	target, err := chip.ParseTarget(c.MCPU)
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(c.Words))
	for i, w := range c.Words {
		words[i] = uint32(w)
	}
	_, fields, err := descriptor(c.Kind, target, words)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if c.Field == "" || f.Name != c.Field {
			continue
		}
		if f.Width < 64 && c.Value>>f.Width != 0 {
			return nil, fmt.Errorf("%s has %d bits, %d does not fit", f.Name, f.Width, c.Value)
		}
		for bit := range f.Width {
			at := f.Shift + bit
			words[at/32] = words[at/32]&^(1<<(at%32)) | uint32(c.Value>>bit&1)<<(at%32)
		}
	}
	x, fields, err := descriptor(c.Kind, target, words)
	if err != nil {
		return nil, err
	}
	a := &setAnswer{Text: x.String()}
	for _, w := range words {
		a.Words = append(a.Words, Word(w))
	}
	for _, f := range fields {
		a.Fields = append(a.Fields, field{f.Name, f.Width, f.Value, f.Meaning})
	}
	return a, nil
}

// descriptor explains words.
func descriptor(kind string, target gcn.Target, words []uint32) (x fmt.Stringer, fields []explain.Field, err error) {
	switch kind {
	case "vsharp", "tsharp", "ssharp":
	default:
		return nil, nil, fmt.Errorf("%q is no kind of descriptor; give vsharp, tsharp or ssharp", kind)
	}
	if x, err = explain.Words(kind, target, words); err != nil {
		return nil, nil, err
	}
	switch x := x.(type) {
	case *explain.Buffer:
		fields = x.Fields
	case *explain.Image:
		fields = x.Fields
	case *explain.Sampler:
		fields = x.Fields
	}
	return x, fields, nil
}
