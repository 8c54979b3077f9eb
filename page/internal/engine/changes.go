package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/state"
)

// changes describes how set changes s, one line for each change, such as "buffer in: STRIDE 0 → 4 (4 bytes)".
// Descriptors are compared field by field, everything else key by key.
func (s *Scenario) changes(set map[string]json.RawMessage) (list []string, err error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	old := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &old); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		kind, several := map[string]string{"buffers": "vsharp", "images": "tsharp", "samplers": "ssharp"}[key]
		if !several {
			list = append(list, fmt.Sprintf("%s %s → %s", key, old[key], set[key]))
			continue
		}
		var before, after []map[string]json.RawMessage
		if err := json.Unmarshal(old[key], &before); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(set[key], &after); err != nil {
			return nil, err
		}
		for i := range after {
			if i >= len(before) {
				return nil, fmt.Errorf("%s has more elements than before", key)
			}
			lines, err := s.element(kind, before[i], after[i])
			if err != nil {
				return nil, err
			}
			for _, line := range lines {
				list = append(list, fmt.Sprintf("%s: %s", nameOf(kind, after[i]), line))
			}
		}
	}
	return list, nil
}

// nameOf returns the name of a buffer, an image or a sampler in the page's form.
func nameOf(kind string, x map[string]json.RawMessage) string {
	if kind == "ssharp" {
		return fmt.Sprintf("sampler in s%s", x["sgpr"])
	}
	what := map[string]string{"vsharp": "buffer", "tsharp": "image"}[kind]
	return fmt.Sprintf("%s %s", what, bytes.Trim(x["name"], `"`))
}

// element describes the changes of a buffer, an image or a sampler, including its descriptor.
func (s *Scenario) element(kind string, before, after map[string]json.RawMessage) (list []string, err error) {
	for _, key := range slices.Sorted(maps.Keys(after)) {
		switch {
		case key != "words":
			if from := orNone(before[key]); from != orNone(after[key]) {
				list = append(list, fmt.Sprintf("%s %s → %s", key, from, orNone(after[key])))
			}
		case before[key] == nil:
			return nil, fmt.Errorf("the descriptor in the lesson has no words to change, but the change sets %s", after[key])
		default:
			fields, err := s.fields(kind, before[key], after[key])
			if err != nil {
				return nil, err
			}
			list = append(list, fields...)
		}
	}
	return list, nil
}

// orNone formats a JSON value. A missing one is "none".
func orNone(v json.RawMessage) string {
	if v == nil {
		return "none"
	}
	return string(v)
}

// fields describes the changed fields of a descriptor.
func (s *Scenario) fields(kind string, before, after json.RawMessage) (list []string, err error) {
	target, err := chip.ParseTarget(s.MCPU)
	if err != nil {
		return nil, err
	}
	old := map[string]uint64{}
	for _, text := range []json.RawMessage{before, after} {
		var given []Word
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, err
		}
		words := make([]uint32, len(given))
		for i, w := range given {
			words[i] = uint32(w)
		}
		_, fields, err := descriptor(kind, target, words)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			if from, ok := old[f.Name]; ok && from != f.Value {
				list = append(list, change(f.Name, from, f.Value, f.Meaning))
			}
			old[f.Name] = f.Value
		}
		if kind == "vsharp" && s.Rules == state.RDNARules.String() {
			const name = "OOB_SELECT" // bits 125 and 124 (rule RD2)
			v := uint64(words[3] >> 28 & 3)
			if from, ok := old[name]; ok && from != v {
				list = append(list, change(name, from, v, ""))
			}
			old[name] = v
		}
	}
	return list, nil
}

// change describes a field's new value, with its meaning.
func change(name string, from, to uint64, means string) string {
	if means != "" && !strings.Contains(means, "see below") {
		return fmt.Sprintf("%s %d → %d (%s)", name, from, to, means)
	}
	return fmt.Sprintf("%s %d → %d", name, from, to)
}
