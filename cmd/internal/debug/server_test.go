package debug

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// client is a client of the server under test.
type client struct {
	t   *testing.T
	in  *bufio.Reader
	out io.WriteCloser
	seq int
}

// serve starts a server that debugs a file and returns its client.
func serve(t *testing.T, o report.Options, how Options) *client {
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(fromClient, toClient, func(program string, _ []string) (*Debugger, error) {
			data, err := os.ReadFile(program)
			if err != nil {
				return nil, err
			}
			return Launch(program, data, nil, &o, how)
		})
		toClient.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		_, _ = io.Copy(io.Discard, fromServer)
		assert.NoError(t, <-done)
	})
	return &client{t, bufio.NewReader(fromServer), toServer, 0}
}

// send sends a request whose arguments are JSON.
func (c *client) send(command, arguments string) {
	c.seq++
	text := fmt.Sprintf(`{"seq":%d,"type":"request","command":"%s","arguments":%s}`, c.seq, command, arguments)
	require.NoError(c.t, dap.WriteBaseMessage(c.out, []byte(text)))
}

// until reads messages until one has the type T.
func until[T dap.Message](c *client) T {
	for {
		m, err := dap.ReadProtocolMessage(c.in)
		require.NoError(c.t, err)
		if want, ok := m.(T); ok {
			return want
		}
		if e, failed := m.(*dap.ErrorResponse); failed {
			require.Fail(c.t, e.Message)
		}
	}
}

// run sends a request that continues execution, and returns where execution stops.
func (c *client) run(command string) string {
	c.send(command, `{"threadId":1,"granularity":"line"}`)
	body := until[*dap.StoppedEvent](c).Body
	c.send("stackTrace", fmt.Sprintf(`{"threadId":%d}`, body.ThreadId))
	f := until[*dap.StackTraceResponse](c).Body.StackFrames[0]
	text, _, _ := strings.Cut(body.Text, " (")
	return strings.TrimSpace(fmt.Sprintf("%s at %d %s", body.Reason, f.Line, text))
}

// value evaluates an expression and returns the first line of its value.
func (c *client) value(expression string) string {
	c.send("evaluate", fmt.Sprintf(`{"expression":%q}`, expression))
	line, _, _ := strings.Cut(until[*dap.EvaluateResponse](c).Body.Result, "\n")
	return line
}

// refused sends a request that must fail, and returns its error.
func (c *client) refused(command, arguments string) string {
	c.send(command, arguments)
	m := until[dap.ResponseMessage](c)
	require.False(c.t, m.GetResponse().Success, "%s %s", command, arguments)
	return m.GetResponse().Message
}

