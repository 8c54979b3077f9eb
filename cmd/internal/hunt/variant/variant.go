// Package variant changes kernels into variants that must leave what the kernels leave: code that is never reached,
// conditions that are always false but not known to be, loops of one turn, two ways that are the same.
package variant

import "math/rand/v2"

// Kernel is a variant of a text. Both are one body: [Kernel.Text] is the variant and [Kernel.Plain] the text that it
// was made from, so that what is left out of the body is left out of both.
type Kernel struct {
	Suffix string // of the file: "cl" or "ll"
	Body   string
}

// most is how many places of a text are changed, at most.
const most = 6

// New returns the variant of a text in the language of suffix, "cl" or "ll", and of a seed, always the same. It is nil
// if the text has no place that can be changed.
func New(text, suffix string, seed uint64) *Kernel {
	r := rand.New(rand.NewPCG(seed, 0x7661_7269_616e))
	k := &Kernel{Suffix: suffix, Body: text}
	change := changeC
	if suffix == "ll" {
		change = changeIR
	}
	for range most { // a change may not fit the place that it falls on
		if k.Body = change(r, text, 1+r.IntN(most)); k.Body != text {
			return k
		}
	}
	return nil
}

// Text returns the variant for a body: the kernel's own, or one made smaller.
func (k *Kernel) Text(body string) string {
	if k.Suffix == "ll" {
		return body
	}
	return defined(body, func(kind *change) string { return kind.text })
}

// Plain returns the text for a body.
func (k *Kernel) Plain(body string) string {
	if k.Suffix == "ll" {
		return plainIR(body)
	}
	return defined(body, func(*change) string { return "__VA_ARGS__" })
}

// pick returns one of the list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
