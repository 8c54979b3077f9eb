// Package markup writes HTML with escaped text. It replaces the part of html/template that reports need, without the
// reflection that makes the linker keep every method of a program.
package markup

import (
	"fmt"
	"html"
	"strings"
)

// Raw is HTML that is inserted without escapes.
type Raw string

// Text is HTML under construction. The zero value is empty.
type Text struct{ b strings.Builder }

// Add adds HTML. format and args are those of [fmt.Sprintf], except that args other than numbers and [Raw] are
// escaped. Escaped text may be used in elements and in quoted attributes.
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

// Begin starts a page, up to its body, with title, Content-Security-Policy, styles, and other HTML for the head.
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

// ClosedPolicy is the Content-Security-Policy of a page without scripts and without network access.
const ClosedPolicy = "default-src 'none'; style-src 'unsafe-inline'"

// If calls Add if a condition holds.
func (t *Text) If(holds bool, format string, args ...any) {
	if holds {
		t.Add(format, args...)
	}
}

// String returns the HTML.
func (t *Text) String() string { return t.b.String() }
