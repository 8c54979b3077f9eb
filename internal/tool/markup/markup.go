// Package markup writes HTML whose texts are escaped. It has the part of html/template that reports need, without the
// reflection that makes the linker keep every method of a program.
package markup

import (
	"fmt"
	"html"
	"strings"
)

// Raw is HTML that is put in as it is.
type Raw string

// Text is HTML that is being written. The zero value is empty.
type Text struct{ b strings.Builder }

// Add adds a piece of HTML. format and args are as for [fmt.Sprintf]; but args that are neither numbers nor of type
// [Raw] become escaped texts, which may stand in elements and in quoted attributes.
func (t *Text) Add(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case int, int64, uint32, uint64, float64:
		case Raw:
			args[i] = string(a)
		default:
			args[i] = html.EscapeString(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(&t.b, format, args...)
}

// Begin begins a page, up to its body: its title, its Content-Security-Policy, its styles, and what else its head has.
func (t *Text) Begin(title, policy string, style, head Raw) {
	t.Add(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width">
<title>%s</title>
<style>
%s</style>
%s</head>
<body>
`, policy, title, style, head)
}

// End ends a page.
func (t *Text) End() { t.Add("</body>\n</html>\n") }

// ClosedPolicy is the Content-Security-Policy of a page that runs nothing and reaches nothing.
const ClosedPolicy = "default-src 'none'; style-src 'unsafe-inline'"

// If adds a piece of HTML as Add does if a condition holds.
func (t *Text) If(holds bool, format string, args ...any) {
	if holds {
		t.Add(format, args...)
	}
}

// String returns the HTML.
func (t *Text) String() string { return t.b.String() }
