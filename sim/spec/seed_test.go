package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/sim/spec"
)

// statement is a row of the tables of docs/SEED.md that list every statement of the documents.
type statement struct{ text, verdict, program, leaves string }

// seedPage parses docs/SEED.md: the statements, and the subjects of the table of departures.
func seedPage(t *testing.T) (all []statement, subjects map[string]bool) {
	t.Helper()
	page, err := os.ReadFile("../../docs/SEED.md")
	require.NoError(t, err)
	subjects = map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case len(cells) == 7:
			subjects[cells[1]] = true
		case len(cells) == 6 && cells[1] != "statement" && !strings.HasPrefix(cells[1], "-"):
			all = append(all, statement{cells[1], cells[2], cells[3], cells[4]})
		}
	}
	return all, subjects
}

// seedAnswers executes docs/seed.jsonl and returns the answers by id.
func seedAnswers(t *testing.T) map[string][]byte {
	t.Helper()
	requests, err := os.ReadFile("../../docs/seed.jsonl")
	require.NoError(t, err)
	answers := map[string][]byte{}
	for line := range bytes.Lines(requests) {
		answer, err := json.Marshal(spec.Answer(t.Context(), line, nil))
		require.NoError(t, err)
		var of struct {
			ID string `json:"id"`
		}
		require.NoError(t, json.Unmarshal(answer, &of))
		require.NotContains(t, answers, of.ID, "a second program of the name")
		answers[of.ID] = answer
	}
	return answers
}

// TestEveryStatementHasAProgram: each row of docs/SEED.md names an existing program, its results are those in the
// row, and each request has a row.
func TestEveryStatementHasAProgram(t *testing.T) {
	all, subjects := seedPage(t)
	require.Greater(t, len(all), 180)
	answers := seedAnswers(t)
	programs := regexp.MustCompile("^`([^` ]+)(?: ([^` ]+))?`$")
	for _, s := range all {
		assert.NotEmpty(t, s.verdict, s.text)
		assert.NotRegexp(t, "missing|registers only", s.verdict, s.text)
		if subject, ok := strings.CutPrefix(s.program, "row "); ok {
			assert.True(t, subjects[subject], "%s: there is no row %q", s.text, subject)
			continue
		}
		program := programs.FindStringSubmatch(s.program)
		switch {
		case s.program == "":
			assert.Regexp(t, "^(background|open|not executed)", s.verdict, "%s has no program", s.text)
		case !assert.NotNil(t, program, "%s: %s", s.text, s.program):
		case program[1] == "script":
			assert.FileExists(t, "../../cmd/gcnsim/testdata/script/"+program[2]+".txtar", s.text)
		case program[2] != "":
			assert.True(t, hasTest(t, program[1], program[2]), "%s: %s has no %s", s.text, program[1], program[2])
		case assert.Contains(t, answers, program[1], s.text):
			checkAnswer(t, answers[program[1]], &s)
			delete(answers, program[1])
		}
	}
	assert.Empty(t, answers, "programs without a row")
}

// hasTest reports whether a package has a test of that name.
func hasTest(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", pkg, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if bytes.Contains(text, []byte("\nfunc "+name+"(t *testing.T)")) {
			return true
		}
	}
	return false
}

// checkAnswer compares an answer with the results in s: registers, as in "s20 = 0x1, s21 = 0x2", or a part of a
// message.
func checkAnswer(t *testing.T, answer []byte, s *statement) {
	t.Helper()
	type dumped struct {
		SGPR map[string][]string `json:"sgpr"`
	}
	var got struct {
		dumped
		OK    bool     `json:"ok"`
		Waves []dumped `json:"waves"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	require.NoError(t, json.Unmarshal(answer, &got))
	if message, ok := strings.CutPrefix(s.leaves, "`"); ok {
		assert.False(t, got.OK, s.text)
		assert.Contains(t, got.Error.Message, strings.TrimSuffix(message, "`"), s.text)
		return
	}
	require.True(t, got.OK, "%s: %s", s.text, got.Error.Message)
	if len(got.Waves) > 0 {
		got.dumped = got.Waves[0]
	}
	var leaves []string
	for first, values := range got.SGPR {
		n, err := strconv.Atoi(first)
		require.NoError(t, err)
		for i, v := range values {
			bits, err := strconv.ParseUint(v, 0, 32)
			require.NoError(t, err)
			leaves = append(leaves, fmt.Sprintf("s%d = 0x%x", n+i, bits))
		}
	}
	assert.Equal(t, s.leaves, strings.Join(leaves, ", "), s.text)
}