// begin launches a program with breakpoints at lines.
func (c *client) begin(file string, lines ...int) {
	c.send("initialize", `{"adapterID":"x"}`)
	c.send("launch", fmt.Sprintf(`{"program":%q}`, file))
	until[*dap.InitializedEvent](c)
	var all []string
	for _, n := range lines {
		all = append(all, fmt.Sprintf(`{"line":%d}`, n))
	}
	c.send("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[%s]}`, file, strings.Join(all, ",")))
	until[*dap.SetBreakpointsResponse](c)
}

const loop = `v_mov_b32 v1, 1.0
s_mov_b32 s0, 3
again:
  v_add_u32 v2, vcc, v0, v2
  s_sub_u32 s0, s0, 1
  s_cmp_lg_u32 s0, 0
  s_cbranch_scc1 again
  s_mov_b64 exec, 1
  v_mov_b32 v3, 0x1000
  v_mov_b32 v4, 0
  flat_load_dword v5, v[3:4]
  s_endpgm
`

// TestServer steps through a program forward and back, sets values, and ends at a fault.
func TestServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "loop.s")
	require.NoError(t, os.WriteFile(file, []byte(loop), 0o600))
	c := serve(t, report.Options{MCPU: "fiji", Check: []string{"uninit"}}, Options{Checkpoints: 1 << 20})
	assert.Contains(t, c.refused("threads", `{}`), "nothing has been launched")
	assert.Contains(t, c.refused("jump", `{}`), "not supported")
	c.begin(file, 3, 9)
	assert.Equal(t, "breakpoint at 4", c.run("configurationDone"))
	for _, step := range []struct{ command, stop, expression, value string }{
		{"next", "step at 5", "s0", "0x00000003  3"},
		{"next", "step at 6", "s0", "0x00000002  2"},
		{"stepBack", "step at 5", "s0", "0x00000003  3"},
		{"continue", "breakpoint at 4", "s0 == 2 && v1 > 1", "1 (0x1)"},
		{"continue", "breakpoint at 4", "f32(v1[5]) + 0.5", "1.5"},
		{"reverseContinue", "breakpoint at 4", "s0 << 4 | 1", "33 (0x21)"},
		{"reverseContinue", "breakpoint at 4", "lane 7", "7 (0x7)"},
		{"reverseContinue", "entry at 1 here the work-group begins", "v1", "lane 7: 0x00000000  0"},
		{"continue", "breakpoint at 4", "s[0:3] as V#", "V#{base 0x3, stride 0, records 0x0} on gfx8"},
		{"continue", "breakpoint at 4", "explain", "v_add_u32_e32 v2, vcc, v0, v2"},
		{"continue", "breakpoint at 4", "^s0", "18446744073709551614 (0xfffffffffffffffe)"},
		{"continue", "breakpoint at 9", "exec", "1 (0x1)"},
		{"continue", "exception at 11 memory fault at pc 0x28", "*(u32*)pc", ""},
		{"continue", "exception at 11 memory fault at pc 0x28", "inst", "17 (0x11)"},
		{"stepBack", "step at 10", "(s0+7)/2 - 3", "0 (0x0)"},
	} {
		assert.Equal(t, step.stop, c.run(step.command), "%+v", step)
		if step.value != "" {
			assert.Equal(t, step.value, c.value(step.expression))
		}
	}
	for _, bad := range []string{"v300", "s[3:1] as V#", "s200", "v1[64]", "s0 +", "lane 64", "x(1)", "1 % 0", "1/0",
		"lds(70000)", "f(1)(2)", "s[0:4] as T#", "why", "*(u32*)16", "*(f16*)16"} {
		assert.NotEmpty(t, c.refused("evaluate", fmt.Sprintf(`{"expression":%q}`, bad)), bad)
	}
	c.send("scopes", fmt.Sprintf(`{"frameId":%d}`, maxFrames))
	scopes := until[*dap.ScopesResponse](c).Body.Scopes
	set := func(scope int, name, value string) string {
		c.send("setVariable", fmt.Sprintf(`{"variablesReference":%d,"name":%q,"value":%q}`, scopes[scope].VariablesReference,
			name, value))
		return until[*dap.SetVariableResponse](c).Body.Value
	}
	assert.Equal(t, "lane 7: 0x00000000  0  (changed)", set(2, "v4", "7")) // only one lane is active
	assert.Equal(t, "0x00000009  9  (was 0x0)", set(1, "s9", "s0+9"))
	assert.Contains(t, set(0, "vcc", "5"), "5 (0x5)")
	assert.Equal(t, "breakpoint at 9", c.run("stepBack"))
	assert.Equal(t, "0x00000000  0", c.value("s9"))
	assert.Equal(t, "step at 10", c.run("next"))
	assert.Equal(t, "0x00000009  9", c.value("s9"))
	assert.Equal(t, "breakpoint at 4", c.run("restart"))
}

// TestAt: a session starts at an instruction of a wave. Execution also stops there on the way back.
func TestAt(t *testing.T) {
	var at Place
	require.NoError(t, at.Set("1,0,0:1:20"))
	c := serve(t, report.Options{}, Options{At: at, Checkpoints: 1 << 20})
	c.begin(kernels + "reduce.fiji.json")
	for _, command := range []string{"configurationDone", "restart"} {
		assert.Regexp(t, "^breakpoint at ", c.run(command))
		assert.Equal(t, "1 (0x1)", c.value("wave == 1 && inst == 20"))
	}
	c.send("next", `{"threadId":18}`)
	until[*dap.StoppedEvent](c)
	assert.Regexp(t, "^breakpoint at ", c.run("reverseContinue"))
	assert.Equal(t, "1 (0x1)", c.value("wave == 1 && inst == 20"))
}

