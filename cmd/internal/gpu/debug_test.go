package gpu

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
)

// debugger reads Run's messages. When a dispatch stops, it executes a debugging session.
type debugger struct {
	t       *testing.T
	told    strings.Builder
	session []ask
	ended   chan bool
}

// ask is a request to the debugger, and a part of the response to wait for.
type ask struct{ command, want string }

var waits = regexp.MustCompile(`waits for a debugger at (\S+)`)

// Write receives one message.
func (d *debugger) Write(b []byte) (int, error) {
	if m := waits.FindSubmatch(b); m != nil {
		conn, err := net.Dial("tcp", string(m[1]))
		require.NoError(d.t, err)
		go d.talk(conn)
	}
	return d.told.Write(b)
}

// talk executes the session.
func (d *debugger) talk(conn net.Conn) {
	defer close(d.ended)
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, r := range d.session {
		text := `{"seq":1,"type":"request","command":` + r.command + `}`
		fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(text), text)
		for answer := ""; !strings.Contains(answer, r.want); {
			n := 0
			if _, err := fmt.Fscanf(in, "Content-Length: %d\r\n\r\n", &n); !assert.NoError(d.t, err, "%v: %s", r, answer) {
				return
			}
			message := make([]byte, n)
			_, _ = io.ReadFull(in, message)
			answer += string(message)
		}
	}
}

// TestDebug stops dispatches of real programs. They continue after the debugger has disconnected.
func TestDebug(t *testing.T) {
	begin := []ask{
		{`"attach","arguments":{"stopOnEntry":true}`, `"event":"initialized"`},
		{`"configurationDone"`, `"reason":"entry"`},
		{`"next","arguments":{"threadId":1,"granularity":"instruction"}`, `"reason":"step"`},
		{`"evaluate","arguments":{"expression":"inst"}`, `"result":"1 (0x1)"`},
	}
	for name, c := range map[string]struct {
		o       Options
		program func(t *testing.T) []string
		more    []ask
		want    Outcome
	}{
		"sum": {Options{Chip: "fiji", Debug: "twice"}, func(t *testing.T) []string { return openCLProgram(t, "sum.py") },
			[]ask{
				{`"continue","arguments":{"threadId":1}`, "all work-groups have ended"},
				{`"stepBack","arguments":{"threadId":625}`, `"reason":"step"`},
				{`"disconnect"`, `"success":true`},
			}, Outcome{}},
		"fault": {Options{Chip: "vega10", Debug: AnyKernel},
			func(t *testing.T) []string { return openCLProgram(t, "fault.py") },
			[]ask{{`"continue","arguments":{"threadId":1}`, "memory fault at pc"}}, Outcome{Status: 1, Faults: 1}},
		"vulkan": {Options{Chip: "tahiti", Debug: AnyKernel}, func(t *testing.T) []string { return vulkan(t, "lds") },
			[]ask{{`"continue","arguments":{"threadId":1}`, "all work-groups have ended"}}, Outcome{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &debugger{t: t, session: append(begin[:4:4], c.more...), ended: make(chan bool)}
			c.o.Listen = "127.0.0.1:0"
			out, err := Run(t.Context(), &c.o, c.program(t), d)
			guesttest.Started(t, err)
			assert.Equal(t, c.want, out)
			if assert.Regexp(t, waits, d.told.String()) {
				<-d.ended
			}
		})
	}
}

// TestDebugOfNothing: there are messages if the kernel is never dispatched, and if other hosts can reach the address.
func TestDebugOfNothing(t *testing.T) {
	needsLinux(t)
	o := Options{Chip: "fiji", Debug: "vadd", Listen: "0.0.0.0:0"}
	_, err := Run(t.Context(), &o, []string{"true"}, io.Discard)
	require.ErrorAs(t, err, new(*request.FlagError))
	o.Listen = "localhost:0"
	_, err = Run(t.Context(), &o, []string{"true"}, io.Discard)
	require.ErrorContains(t, err, "--debug: nothing was dispatched, and so nothing of the name vadd")
}
