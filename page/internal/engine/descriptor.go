package engine

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// describeCall asks for the description of a descriptor.
type describeCall struct {
	MCPU  string `json:"mcpu"`
	Kind  string `json:"kind"` // vsharp, tsharp or ssharp
	Words []Word `json:"words"`
	// Choices also asks for the meaning of every value of short fields.
	Choices bool `json:"choices"`
}

// describeAnswer is a descriptor, field by field.
type describeAnswer struct {
	Fields []field `json:"fields"`
	Text   string  `json:"text"`
}

// field is a field of a descriptor. Shift is its lowest bit, counted from bit 0 of the first word.
type field struct {
	Name    string `json:"name"`
	Shift   int    `json:"shift"`
	Width   int    `json:"width"`
	Value   uint64 `json:"value"`
	Meaning string `json:"meaning"`
	// Choices are the meanings of the values from 0 on. It is nil if they were not asked for, or if the field is a
	// number.
	Choices []string `json:"choices,omitempty"`
}

// hasChoices reports whether a user selects a value of f by its meaning: for fields at most as wide as a tile mode,
// and for formats.
func hasChoices(f *explain.Field) bool {
	const widest = 5 // width of a tile mode
	return f.Meaning != "" && (f.Width <= widest || f.Name == "DATA_FORMAT")
}

// describe explains a descriptor.
func describe(c *describeCall) (any, error) {
	target, err := chip.ParseTarget(c.MCPU)
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(c.Words))
	for i, w := range c.Words {
		words[i] = uint32(w)
	}
	x, fields, err := descriptor(c.Kind, target, words)
	if err != nil {
		return nil, err
	}
	a := &describeAnswer{Text: x.String()}
	for i, f := range fields {
		one := field{Name: f.Name, Shift: f.Shift, Width: f.Width, Value: f.Value, Meaning: f.Meaning}
		if c.Choices && hasChoices(&f) {
			if one.Choices, err = choices(c.Kind, target, words, i, &fields[i]); err != nil {
				return nil, err
			}
		}
		a.Fields = append(a.Fields, one)
	}
	return a, nil
}

// choices returns the meaning of each value of f, field number n.
func choices(kind string, target gcn.Target, words []uint32, n int, f *explain.Field) ([]string, error) {
	var list []string
	for v := range uint32(1) << f.Width {
		changed := slices.Clone(words)
		for bit := range f.Width {
			at := f.Shift + bit
			changed[at/32] = changed[at/32]&^(1<<(at%32)) | v>>bit&1<<(at%32)
		}
		_, fields, err := descriptor(kind, target, changed)
		if err != nil {
			return nil, err
		}
		list = append(list, fields[n].Meaning)
	}
	return list, nil
}

// descriptor decodes words.
func descriptor(kind string, target gcn.Target, words []uint32) (x fmt.Stringer, fields []explain.Field, err error) {
	switch kind {
	case "vsharp", "tsharp", "ssharp":
	default:
		return nil, nil, fmt.Errorf("%q is no kind of descriptor; give vsharp, tsharp or ssharp", kind)
	}
	if x, err = explain.Words(kind, target, words); err != nil {
		return nil, nil, err
	}
	fields, _ = explain.Parts(x)
	return x, fields, nil
}
