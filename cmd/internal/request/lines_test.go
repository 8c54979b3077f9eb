package request

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// TestExecAnswersEachLineAtOnce sends lines through a pipe and waits for each answer, with more jobs than lines.
func TestExecAnswersEachLineAtOnce(t *testing.T) {
	in, requests := io.Pipe()
	replies, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- (&Lines{Jobs: 4, MaxLine: 1 << 20}).Answer(t.Context(), in, out) }()
	answers := bufio.NewReader(replies)
	for _, id := range []string{"1", `"<a&b>"`, "null"} {
		_, err := io.WriteString(requests, `{"id":`+id+`,"mcpu":"gfx803","words":[]}`+"\n")
		require.NoError(t, err)
		answer, err := answers.ReadString('\n')
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(answer, `{"id":`+id+`,"ok":true`), answer)
	}
	require.NoError(t, requests.Close())
	require.NoError(t, <-done)
}

// all answers lines and returns the answers.
func (l *Lines) all(t *testing.T, text string) []string {
	t.Helper()
	if l.MaxLine == 0 {
		l.MaxLine = 1 << 20
	}
	var out strings.Builder
	require.NoError(t, l.Answer(t.Context(), strings.NewReader(text), &out))
	lines := strings.SplitAfter(out.String(), "\n")
	require.Empty(t, lines[len(lines)-1], "the last line ends")
	require.EqualValues(t, len(lines)-1, l.Answered())
	return lines[:len(lines)-1]
}

func TestExecSkipsLongLines(t *testing.T) {
	for _, length := range []int{50, 51, 70, 1 << 17} {
		for _, end := range []string{"\n", "", "\r\n"} {
			long := `{"id":2,"mcpu":"gfx803","words":[]}`
			long += strings.Repeat(" ", length-len(long))
			text := `{"id":1,"mcpu":"gfx803","words":[]}` + "\n\n" + long + "\n" + `{"id":3,"mcpu":"gfx803","words":[]}` + end
			got := (&Lines{Jobs: 2, MaxLine: 51}).all(t, text)
			require.Len(t, got, 3)
			assert.Contains(t, got[0], `{"id":1,"ok":true`)
			if length > 50 { // including the line break
				assert.Equal(t, `{"ok":false,"error":{"kind":"input","message":"the request: the line is longer than the 51 `+
					`bytes that are read"}}`+"\n", got[1])
			} else {
				assert.Contains(t, got[1], `{"id":2,"ok":true`)
			}
			assert.Contains(t, got[2], `{"id":3,"ok":true`)
		}
	}
	got := (&Lines{Jobs: 1, MaxLine: 4}).all(t, strings.Repeat("x", 100))
	assert.Len(t, got, 1)
}

// TestExecPanicIsOfItsLine: a panic before or during the execution of one request only affects its own answer.
func TestExecPanicIsOfItsLine(t *testing.T) {
	for name, observe := range map[string]func(){"before": func() { panic("boom") }, "in the run": nil} {
		o := &spec.Options{Watch: func(r *spec.Run) []sim.Watcher {
			if r.Target != gcn.GFX900 {
				return nil
			}
			if observe != nil {
				observe()
			}
			return []sim.Watcher{sim.Observer(func(*sim.Event) { panic("boom") })}
		}}
		var text strings.Builder
		for i := range 20 {
			mcpu := "gfx803"
			if i == 7 {
				mcpu = "gfx900"
			}
			fmt.Fprintf(&text, `{"id":%d,"mcpu":%q,"asm":"s_nop 0"}`+"\n", i, mcpu)
		}
		for i, line := range (&Lines{Jobs: 4, Options: o}).all(t, text.String()) {
			var reply struct {
				ID    int
				OK    bool
				Error struct{ Kind, Message string }
			}
			require.NoError(t, json.Unmarshal([]byte(line), &reply), name)
			assert.Equal(t, i, reply.ID, name)
			assert.Equal(t, i != 7, reply.OK, name)
			if i == 7 {
				assert.Equal(t, "internal", reply.Error.Kind, name)
				assert.Contains(t, reply.Error.Message, "boom", name)
			}
		}
	}
}

