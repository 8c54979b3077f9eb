package asm

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAdviseDefining(t *testing.T) {
	for _, name := range []string{"get_global_id", "_Z13get_global_idj", "_Z7barrierj", "_Z3sinDv4_f",
		"_Z10atomic_addPU3AS1Vii", "__ocml_sin_f32", "_Z9__clc_minjj"} {
		assert.Contains(t, AdviseDefining(name, "link"), "libclc", name)
	}
	for _, name := range []string{"", "sin", "max", "get_value", "atomic_table", "_Z3foov", "_Z99get_global_id", "_Zx",
		"_Z13", "_Z99999999999999999999x", "13get_global_id"} {
		assert.Equal(t, "link", AdviseDefining(name, "link"), name)
	}
}
