package engine

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/v1"
)

// Mark says whether a hand-in solves an exercise.
type Mark struct {
	Lesson   string // the name of its file
	Exercise int    // from 1
	Solved   bool
	Say      string // the value of the run beside the wanted one
}

// handInFormat is the name of the format in the file.
const handInFormat = "hand-in 1"

// handIn is a file of the page with what somebody made of exercises.
type handIn struct {
	Format string `json:"gcnsim"`
	// Exercises are by lesson and number, as "010-exec/1". The verdict of the page is not believed.
	Exercises map[string]struct {
		Scenario *Scenario `json:"scenario"`
	} `json:"exercises"`
}

// Grade runs the programs of a hand-in and judges them by the exercises of a course, nil for that of the page. There is
// a mark for each exercise of the course.
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

// mark judges a scenario that wants one condition. What is wrong with the scenario is in the words.
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
