// Package lessons has the lessons of the page, one Markdown file each. Directories are parts of the course; within a
// part lessons are sorted by name. Fenced blocks contain data: "about" (JSON of engine.About), "scenario" (JSON of
// engine.Scenario without the program), "program", "start" (the step that is shown first, and the wave's window in
// the record if it is not 0), "question", "answer", "what-if" (a JSON list of changes) and "exercises" (a JSON list
// of engine.Exercise). Rules are cited as "rule A6".
package lessons

import "embed"

// Files are the lessons, and pictures.json with a small picture of each.
//
//go:embed *.md pictures.json
var Files embed.FS

// Parts are the parts of the course, in order.
var Parts = []string{"The wave", "Buffers", "LDS and lanes", "All of memory", "Images", "Beside GCN"}
