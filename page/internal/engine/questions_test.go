package engine_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/page/internal/engine"
	"github.com/gcnsim/gcnsim/page/internal/lessons"
)

// TestQuestions: a student who has only read the lessons can answer questions that no lesson asks. Each question
// quotes the sentences with the answer, and an execution confirms it.
func TestQuestions(t *testing.T) {
	type question struct {
		Lesson, Question, Answer, Want string
		Quotes                         []string // sentences from the lesson's file
		Change                         engine.WhatIf
	}
	text, err := os.ReadFile("testdata/questions.json")
	require.NoError(t, err)
	var list []question
	require.NoError(t, json.Unmarshal(text, &list))
	assert.Len(t, list, 24)
	by := lessonsOf(t)
	for _, q := range list {
		l, ok := by[q.Lesson]
		require.True(t, ok, q.Lesson)
		file, err := lessons.Files.ReadFile(path.Clean(q.Lesson + ".md"))
		require.NoError(t, err)
		assert.NotContains(t, string(file), q.Question)
		assert.NotEmpty(t, q.Answer)
		assert.NotEmpty(t, q.Quotes)
		said := strings.Join(strings.Fields(string(file)), " ")
		for _, quote := range q.Quotes {
			assert.Contains(t, said, quote, q.Question)
		}
		s := changed(t, &l, q.Change)
		assert.True(t, judged(t, &s, q.Want), q.Question)
	}
}
