// Package handbook contains the rules of GCN memory that the simulator follows, written for people: the behaviour of
// the hardware, the generations, the sources, and how certain each rule is.
//
// The chapters are Markdown files of this directory. A rule is a section of the form
//
//	### A6 Address sum {#A6}
//	*GCN 1.0-1.4.1. Sources: CLRX GcnMemHandling; LLVM. Sure: stated.*
//
//	The text, until the next heading.
//
// The identifier is one to three capital letters and a number. The line in italics names the generations ("GCN
// 1.0-1.2, 1.4, RDNA"), the sources separated by semicolons ("none" if the rule is a choice of this project), and the
// certainty of the rule: "stated", "two agree", "one source", "inferred" or "open". "Background." at its end marks a
// rule that no code cites.
//
// Code, tests and messages cite a rule as "rule A6", several rules as "rules A4, A5 and C1" or "rules A1 to A4". A
// test of the module fails if a cited identifier does not exist here, or if a rule is neither cited nor background.
// Messages to users add the title, as [Rule.Cite] does: "rule A6: Address sum".
package handbook

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:generate go test -run TestConstants -rewrite
//go:generate go test -run TestPictures -rewrite

//go:embed *.md
var files embed.FS

// Pictures are the drawings in the chapters, under the names that the chapters' links have.
//
//go:embed *.svg
var Pictures embed.FS

// The degrees of certainty, from the highest to the lowest.
const (
	stated   = "stated"     // a hardware document states it
	agreed   = "two agree"  // two implementations that share no code do it
	single   = "one source" // one implementation does it, or a document of a later generation states it
	inferred = "inferred"   // it follows from other rules, or is the simplest choice
	open     = "open"       // sources contradict each other or do not mention it
)

var certainties = []string{stated, agreed, single, inferred, open}

// Rule is one rule.
type Rule struct {
	ID, Title  string
	Chapter    string   // name of its chapter
	Gens       string   // the generations to which it applies, for example "GCN 1.0-1.4.1"
	Sources    []string // public names; nil if the rule is a choice of this project
	Sure       string   // certainty, for example "stated"
	Background bool     // no code cites it
	Text       string   // text in Markdown
}

// Cite returns the text with which messages cite the rule: "rule A6: Address sum".
func (r Rule) Cite() string { return "rule " + r.ID + ": " + r.Title }

// Chapter is one file of the handbook.
type Chapter struct {
	Name  string // for example "buffers"
	Title string
	Text  string // the whole chapter in Markdown
	Rules []Rule // rules in the order of the text
}

// book parses the handbook at the first call.
var book = sync.OnceValue(func() []Chapter {
	chapters, err := parse(files)
	if err != nil {
		panic("handbook: " + err.Error())
	}
	return chapters
})

var byID = sync.OnceValue(func() map[string]Rule {
	m := make(map[string]Rule)
	for _, r := range Rules() {
		m[r.ID] = r
	}
	return m
})

// Chapters returns the chapters in reading order. Callers must not change them.
func Chapters() []Chapter { return book() }

// Rules returns all rules in reading order.
func Rules() []Rule {
	var all []Rule
	for _, c := range book() {
		all = append(all, c.Rules...)
	}
	return all
}

// Lookup returns the rule with an identifier such as "A6". It ignores case.
func Lookup(id string) (Rule, bool) {
	r, ok := byID()[strings.ToUpper(id)]
	return r, ok
}

// order is the reading order of the chapters.
var order = []string{
	"state", "float", "buffers", "data", "flat", "lds", "scalar", "images", "tiling", "sampling",
	"hazards", "time", "rdna", "r600", "features", "sources",
}

