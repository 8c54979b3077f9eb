package engine

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/v1"
)

// Mark is the result of one exercise in a hand-in.
type Mark struct {
	Lesson   string // file name of the lesson
	Exercise int    // from 1
	Solved   bool
	Say      string // the result of the execution beside the required one
}

// handInFormat is the format's name in the file.
const handInFormat = "hand-in 1"

// handIn is a file in which the page has saved a user's solutions.
type handIn struct {
	Format string `json:"gcnsim"`
	// Exercises are keyed by lesson and number: "010-exec/1". The page's own verdict is ignored.
	Exercises map[string]struct {
		Scenario *Scenario `json:"scenario"`
	} `json:"exercises"`
}

// Grade executes the programs in a hand-in and judges them by the exercises of a course; nil means the page's course.
// There is a mark for each exercise of the course.
func Grade(ctx context.Context, course []Lesson, file []byte) (list []Mark, err error) {
	if course == nil {
		if course, err = Lessons(); err != nil {
			return nil, err
		}
	}
	var in handIn
	if err = json.Unmarshal(file, &in); err != nil {
		return nil, fmt.Errorf("this is no hand-in of the page: %w", err)
	}
	if in.Format != handInFormat {
		return nil, fmt.Errorf("this is no hand-in of the page: \"gcnsim\" is %q, not %q", in.Format, handInFormat)
	}
	e := &Engine{}
	for _, l := range course {
		for i, x := range l.Exercises {
			m := Mark{Lesson: l.Name, Exercise: i + 1, Say: "Not handed in."}
			if s := in.Exercises[fmt.Sprintf("%s/%d", l.Name, i+1)].Scenario; s != nil {
				s.Wants = []string{x.Want}
				if m.Solved, m.Say, err = e.mark(ctx, s); err != nil {
					return nil, err
				}
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// mark judges a scenario with one condition. An error of the scenario is returned as text.
func (e *Engine) mark(ctx context.Context, s *Scenario) (solved bool, say string, err error) {
	body, err := json.Marshal(s)
	if err != nil {
		return false, "", err
	}
	answer, err := e.Call(ctx, "run", body)
	if ctx.Err() != nil {
		return false, "", ctx.Err()
	}
	if err != nil {
		return false, title(err.Error()) + ".", nil
	}
	var a struct {
		Verdicts []Verdict `json:"verdicts"`
	}
	if err = json.Unmarshal(answer, &a); err != nil || len(a.Verdicts) == 0 {
		return false, "", err
	}
	return a.Verdicts[0].OK, a.Verdicts[0].Say, nil
}
