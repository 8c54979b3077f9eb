// Package page is the viewer of recorded runs and the page on which one writes programs and
// runs them. [Viewer] puts the viewer with a record into a report; the files of the page are
// [Files].
//
// The sources are TypeScript in page/src; page/dist is what page/build makes of them, so that
// users need neither Node nor packages.
package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/sim/explain"
	"github.com/gcnsim/gcnsim/sim/record"
)

//go:embed dist
var dist embed.FS

// asset returns a file of the bundle.
func asset(name string) []byte {
	b, err := dist.ReadFile("dist/" + name)
	if err != nil {
		panic("page: " + err.Error()) // it is embedded
	}
	return b
}

// Part is what a page of HTML needs to show a record.
type Part struct {
	Policy string        // the Content-Security-Policy that lets it run, and lets nothing reach the network
	Head   template.HTML // for the head: styles
	Body   template.HTML // where the viewer stands: the record and the program
}

// Viewer returns the parts of a page that shows r. Nothing else is needed: the page works
// offline. The error is that of writing the record.
func Viewer(r *record.Record) (*Part, error) {
	var file bytes.Buffer
	if err := r.Write(&file); err != nil {
		return nil, err
	}
	extra, err := json.Marshal(ExtraOf(r)) // escapes what would end the element
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
`, base64.StdEncoding.EncodeToString(file.Bytes()), extra, script)
	return &Part{
		Policy: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'",
		Head:   template.HTML("<style>" + string(asset("viewer.css")) + "</style>"),
		Body:   template.HTML(body.String()),
	}, nil
}

// Extra is what a viewer shows beside a record: what was written for people.
type Extra struct {
	Rules       map[string]Rule   `json:"rules"`       // those that the record cites
	Descriptors map[string]string `json:"descriptors"` // by kind and words, as in "vsharp 00010000 ..."
}

// Rule is a rule of the handbook, its text for a fixed-width font.
type Rule struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Bounds of what is explained.
const (
	maxDescriptors = 64
	ruleColumns    = 88
)

// ExtraOf explains the rules that r cites and the descriptors that its instructions read.
func ExtraOf(r *record.Record) *Extra {
	x := &Extra{Rules: map[string]Rule{}, Descriptors: map[string]string{}}
	ids := slices.Clone(r.Rules)
	for i := range r.Findings {
		ids = append(ids, r.Findings[i].Rule)
	}
	for _, id := range ids {
		if rule, ok := handbook.Lookup(id); ok {
			x.Rules[id] = Rule{rule.Title, rule.Plain(ruleColumns)}
		}
	}
	target, err := gcn.ParseTarget(r.Target)
	if err != nil {
		return x // no wave was recorded
	}
	for i := range r.Windows {
		x.descriptors(&r.Windows[i], target)
	}
	return x
}

// descriptors explains those that the steps of w read.
func (x *Extra) descriptors(w *record.Window, target gcn.Target) {
	for s, err := range w.Steps() {
		if err != nil {
			return
		}
		if s.Inst == nil || s.Resource == 0 {
			continue
		}
		size := 4
		if s.Kind == "tsharp" {
			size = 8
		}
		x.add(s.Kind, target, s.State.S[:], s.Resource-1, size)
		if s.Sampler > 0 {
			x.add("ssharp", target, s.State.S[:], s.Sampler-1, 4)
		}
	}
}

// add explains the descriptor in the n scalar registers from first on.
func (x *Extra) add(kind string, target gcn.Target, scalars []uint32, first, n int) {
	if first+n > len(scalars) || len(x.Descriptors) == maxDescriptors {
		return
	}
	words := scalars[first : first+n]
	key := strings.Builder{}
	key.WriteString(kind)
	for _, v := range words {
		fmt.Fprintf(&key, " %08x", v)
	}
	if _, ok := x.Descriptors[key.String()]; ok {
		return
	}
	if text, err := explain.Words(kind, target, words); err == nil {
		x.Descriptors[key.String()] = cmp.Or(strings.TrimSpace(text.String()), kind)
	}
}
