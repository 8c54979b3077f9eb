package enum_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

type fruit uint8

func (f fruit) String() string { return enum.Name([]string{"apple", "pear"}, f) }

func TestFull(t *testing.T) {
	assert.NotPanics(t, func() { enum.Full[colour]([]string{"red", "green"}) })
	assert.NotPanics(t, func() { enum.Full([]func(){nil, func() {}}, colour(0)) })
	for want, of := range map[string]func(){
		`internal/tool/enum/table_test\.go:\d+: the table before has no entry for ` +
			`enum_test\.colour\(1\)$`: func() { enum.Full[colour]([]int{1, 0, 2}) },
		`internal/tool/enum/table_test\.go:\d+: the table before has no entry for ` +
			`enum_test\.fruit\(1\), pear$`: func() { enum.Full([]func(){nil, nil}, fruit(0)) },
	} {
		func() {
			defer func() { assert.Regexp(t, want, recover()) }()
			of()
		}()
	}
}