// parse parses the chapters in dir.
func parse(dir fs.FS) ([]Chapter, error) {
	names, err := fs.Glob(dir, "*.md")
	if err != nil {
		return nil, err
	}
	var chapters []Chapter
	seen := make(map[string]string) // maps an identifier to its chapter
	for _, file := range names {
		text, err := fs.ReadFile(dir, file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(file, ".md")
		if !slices.Contains(order, name) {
			return nil, fmt.Errorf("%s: the chapter has no place in the reading order", file)
		}
		c, err := parseChapter(name, string(text))
		if err != nil {
			return nil, err
		}
		for _, r := range c.Rules {
			if other, ok := seen[r.ID]; ok {
				return nil, fmt.Errorf("%s: rule %s is in %s.md too", file, r.ID, other)
			}
			seen[r.ID] = name
		}
		chapters = append(chapters, c)
	}
	slices.SortStableFunc(chapters, func(a, b Chapter) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	return chapters, nil
}

// parseChapter parses the rules of a chapter.
func parseChapter(name, text string) (Chapter, error) {
	c := Chapter{Name: name, Text: text}
	title, _, _ := strings.Cut(text, "\n")
	var ok bool
	if c.Title, ok = strings.CutPrefix(title, "# "); !ok {
		return c, fmt.Errorf("%s.md: the first line is no title (# ...)", name)
	}
	for i, section := range strings.Split(text, "\n#") {
		if i == 0 {
			continue
		}
		heading, body, _ := strings.Cut(section, "\n")
		heading, ok = strings.CutPrefix(heading, "## ")
		if !ok {
			continue // a heading that is not of the third level groups rules
		}
		r, err := parseRule(heading, body)
		if err != nil {
			return c, fmt.Errorf("%s.md: %q: %w", name, heading, err)
		}
		r.Chapter = name
		c.Rules = append(c.Rules, r)
	}
	return c, nil
}

// parseRule parses a rule from its heading without the marks, and from the text below it.
func parseRule(heading, body string) (Rule, error) {
	id, title, _ := strings.Cut(heading, " ")
	title, formed := strings.CutSuffix(title, " {#"+id+"}")
	if _, _, after := leading(id + "."); !formed || after != "." || title == "" || strings.TrimSpace(title) != title {
		return Rule{}, fmt.Errorf("the heading is not of the form: ID Title {#ID}")
	}
	line, text, _ := strings.Cut(body, "\n")
	gens, facts, hasSources := strings.Cut(line, ". Sources: ")
	sources, sure, hasSure := strings.Cut(facts, ". Sure: ")
	gens, begins := strings.CutPrefix(gens, "*")
	sure, ends := strings.CutSuffix(sure, ".*")
	if !hasSources || !hasSure || !begins || !ends {
		return Rule{}, fmt.Errorf("the line below is not of the form: *GCN 1.0. Sources: A; B. Sure: stated.*")
	}
	r := Rule{ID: id, Title: title, Gens: gens, Text: strings.TrimSpace(text)}
	r.Sure, r.Background = strings.CutSuffix(sure, ". Background")
	if sources != "none" {
		r.Sources = strings.Split(sources, "; ")
	}
	switch {
	case !areGens(r.Gens):
		return r, fmt.Errorf("%q are no generations", r.Gens)
	case !slices.Contains(certainties, r.Sure):
		return r, fmt.Errorf("%q is no degree of certainty", r.Sure)
	case r.Sources == nil && r.Sure != inferred && r.Sure != open:
		return r, fmt.Errorf("a rule without sources is inferred or open")
	case r.Text == "":
		return r, fmt.Errorf("the rule has no text")
	}
	return r, nil
}

// areGens reports whether text is a list of generations such as "GCN 1.0-1.2, 1.4.1, RDNA", "RDNA" or "R600-R700".
func areGens(text string) bool {
	list, gcn := strings.CutPrefix(strings.TrimSuffix(text, ", RDNA"), "GCN ")
	if !gcn {
		return text == "RDNA" || text == "R600-R700"
	}
	known := []string{"1.0", "1.1", "1.2", "1.4", "1.4.1"}
	for gens := range strings.SplitSeq(list, ", ") {
		from, to, isRange := strings.Cut(gens, "-")
		if !slices.Contains(known, from) || isRange && !slices.Contains(known, to) {
			return false
		}
	}
	return true
}
