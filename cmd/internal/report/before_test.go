package report

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// listing returns the text of a web page with the copy shaders.
func listing(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../internal/r600/testdata/page.txt")
	require.NoError(t, err)
	return string(text)
}

// saved writes a picture to a file and returns its name.
func saved(t *testing.T, picture image.Image) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, picture))
	name := filepath.Join(t.TempDir(), "in.png")
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
	return name
}

// gradient returns a picture whose texels all differ, some of them transparent.
func gradient(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range p.Pix {
		p.Pix[i] = byte(i*7 + i/(4*width)*13)
	}
	return p
}

// The listing on the page copies a picture without changes, and the report says so.
func TestPageCopies(t *testing.T) {
	in, text := gradient(37, 23), listing(t)
	for _, mcpu := range []string{"r600", "RV770"} {
		out := filepath.Join(t.TempDir(), "out.png")
		var said strings.Builder
		_, err := Run(t.Context(), "copy.txt", []byte(text), &Options{MCPU: mcpu, Uses: new(files.Uses),
			Command: request.Command{Args: []string{"out=" + out, "in=" + saved(t, in)}}}, &said)
		require.NoError(t, err, mcpu)
		assert.Contains(t, said.String(), "every texel is that of the source")
		assert.Contains(t, said.String(), "     2       14      851    SAMPLE\n")
		file, err := os.ReadFile(out)
		require.NoError(t, err)
		got, err := png.Decode(bytes.NewReader(file))
		require.NoError(t, err)
		assert.Equal(t, in.Pix, got.(*image.NRGBA).Pix, mcpu)
	}
}

// If a program reads other texels, the report counts the differences.
func TestCopyThatIsNone(t *testing.T) {
	text := strings.Replace(listing(t), "SRC_SEL_Y(SQ_SEL_Y),\u00a0SRC_SEL_Z(SQ_SEL_0)",
		"SRC_SEL_Y(SQ_SEL_0), SRC_SEL_Z(SQ_SEL_0)", 1)
	var said strings.Builder
	_, err := Run(t.Context(), "copy.txt", []byte(text), &Options{MCPU: "r600", Command: request.Command{
		Args: []string{"in=" + saved(t, gradient(4, 3)), "out=" + filepath.Join(t.TempDir(), "o.png")}}}, &said)
	require.NoError(t, err)
	assert.Contains(t, said.String(), "8 texels of 12 not those of the source, the first at 0,1")
}

func TestCopyErrors(t *testing.T) {
	text, in := listing(t), saved(t, gradient(2, 2))
	deep := image.NewNRGBA64(image.Rect(0, 0, 1, 1))
	deep.Set(0, 0, color.NRGBA64{R: 1, A: 2})
	vertex, pixel, _ := strings.Cut(text, "/* copy ps")
	swap := func(old, now string) string { return strings.Replace(text, old, now, 1) }
	for _, c := range []struct {
		text string
		args []string
		want string
		o    Options
	}{
		{text, nil, "--arg: a copy needs two: --arg in=FILE.png", Options{}},
		{text, []string{"in=a.png"}, "--arg: a copy needs two", Options{}},
		{text, []string{"u32=5"}, `--arg: "u32=5" is neither in=FILE.png nor out=FILE.png`, Options{}},
		{text, []string{"in="}, `"in=" is neither`, Options{}},
		{text, []string{"in=a", "in=b"}, "in is given twice", Options{}},
		{text, []string{"in=" + in, "out=" + in}, "is also named by --arg in", Options{}},
		{text, []string{"in=no.png", "out=OUT"}, "no.png", Options{}},
		{text, []string{"in=before_test.go", "out=OUT"}, "before_test.go: png: invalid format", Options{}},
		{text, []string{"in=" + saved(t, deep), "out=OUT"}, "it has 16 bits a component; give a picture of 8", Options{}},
		{text, []string{"in=" + saved(t, image.NewGray(image.Rect(0, 0, 1, 2049))), "out=OUT"},
			"a picture of 1 x 2049 texels; at most 2048 x 2048 are copied", Options{}},
		{text, nil, "--stats: it has no effect on rv770", Options{Stats: true}},
		{text, nil, "--grid: it has no effect on rv770", Options{Command: request.Command{Grid: []string{"1"}}}},
		{"s_nop 0", nil, `copy.txt:1:1: "s_nop" is no word`, Options{}},
		{"", nil, "copy.txt: it has no vertex shader", Options{}},
		{vertex, nil, "copy.txt: it has no pixel shader", Options{}},
		{"/*" + pixel, nil, "copy.txt: it has no vertex shader", Options{}},
		{vertex + vertex, nil, "R600_copy_vs and R600_copy_vs are both vertex shaders", Options{}},
		{swap("SQ_TEX_INST_SAMPLE", "SQ_TEX_INST_LD"), nil, "copy.txt:89: R600_copy_ps: instruction 2 (LD): the instruction is not modelled", Options{}},
		{swap("BUFFER_ID(0)", "BUFFER_ID(1)"), []string{"in=" + in, "out=OUT"}, "copy.txt: R600_copy_vs: instruction 4 (FETCH): there is no buffer 1", Options{}},
		{swap("RESOURCE_ID(0)", "RESOURCE_ID(1)"), []string{"in=" + in, "out=OUT"}, "copy.txt: R600_copy_ps: instruction 2 (SAMPLE): there is no texture 1", Options{}},
	} {
		out := filepath.Join(t.TempDir(), "out.png")
		c.o.MCPU, c.o.Uses = "rv770", new(files.Uses)
		for _, arg := range c.args {
			c.o.Command.Args = append(c.o.Command.Args, strings.Replace(arg, "OUT", out, 1))
		}
		_, err := Run(t.Context(), "copy.txt", []byte(c.text), &c.o, new(strings.Builder))
		assert.ErrorContains(t, err, c.want)
		assert.NoFileExists(t, out)
	}
}
