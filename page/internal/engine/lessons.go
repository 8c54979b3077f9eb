package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/page/internal/lessons"
)

// Lesson is a page of a course: a text with a program.
type Lesson struct {
	Name     string   `json:"name"` // file name
	Title    string   `json:"title"`
	Text     string   `json:"text"` // Markdown, without the title and the data blocks
	Scenario Scenario `json:"scenario"`
	Start    int      `json:"start"` // the step that is shown first
	Wave     int      `json:"wave"`  // index of its window in the record
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	WhatIf   []WhatIf `json:"what_if"`
	About
	Exercises []Exercise `json:"exercises"`
	// Picture is a small picture of the first shown step. Each string is a row; a letter is a colour, and a dot is
	// empty. A test draws it.
	Picture []string `json:"picture"`
}

// About has the lesson's part of the course and its purpose.
type About struct {
	Part    string `json:"part"`    // part of the course
	Minutes int    `json:"minutes"` // time that a reader needs
	For     string `json:"for"`     // what a reader can do afterwards
	// HideAnswers hides answers, hints and solutions.
	HideAnswers bool `json:"hide_answers,omitempty"`
}

// Exercise asks for a change of the program or of its inputs.
type Exercise struct {
	Task string `json:"task"`
	Want string `json:"want"` // the condition that an execution must fulfil
	Hint string `json:"hint"` // where to look; the second hint is the solution's sentence
	// Solution is a change that fulfils it. Its label is empty, and Say explains it.
	Solution WhatIf `json:"solution"`
}

// WhatIf is a change of a lesson's scenario.
type WhatIf struct {
	Label string `json:"label"`
	// Replace are replacements in the program: an old text, which must occur once, and the new one.
	Replace [][2]string `json:"replace,omitempty"`
	// Set are scenario keys with new values.
	Set map[string]json.RawMessage `json:"set,omitempty"`
	// Changes describe Set, field by field. The page shows them for solutions.
	Changes []string `json:"changes,omitempty"`
	Start   int      `json:"start,omitempty"` // the step that is shown first, if it is a different one
	Say     string   `json:"say"`             // what to look at
}

// Lessons returns the page's lessons in order. The error names the lesson.
func Lessons() ([]Lesson, error) {
	list, err := Course(lessons.Files)
	if err != nil {
		return nil, err
	}
	text, err := lessons.Files.ReadFile("pictures.json")
	if err != nil {
		return nil, err
	}
	pictures := map[string][]string{}
	if err := strict(string(text), &pictures); err != nil {
		return nil, fmt.Errorf("pictures.json: %w", err)
	}
	for i := range list {
		l := &list[i]
		l.Picture = pictures[l.Name]
		if !slices.Contains(lessons.Parts, l.Part) {
			return nil, fmt.Errorf("lesson %s: there is no part %q", l.Name, l.Part)
		}
	}
	slices.SortStableFunc(list, func(a, b Lesson) int {
		return slices.Index(lessons.Parts, a.Part) - slices.Index(lessons.Parts, b.Part)
	})
	return list, nil
}

// LessonError is an error in a lesson's file, with its location.
type LessonError struct {
	File string
	Line int
	Err  error
}

func (e *LessonError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the error without the location.
func (e *LessonError) Unwrap() error { return e.Err }

// Course parses the lessons in a directory, one Markdown file each, sorted by name. An error in one of them is a
// [LessonError].
func Course(dir fs.FS) ([]Lesson, error) {
	names, err := fs.Glob(dir, "*.md")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("there is no lesson in the directory: a lesson is a file NAME.md")
	}
	var list []Lesson
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		l, err := parseLesson(strings.TrimSuffix(name, path.Ext(name)), string(text))
		if at := (*LessonError)(nil); errors.As(err, &at) {
			at.File = name
		}
		if err != nil {
			return nil, err
		}
		list = append(list, *l)
	}
	return list, nil
}

// parseLesson parses a lesson: Markdown with fenced blocks "scenario", "program", "question", "answer", "what-if",
// "about" and "exercises".
func parseLesson(name, text string) (*Lesson, error) {
	l := &Lesson{Name: name}
	program := ""
	var prose strings.Builder
	lines := map[string]int{} // first lines of blocks
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "```")
		prose.WriteString(before)
		if !found {
			break
		}
		head, body, _ := strings.Cut(after, "\n")
		block, next, closed := strings.Cut(body, "```")
		line := 1 + strings.Count(text[:len(text)-len(body)], "\n")
		if !closed {
			return nil, &LessonError{Line: line - 1, Err: fmt.Errorf("the block %q does not end", head)}
		}
		rest = next
		lines[strings.TrimSpace(head)] = line
		var err error
		switch kind := strings.TrimSpace(head); kind {
		case "scenario":
			err = strict(block, &l.Scenario)
		case "program":
			program = block
		case "question":
			l.Question = block
		case "answer":
			l.Answer = block
		case "what-if":
			err = strict(block, &l.WhatIf)
		case "about":
			err = strict(block, &l.About)
		case "exercises":
			err = strict(block, &l.Exercises)
		case "start":
			start, wave, both := strings.Cut(strings.TrimSpace(block), " ")
			if l.Start, err = strconv.Atoi(start); err == nil && both {
				l.Wave, err = strconv.Atoi(wave)
			}
		default:
			fmt.Fprintf(&prose, "```%s\n%s```", head, block)
		}
		if err != nil {
			err = fmt.Errorf("block %s: %w", strings.TrimSpace(head), err)
			return nil, &LessonError{Line: line + linesBefore(block, err), Err: err}
		}
	}
	l.Text = strings.TrimSpace(prose.String()) + "\n"
	l.Scenario.Asm = program
	for i := range l.Exercises {
		if err := l.check(&l.Exercises[i]); err != nil {
			return nil, &LessonError{Line: max(lines["exercises"], lineOf(text, l.Exercises[i].Task)),
				Err: fmt.Errorf("exercise %d: %w", i+1, err)}
		}
	}
	first, _, _ := strings.Cut(l.Text, "\n")
	l.Title = strings.TrimPrefix(first, "# ")
	return l, nil
}

// check completes an exercise of l and returns its error.
func (l *Lesson) check(x *Exercise) (err error) {
	for _, r := range x.Solution.Replace {
		if n := strings.Count(l.Scenario.Asm, r[0]); n != 1 {
			return fmt.Errorf("the program has %q %d times; a solution replaces what is there once", r[0], n)
		}
	}
	if x.Solution.Changes, err = l.Scenario.changes(x.Solution.Set); err != nil {
		return err
	}
	_, err = parseCondition(x.Want)
	return err
}

// lineOf returns the number of the line that contains part, or 0.
func lineOf(text, part string) int {
	before, _, found := strings.Cut(text, part)
	if !found {
		return 0
	}
	return 1 + strings.Count(before, "\n")
}

// linesBefore returns the number of lines before the error in a block of JSON, or 0 if unknown.
func linesBefore(block string, err error) int {
	var at int64
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		at = e.Offset
	} else if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		at = e.Offset
	}
	return strings.Count(block[:min(int(at), len(block))], "\n")
}

// strict parses JSON and refuses unknown keys.
func strict(text string, into any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
