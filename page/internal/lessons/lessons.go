// Package lessons holds the lessons of the page, one Markdown file each. They stand by parts of the course and within
// a part in the order of their names. Fenced blocks say what is not text: "about" (JSON of engine.About), "scenario"
// (JSON of engine.Scenario without the program), "program", "start" (the step that is shown first, and its window of
// the record if that is not 0), "question", "answer", "what-if" (a JSON list of changes) and "exercises" (a JSON list
// of engine.Exercise). Rules are cited as "rule A6".
package lessons

import "embed"

// Files are the lessons, and pictures.json with a small picture of each.
//
//go:embed *.md pictures.json
var Files embed.FS

// Parts are the parts of the course, in their order.
var Parts = []string{"The wave", "Buffers", "LDS and lanes", "All of memory", "Images", "Beside GCN"}