// TestStops tests conditions, data breakpoints and memory of a request with barriers.
func TestStops(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.json")
	require.NoError(t, os.WriteFile(file, []byte(replaced("s_nop 0")), 0o600))
	c := serve(t, report.Options{}, Options{Checkpoints: 1 << 20})
	c.begin(file)
	ask := func(command, arguments string) {
		c.send(command, arguments)
	}
	source := `{"source":{"name":"program.s","sourceReference":1},"breakpoints":[%s]}`
	ask("setBreakpoints", fmt.Sprintf(source, `{"line":5,"condition":"wave == 2 && s5 == 2"},
		{"line":9,"condition":"wave == 1 && s5 == 2"}`))
	assert.Len(t, until[*dap.SetBreakpointsResponse](c).Body.Breakpoints, 2)
	c.send("configurationDone", `{}`)
	assert.Equal(t, 3, until[*dap.StoppedEvent](c).Body.ThreadId)
	assert.Equal(t, "breakpoint at 9", c.run("continue"))
	assert.Equal(t, "0x00000002  2", c.value("s4"))
	ask("scopes", fmt.Sprintf(`{"frameId":%d}`, 2*maxFrames))
	scopes := until[*dap.ScopesResponse](c).Body.Scopes
	ask("variables", fmt.Sprintf(`{"variablesReference":%d}`, scopes[len(scopes)-1].VariablesReference))
	access := until[*dap.VariablesResponse](c).Body.Variables
	assert.Regexp(t, "^load lds v3: 4 bytes, lane 0 at 0x0, lane 1 at 0x4", access[0].Value)
	assert.Equal(t, "address of lane 0", access[1].Name)
	assert.Equal(t, "v0 0 = 0x0 (rule DS1); bank 0 = address / 4 mod 32 (rule CY10)", access[1].Value)
	assert.Equal(t, "lane 7", access[len(access)-64+7].Name)
	assert.Equal(t, "0x1c", access[len(access)-64+7].Value)
	ask("setBreakpoints", fmt.Sprintf(source, ""))
	ask("dataBreakpointInfo", `{"name":"lds(4)"}`)
	lds := until[*dap.DataBreakpointInfoResponse](c).Body.DataId
	ask("dataBreakpointInfo", `{"name":"v6[1]"}`)
	register := until[*dap.DataBreakpointInfoResponse](c).Body.DataId
	ask("setDataBreakpoints",
		fmt.Sprintf(`{"breakpoints":[{"dataId":%q,"accessType":"read"},{"dataId":%q}]}`, lds, register))
	assert.Equal(t, "data breakpoint at 10", c.run("continue"))
	assert.Equal(t, "data breakpoint at 9", c.run("reverseContinue"))
	ask("disassemble", `{"memoryReference":"0x8","instructionOffset":-1,"instructionCount":3}`)
	code := until[*dap.DisassembleResponse](c).Body.Instructions
	for i, text := range []string{"s_mov_b32 s5, 3", "v_mov_b32_e32 v1, s4", "v_add_u32_e32 v2, vcc, v1, v2"} {
		assert.Equal(t, text, code[i].Instruction)
	}
	ask("writeMemory",
		fmt.Sprintf(`{"memoryReference":"0x1004","data":%q}`, base64.StdEncoding.EncodeToString([]byte{1, 2})))
	ask("readMemory", `{"memoryReference":"0x1000","offset":4,"count":8192}`)
	memory := until[*dap.ReadMemoryResponse](c).Body
	assert.Equal(t, 4100, memory.UnreadableBytes)
	data, err := base64.StdEncoding.DecodeString(memory.Data)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 0, 0}, data[:4])
	ask("setDataBreakpoints", `{"breakpoints":[]}`)
	assert.Equal(t, "pause at 0 all work-groups have ended", c.run("continue"))
	assert.Equal(t, "step at 19", c.run("stepBack"))
	c.send("continue", `{"threadId":1}`)
	until[*dap.StoppedEvent](c)
	c.send("continue", `{"threadId":1}`)
	until[*dap.TerminatedEvent](c)
}

