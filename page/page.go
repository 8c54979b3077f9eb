// Package page has the viewer of recorded executions, and the page on which users write programs and execute them.
// [Viewer] returns the viewer with a record, for a report. [Files] returns the files of the page.
//
// The sources are TypeScript in page/src. page/build compiles them to page/dist, so that users need neither Node nor
// packages.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

//go:embed dist
var dist embed.FS

//go:embed index.html
var index []byte

// asset returns a file of the embedded bundle.
func asset(name string) []byte {
	b, err := dist.ReadFile("dist/" + name)
	if err != nil {
		panic("page: " + err.Error()) // cannot happen: the file is embedded
	}
	return b
}

// packed returns a file that is embedded as gzip, which keeps the command small.
func packed(name string) []byte {
	z, err := gzip.NewReader(bytes.NewReader(asset(name + ".gz")))
	if err != nil {
		panic("page: " + err.Error()) // cannot happen: page/build has written the file
	}
	b, err := io.ReadAll(z)
	if err != nil {
		panic("page: " + err.Error())
	}
	return b
}

// Part has the parts of an HTML page that shows a record.
type Part struct {
	Policy string // the Content-Security-Policy, which allows the viewer and forbids network access
	Head   string // HTML for the head: styles
	Body   string // HTML for the position of the viewer: the record and the program
}

// Viewer returns the parts of a page that shows a record, the content of a record file. The page works offline. The
// error comes from parsing the file.
func Viewer(file []byte) (*Part, error) {
	r, err := record.Read(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	extra, err := json.Marshal(engine.ExtraOf(r)) // json.Marshal escapes "</", which would end the element
	if err != nil {
		return nil, err
	}
	script := asset("report.js")
	if bytes.Contains(bytes.ToLower(script), []byte("</script")) {
		panic("page: the bundle would end its element")
	}
	hash := sha256.Sum256(script)
	var body bytes.Buffer
	fmt.Fprintf(&body, `<div id="gcnsim-viewer" class="viewer"></div><noscript><p>Stepping through the run needs JavaScript; what follows does not.</p></noscript>
<script type="application/octet-stream" id="gcnsim-record">%s</script>
<script type="application/json" id="gcnsim-extra">%s</script>
<script>%s</script>
`, base64.StdEncoding.EncodeToString(file), extra, script)
	return &Part{
		Policy: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(hash[:]) + "'",
		Head: "<style>" + string(asset("viewer.css")) + "</style>",
		Body: body.String(),
	}, nil
}
