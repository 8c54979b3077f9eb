package markup

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// named is a type of texts with a name of its own.
type named string

func TestText(t *testing.T) {
	var b Text
	b.Add(`<i title="%s">%v</i>%d %.1f%% %s`, `"><script>`, errors.New("a<b"), uint64(7), 12.34, Raw("<br>"))
	b.If(true, "<p>%s", named("&"))
	b.If(false, "left out")
	assert.Equal(t, `<i title="&#34;&gt;&lt;script&gt;">a&lt;b</i>7 12.3% <br><p>&amp;`, b.String())
}

func TestPage(t *testing.T) {
	var b Text
	b.Begin("a<b", ClosedPolicy, "p { margin: 0 }", "<base>")
	b.End()
	assert.Equal(t, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;">
<meta name="viewport" content="width=device-width">
<title>a&lt;b</title>
<style>
p { margin: 0 }</style>
<base></head>
<body>
</body>
</html>
`, b.String())
}

// FuzzText: for any text, an independent parser finds one element with that text and that attribute.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", `a"b`, "</a>", "<!--", "&amp;", "'", "%s%d", "é\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range s { // characters that XML does not allow
			if r == utf8.RuneError || r < ' ' || r == 0xfffe || r == 0xffff {
				t.Skip()
			}
		}
		var b Text
		b.Add(`<a x="%s">%s</a>`, s, named(s))
		var a struct {
			X string `xml:"x,attr"`
			T string `xml:",chardata"`
			N []struct {
				XMLName xml.Name
			} `xml:",any"`
		}
		d := xml.NewDecoder(strings.NewReader(b.String()))
		assert.NoError(t, d.Decode(&a))
		assert.Equal(t, s, a.X)
		assert.Equal(t, s, a.T)
		assert.Empty(t, a.N)
		_, err := d.Token()
		assert.Error(t, err) // end of the input
	})
}