// TestInlined tests frames of inlined functions in an object that is compiled with -g, and a slice.
func TestInlined(t *testing.T) {
	const objects = "../../../internal/sim/codeobj/testdata/"
	command := request.Command{Grid: []string{"128"}, Args: []string{"buffer=512", "random=512:f32", "u32=100"}}
	c := serve(t, report.Options{Command: command}, Options{})
	file, err := filepath.Abs(objects + "lines.cl")
	require.NoError(t, err)
	c.begin(objects+"lines.clang22.fiji.co", 8)
	c.send("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":4}]}`, file))
	c.send("configurationDone", `{}`)
	assert.Equal(t, 1, until[*dap.StoppedEvent](c).Body.ThreadId)
	c.send("stackTrace", `{"threadId":1}`)
	frames := until[*dap.StackTraceResponse](c).Body.StackFrames
	require.Len(t, frames, 3)
	for i, line := range []int{4, 11, 8} {
		assert.Equal(t, line, frames[i].Line)
		assert.Equal(t, file, frames[i].Source.Path)
	}
	assert.Equal(t, "scale", frames[0].Name)
	assert.Equal(t, "0x1630  v_addc_u32_e32 v2, vcc, 0, v2, vcc  (lines.cl:11)", c.value("why v2[5]"))
	assert.Contains(t, c.refused("evaluate", `{"expression":"why v0"}`), "since the wave began")
}

// TestCalls steps over, into and out of a function that begins directly behind its call.
func TestCalls(t *testing.T) {
	file := filepath.Join(t.TempDir(), "call.s")
	text := "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, 16\ns_addc_u32 s1, s1, 0\ns_swappc_b64 s[2:3], s[0:1]\ns_endpgm\n" +
		"f:\nv_mov_b32 v1, v0\ns_setpc_b64 s[2:3]\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	c := serve(t, report.Options{MCPU: "fiji"}, Options{Checkpoints: 1 << 20})
	c.begin(file, 4)
	frames := func() int {
		c.send("stackTrace", `{"threadId":1}`)
		return len(until[*dap.StackTraceResponse](c).Body.StackFrames)
	}
	for _, step := range []struct {
		command, stop string
		frames        int
	}{
		{"configurationDone", "breakpoint at 4", 1}, {"stepIn", "step at 7", 2}, {"stepOut", "step at 5", 1},
		{"stepBack", "breakpoint at 4", 1}, {"next", "step at 5", 1}, {"reverseContinue", "breakpoint at 4", 1},
	} {
		assert.Equal(t, step.stop, c.run(step.command), "%+v", step)
		assert.Equal(t, step.frames, frames(), "%+v", step)
	}
}

// TestPrivate: data breakpoints on private memory and on LDS stop at FLAT accesses to the same memory.
func TestPrivate(t *testing.T) {
	a := &state.Access{Op: gcn.Store, Space: state.Global, Elem: 4, Count: 2, Exec: 7, LDSLanes: 1, ScratchLanes: 2,
		Out: [4]uint64{0, 4}}
	a.Addr[0], a.Addr[1], a.Addr[2] = 0x10, 0x1000, 0x2000
	for _, x := range []struct {
		space state.Space
		addr  uint64
		met   bool
	}{
		{state.LDS, 0x14, true}, {state.LDS, 0x18, false}, {state.Global, 0x10, false}, {state.Global, 0x1004, true},
		{state.Global, 0x2000, true}, {state.Global, 0x2004, false}, {state.GDS, 0x10, false},
	} {
		w := watchpoint{value: &value{space: x.space, addr: x.addr, size: 4}, write: true}
		assert.Equal(t, x.met, w.met(a), "%+v", x)
		w.read, w.write = true, false
		assert.False(t, w.met(a))
	}
}
