package engine

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/page/internal/lessons"
)

// Lesson is a page of a course: a text with a program that runs.
type Lesson struct {
	Name     string   `json:"name"` // of its file
	Title    string   `json:"title"`
	Text     string   `json:"text"` // Markdown, with the title and without what follows
	Scenario Scenario `json:"scenario"`
	Start    int      `json:"start"` // step that is shown first
	Wave     int      `json:"wave"`  // its window of the record
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	WhatIf   []WhatIf `json:"what_if"`
	About
	Exercises []Exercise `json:"exercises"`
	// Picture is a small picture of the step that is shown first, a row of letters a row: a letter is a colour, a dot
	// nothing. A test draws it.
	Picture []string `json:"picture"`
}

// About says where a lesson belongs and what it is for.
type About struct {
	Part    string `json:"part"`    // of the course
	Minutes int    `json:"minutes"` // that one needs for it
	For     string `json:"for"`     // what one can do after it
}

// Exercise asks for a change of the program, or of what it finds.
type Exercise struct {
	Task string `json:"task"`
	Want string `json:"want"` // the condition that a run must fulfil
	// Solution is a change that does; its label is empty and it says why.
	Solution WhatIf `json:"solution"`
}

// WhatIf is a change of a lesson's scenario.
type WhatIf struct {
	Label string `json:"label"`
	// Replace are changes of the program: each old text, which must be there once, by a new one.
	Replace [][2]string `json:"replace,omitempty"`
	// Set are keys of the scenario with new values.
	Set map[string]json.RawMessage `json:"set,omitempty"`
	// Changes say what Set changes, field by field. The page shows them for solutions.
	Changes []string `json:"changes,omitempty"`
	Start   int      `json:"start,omitempty"` // step that is shown first, if it is another one
	Say     string   `json:"say"`             // what to look at then
}

// Lessons returns the lessons in their order. The error says what is wrong with which.
func Lessons() ([]Lesson, error) {
	entries, err := lessons.Files.ReadDir(".")
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
	var list []Lesson
	for _, e := range entries {
		if path.Ext(e.Name()) != ".md" {
			continue
		}
		text, err := lessons.Files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		l, err := parseLesson(strings.TrimSuffix(e.Name(), path.Ext(e.Name())), string(text))
		if err != nil {
			return nil, fmt.Errorf("lesson %s: %w", e.Name(), err)
		}
		l.Picture = pictures[l.Name]
		if !slices.Contains(lessons.Parts, l.Part) {
			return nil, fmt.Errorf("lesson %s: there is no part %q", e.Name(), l.Part)
		}
		list = append(list, *l)
	}
	slices.SortStableFunc(list, func(a, b Lesson) int {
		return slices.Index(lessons.Parts, a.Part) - slices.Index(lessons.Parts, b.Part)
	})
	return list, nil
}

// parseLesson reads a lesson: Markdown whose fenced blocks "scenario", "program", "question",
// "answer", "what-if", "about" and "exercises" hold what their names say.
func parseLesson(name, text string) (*Lesson, error) {
	l := &Lesson{Name: name}
	program := ""
	var prose strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "```")
		prose.WriteString(before)
		if !found {
			break
		}
		head, body, _ := strings.Cut(after, "\n")
		block, next, closed := strings.Cut(body, "```")
		if !closed {
			return nil, fmt.Errorf("a block %q does not end", head)
		}
		rest = next
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
			return nil, fmt.Errorf("block %s: %w", strings.TrimSpace(head), err)
		}
	}
	l.Text = strings.TrimSpace(prose.String()) + "\n"
	l.Scenario.Asm = program
	for i := range l.Exercises {
		s := &l.Exercises[i].Solution
		var err error
		if s.Changes, err = l.Scenario.changes(s.Set); err != nil {
			return nil, fmt.Errorf("exercise %d: %w", i+1, err)
		}
	}
	first, _, _ := strings.Cut(l.Text, "\n")
	l.Title = strings.TrimPrefix(first, "# ")
	return l, nil
}

// strict reads JSON without unknown keys.
func strict(text string, into any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
