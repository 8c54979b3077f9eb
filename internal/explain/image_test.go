package explain

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Every field that explain describes is a field of some generation.
func TestExplainNamesFieldsOfImages(t *testing.T) {
	images, samplers := map[string]bool{}, map[string]bool{}
	for g := range gcn.Gen(gcn.NumGens) {
		for _, f := range isa.TSharpFields[g] {
			images[f.Name] = true
		}
		for _, f := range isa.SSharpFields[g] {
			samplers[f.Name] = true
		}
	}
	for name := range imageMeanings {
		assert.True(t, images[name], name)
	}
	for name := range samplerMeanings {
		assert.True(t, samplers[name], name)
	}
}

func TestExplainTakesEveryTSharpAndSSharp(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 500 {
		g := gcn.Gen(rng.IntN(gcn.NumGens))
		words := make([]uint32, 8)
		for i := range words {
			words[i] = rng.Uint32()
		}
		require.Contains(t, explained(t, "tsharp", g, words...), "DATA_FORMAT")
		require.Contains(t, explained(t, "ssharp", g, words[:4]...), "LOD_BIAS")
	}
}