// limited is a writer that fails after a number of bytes.
type limited struct{ left int }

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

// TestExecStopsWhenNobodyReads: an endless input ends if the answers cannot be written.
func TestExecStopsWhenNobodyReads(t *testing.T) {
	in, requests := io.Pipe()
	go func() {
		for {
			if _, err := io.WriteString(requests, `{"mcpu":"gfx803","words":[]}`+"\n"); err != nil {
				return
			}
		}
	}()
	defer in.Close()
	err := (&Lines{Jobs: 3, MaxLine: 100}).Answer(t.Context(), in, &limited{left: 1000})
	require.EqualError(t, err, "full")
}

// TestExecLargeDump dumps more memory than smallReply.
func TestExecLargeDump(t *testing.T) {
	const size = smallReply + 1
	got := (&Lines{Jobs: 1}).all(t,
		fmt.Sprintf(`{"mcpu":"gfx803","words":[],"mem":[{"addr":16,"hex":"ff","size":%d}],"dump":{"mem":[{"addr":16,`+
			`"size":%d}]}}`, size, size))
	assert.Contains(t, got[0], `"mem":[{"addr":"0x10","hex":"ff`+strings.Repeat("00", size-1)+`"}],"instructions":0`)
}

// FuzzExecLines: with several Jobs there are as many answers as lines, in order, and the same as with one job.
func FuzzExecLines(f *testing.F) {
	kinds := []string{
		``, ` `, `{`, `null`, `{"id":%d}`, `{"id":%d,"mcpu":"gfx803","words":[]}`,
		`{"id":%d,"mcpu":"gfx900","asm":"s_nop 0\ns_trap 2"}`,
		`{"id":%d,"mcpu":"tahiti","asm":"l: s_branch l","max_instructions":5000}`,
		`{"id":%d,"mcpu":"fiji","words":["ffffffff"]}` + "\r",
		`{"id":%d,"mcpu":"fiji","words":[],"mem":[{"addr":0,"size":64}],"dump":{"mem":[{"addr":0,"size":64}]}}`,
		"\x00\xff", strings.Repeat(`{"id":%d,"x":`, 100),
	}
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, uint8(3), "")
	f.Add([]byte{5, 7, 5, 7, 5}, uint8(1), "{\"a\":1}\n\n{}")
	f.Fuzz(func(t *testing.T, choices []byte, jobs uint8, rest string) {
		var text strings.Builder
		for i, c := range choices {
			line := kinds[int(c)%len(kinds)]
			if strings.Contains(line, "%d") {
				line = strings.ReplaceAll(line, "%d", fmt.Sprint(i))
			}
			text.WriteString(line + "\n")
		}
		text.WriteString(rest)
		if strings.Contains(rest, "branch") || strings.Contains(rest, "size") {
			return // it might execute or allocate for too long
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		const maxLine = 1000
		want := 0
		for line := range strings.Lines(text.String()) {
			if strings.TrimSpace(line) != "" || len(line) > maxLine {
				want++
			}
		}
		var one, many bytes.Buffer
		require.NoError(t, (&Lines{Jobs: 1, MaxLine: maxLine}).Answer(ctx, strings.NewReader(text.String()), &one))
		require.NoError(t, (&Lines{Jobs: int(jobs) + 1, MaxLine: maxLine}).Answer(ctx, strings.NewReader(text.String()),
			&many))
		require.Equal(t, one.String(), many.String())
		require.Equal(t, want, strings.Count(one.String(), "\n"))
		for line := range bytes.Lines(one.Bytes()) {
			require.True(t, json.Valid(line), "%s", line)
		}
	})
}
