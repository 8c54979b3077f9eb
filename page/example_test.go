package page_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/record"
)

// A custom page that contains the viewer with a record.
func ExampleViewer() {
	m, rec := sim.New(gcn.GFX803), record.New(record.Options{})
	if err := m.Watch(rec); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := m.RunAsm(context.Background(), m.NewWave(), "v_mov_b32 v1, 1\ns_endpgm"); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := rec.Write(&file); err != nil {
		fmt.Println(err)
		return
	}
	part, err := page.Viewer(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	out := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="%s">%s`+
		"<h1>My run</h1>%s", part.Policy, part.Head, part.Body)
	fmt.Println("the viewer works offline:", !strings.Contains(out, "src="))
	// Output:
	// the viewer works offline: true
}
