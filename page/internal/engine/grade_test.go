package engine_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// A hand-in of solutions solves exactly the exercises that it contains, whatever it claims. The page receives no
// answers of a lesson that hides them.
func TestGrade(t *testing.T) {
	course, err := engine.Lessons()
	require.NoError(t, err)
	type handed struct {
		Scenario engine.Scenario `json:"scenario"`
		Verdict  engine.Verdict  `json:"verdict"`
	}
	exercises := map[string]handed{}
	for k := range course {
		l := &course[k]
		if l.HideAnswers = true; effort.LeavesOut(k) {
			continue
		}
		exercises[l.Name+"/1"] = handed{changed(t, l, l.Exercises[0].Solution), engine.Verdict{}}
		exercises[l.Name+"/2"] = handed{l.Scenario, engine.Verdict{OK: true}}
	}
	file, err := json.Marshal(map[string]any{"gcnsim": "hand-in 1", "exercises": exercises})
	require.NoError(t, err)
	marks, err := engine.Grade(t.Context(), nil, file)
	require.NoError(t, err)
	for _, m := range marks {
		_, in := exercises[fmt.Sprintf("%s/%d", m.Lesson, m.Exercise)]
		assert.Equal(t, in && m.Exercise == 1, m.Solved, "%+v", m)
		assert.Equal(t, !in, m.Say == "Not handed in.", "%+v", m)
	}
	e := &engine.Engine{Course: course}
	answer, err := e.Call(t.Context(), "lessons", nil)
	require.NoError(t, err)
	var seen []engine.Lesson
	require.NoError(t, json.Unmarshal(answer, &seen))
	for _, l := range seen {
		assert.Empty(t, l.Answer)
		assert.Equal(t, engine.WhatIf{}, l.Exercises[0].Solution)
	}
	assert.NotEmpty(t, course[0].Answer)
}
