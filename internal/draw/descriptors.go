package draw

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// Chip is the chip whose descriptors are drawn.
type Chip struct {
	Target gcn.Target
	// Tiling returns its tiling registers. Only pictures of T# call it.
	Tiling func() (*tile.Registers, error)
}

// descriptors has the function for each picture of descriptors, by name.
var descriptors = map[string]func(context.Context, *Chip, []uint32) (*svg.Canvas, error){
	"swizzle": func(_ context.Context, chip *Chip, words []uint32) (*svg.Canvas, error) {
		all, err := split(words, 4, "V#", func(w []uint32) gcn.VSharp { return gcn.VSharp(w) })
		if err != nil {
			return nil, err
		}
		return Swizzle(chip.Target.Gen(), all)
	},
	"tiles": func(_ context.Context, chip *Chip, words []uint32) (*svg.Canvas, error) {
		all, err := split(words, 8, "T#", func(w []uint32) gcn.TSharp { return gcn.TSharp(w) })
		if err != nil {
			return nil, err
		}
		regs, err := chip.Tiling()
		if err != nil {
			return nil, err
		}
		return Tiles(regs, all)
	},
	"filter": func(ctx context.Context, chip *Chip, words []uint32) (*svg.Canvas, error) {
		all, err := split(words, 4, "S#", func(w []uint32) gcn.SSharp { return gcn.SSharp(w) })
		if err != nil {
			return nil, err
		}
		return Filter(ctx, chip.Target, all)
	},
	"formats": func(_ context.Context, chip *Chip, words []uint32) (*svg.Canvas, error) {
		all, err := elements(chip.Target.Gen(), words)
		if err != nil {
			return nil, err
		}
		return Formats(all)
	},
}

// DescriptorNames returns the sorted names of the pictures of descriptors.
func DescriptorNames() []string { return slices.Sorted(maps.Keys(descriptors)) }

// Descriptors draws the picture with that name, one of [DescriptorNames], of the descriptors in words. The error says
// which of the words is wrong.
func Descriptors(ctx context.Context, name string, chip *Chip, words []uint32) (*svg.Canvas, error) {
	return descriptors[name](ctx, chip, words)
}

// elements returns the formats of one V#, or of one or more T#.
func elements(g gcn.Gen, words []uint32) ([]Element, error) {
	if len(words) == 4 {
		e, err := OfBuffer(gcn.VSharp(words))
		return []Element{e}, err
	}
	images, err := split(words, 8, "T#, or 4 for one V#", func(w []uint32) gcn.TSharp { return gcn.TSharp(w) })
	if err != nil {
		return nil, err
	}
	var all []Element
	for _, t := range images {
		e, err := OfImage(g, t)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// split divides words into descriptors of n words each. It is an error if words are left over.
func split[T any](words []uint32, n int, name string, of func([]uint32) T) ([]T, error) {
	if len(words) == 0 || len(words)%n != 0 {
		return nil, fmt.Errorf("%s: give %d words for each %s", plural.Of(len(words), "word"), n, name)
	}
	var all []T
	for chunk := range slices.Chunk(words, n) {
		all = append(all, of(chunk))
	}
	return all, nil
}
