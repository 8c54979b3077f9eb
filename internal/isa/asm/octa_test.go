package asm

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInteger128 compares integers of 128 bits with the integers of math/big.
func TestInteger128(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	limit := new(big.Int).Lsh(big.NewInt(1), 128)
	texts := []string{"", "0", "0x", "0b", "00", "08", "0b2", "1_0", "0xg", "-1", "x"}
	for range 2000 {
		n := new(big.Int).SetBits([]big.Word{big.Word(r.Uint64()), big.Word(r.Uint64()), big.Word(r.Uint64())})
		n.Rsh(n, uint(60+r.IntN(132)))
		base := []int{2, 8, 10, 16}[r.IntN(4)]
		texts = append(texts, map[int]string{2: "0b", 8: "0", 10: "", 16: "0x"}[base]+n.Text(base))
	}
	for _, edge := range []int64{-1, 0, 1} {
		texts = append(texts, new(big.Int).Add(limit, big.NewInt(edge)).String())
	}
	for _, text := range texts {
		want, ok := new(big.Int).SetString(text, 0)
		ok = ok && want.Sign() >= 0 && want.Cmp(limit) < 0 && !strings.ContainsAny(text, "_-")
		hi, lo, got := integer128(text)
		require.Equal(t, ok, got, text)
		if ok {
			value := new(big.Int).SetUint64(hi)
			require.Zero(t, want.Cmp(value.Lsh(value, 64).Or(value, new(big.Int).SetUint64(lo))), text)
		}
	}
}
