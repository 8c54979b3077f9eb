package hunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/cmd/internal/hunt/variant"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// kernelFile is a user's file of kernels.
type kernelFile struct {
	text   string
	suffix string
	hints  []verdict.Hint
}

// readKernels reads the kernel files in h's directory, sorted by name.
func (h *Hunt) readKernels() error {
	for _, suffix := range []string{"cl", "ll"} {
		names, err := filepath.Glob(filepath.Join(globbed(h.Kernels), "*."+suffix))
		if err != nil {
			return err
		}
		slices.Sort(names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			hints, err := verdict.ParseHints(text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if variant.New(string(text), suffix, 0) != nil {
				h.kernels = append(h.kernels, kernelFile{string(text), suffix, hints})
			}
		}
	}
	if len(h.kernels) == 0 {
		return fmt.Errorf("%s: it has no file of kernels, .cl or .ll, of which a variant can be made", h.Kernels)
	}
	return nil
}

// variant returns the variant for a seed. Consecutive seeds use the files in turn.
func (h *Hunt) variant(seed uint64) *program {
	f := &h.kernels[seed%uint64(len(h.kernels))]
	k := variant.New(f.text, f.suffix, seed)
	if k == nil {
		k = variant.New(f.text, f.suffix, 0)
	}
	// The right output is not computed: the build of the original text produces it.
	none := func(context.Context, string, string) ([]byte, error) { return nil, nil }
	of := &language{suffix: f.suffix, proof: "it is a variant of plain." + f.suffix +
		", made so that it must leave what\nthat leaves, compiled in the same way"}
	return &program{language: of, Origin: edge.Of(seed), body: k.Body, text: k.Text, plain: k.Plain,
		holds: anything, hints: f.hints, answer: none, strict: none}
}

// plainOf returns the build of the text from which a variant was made.
func plainOf(b *build) *build { return &build{Name: b.Name + "-plain", Command: b.Command} }

// differs executes a variant and its original text, both from one build, with derived launches. It returns the
// comparison of the first kernel that differs, or nil. The error says that no kernel has a verdict.
func differs(ctx context.Context, dir string, b *build, k *program) (*verdict.Comparison, error) {
	var data [2][]byte
	var names [2]string
	for i, x := range []*build{plainOf(b), b} {
		names[i] = x.Name + ".o"
		var err error
		if data[i], err = os.ReadFile(filepath.Join(dir, names[i])); err != nil {
			return nil, err
		}
	}
	o := &verdict.ObjectsOptions{DiffOptions: verdict.DiffOptions{Jobs: 1, Contract: true}, Check: []string{}}
	o.Hints = k.hints
	all, err := verdict.DiffObjects(ctx, data[0], data[1], names, o)
	if err != nil {
		return nil, err
	}
	none, judged := "", false
	for _, kernel := range all {
		switch v, why := kernel.Verdict(); v {
		case compare.Different:
			return &kernel.Comparison, nil
		case compare.Same:
			judged = true
		default:
			none = why
		}
	}
	if !judged {
		return nil, errors.New("there is no verdict: " + none)
	}
	return nil, nil //nolint:nilnil // there is no difference
}

// runVariant returns the failure of a variant's build, or nil if its output is that of the original text.
func runVariant(ctx context.Context, dir string, b *build, k *program) (*failure, error) {
	res, err := differs(ctx, dir, b, k)
	if res == nil || err != nil {
		return nil, err
	}
	var text strings.Builder
	if err := res.Write(&text); err != nil {
		return nil, err
	}
	f := &failure{Kind: wrong, Signature: res.Difference.Signature(), alike: "variant"}
	if res.Difference.Faulted {
		f.Kind = faults
	}
	first, _, _ := strings.Cut(text.String(), "\n")
	f.Why = "the kernel and its variant do not leave the same: " + first
	return f, nil
}
