package near

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFinder(t *testing.T) {
	for name, want := range map[string]string{
		"grids": "grid", "gird": "grid", "GRID": "grid", "grid": "grid", "arg": "args", "wrods": "words",
		"krnel": "kernel", "krnal": "",
		"workgrop_sise": "workgroup_size", "v_div_f32": "", "v_sni_f32": "v_sin_f32", "v_sn_f3": "v_sin_f32",
		"zzzzz": "", "grd_": "", "size": "workgroup_size", "a": "", "": "",
	} {
		f := To(name)
		for _, known := range []string{"grid", "words", "args", "kernel", "workgroup_size", "v_sin_f32"} {
			f.Try(known)
		}
		assert.Equal(t, want, f.Name(), name)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"ab", "ba", 1}, {"abc", "ca", 3}, {"kitten", "sitting", 3},
		{"v_nop", "v_foo", 2},
	} {
		assert.Equal(t, c.want, distance(c.a, c.b, 9), "%s %s", c.a, c.b)
	}
}
