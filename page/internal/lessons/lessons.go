// Package lessons holds the lessons of the page, one Markdown file each, in the order of their
// names. Fenced blocks say what is not text: "scenario" (JSON of engine.Scenario without the
// program), "program", "start" (the step that is shown first), "question", "answer" and
// "what-if" (a JSON list of changes). Rules are cited as "rule A6".
package lessons

import "embed"

// Files are the lessons.
//
//go:embed *.md
var Files embed.FS
