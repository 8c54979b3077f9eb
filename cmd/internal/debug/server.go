package debug

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"
	"github.com/google/go-dap"

	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/internal/tool/demangle"
	"github.com/gcnsim/gcnsim/state"
)

// Launcher returns a debugger at the first instruction of a program. program and args come from a launch request, and
// both may be empty. args are arguments of the command gcnsim debug.
type Launcher func(program string, args []string) (*Debugger, error)

// launchArguments are the arguments of a launch request.
type launchArguments struct {
	Program     string   `json:"program"`
	Args        []string `json:"args"`
	StopOnEntry bool     `json:"stopOnEntry"`
	NoDebug     bool     `json:"noDebug"`
}

// opened has the variables of one variables reference.
type opened struct {
	make func() []variable
	wave int
}

// server answers the requests of one client.
type server struct {
	*Debugger
	launcher Launcher
	out      io.Writer
	err      error // error of the last write
	seq      int
	requests chan received
	launched launchArguments
	then     func() // called after the response has been sent; may be nil
	moving   func() // continues execution until it stops; nil if nothing executes
	left     bool   // the client has disconnected
	opened   []opened
}

// received is a request, or an error in reading it. Without a request, err is the reason why no more requests follow.
type received struct {
	dap.RequestMessage
	err error
}

// Serve answers the requests of one client until the client disconnects or in ends.
func Serve(in io.Reader, out io.Writer, launcher Launcher) error {
	s := &server{launcher: launcher, out: out, requests: make(chan received, 1024)}
	go receive(bufio.NewReader(in), s.requests)
	defer func() {
		if s.Debugger != nil {
			s.Close()
		}
	}()
	for !s.left && s.err == nil {
		if s.moving != nil && len(s.requests) == 0 {
			s.moving()
			continue
		}
		r := <-s.requests
		if r.RequestMessage == nil {
			return r.err
		}
		s.handle(r)
	}
	return s.err
}

// receive reads requests and sends them to a channel until there are no more.
func receive(in *bufio.Reader, to chan<- received) {
	for {
		m, err := dap.ReadProtocolMessage(in)
		r, ok := m.(dap.RequestMessage)
		unknown, bad := errors.AsType[*dap.DecodeProtocolMessageFieldError](err)
		switch {
		case bad:
			r = &dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: unknown.Seq}, Command: unknown.FieldValue}
		case errors.Is(err, io.EOF):
			to <- received{}
			return
		case !ok && err != nil:
			to <- received{nil, fmt.Errorf("the client does not speak the Debug Adapter Protocol: %w", err)}
			return
		case !ok:
			continue
		}
		to <- received{r, err}
	}
}

// send writes a message with the next sequence number.
func (s *server) send(m dap.Message, number *int) {
	s.seq++
	*number = s.seq
	if err := dap.WriteProtocolMessage(s.out, m); err != nil && s.err == nil {
		s.err = err
	}
}

// event sends an event.
func (s *server) event(name string, body any) {
	e := &struct {
		dap.Event
		Body any `json:"body,omitempty"`
	}{Body: body}
	e.Type, e.Event.Event = "event", name
	s.send(e, &e.Seq)
}

// handle answers one request.
func (s *server) handle(r received) {
	q := r.GetRequest()
	answer := &struct {
		dap.Response
		Body any `json:"body,omitempty"`
	}{}
	answer.Type, answer.RequestSeq, answer.Command = "response", q.Seq, q.Command
	s.then = nil
	err := r.err
	if err == nil {
		answer.Body, err = s.answer(r.RequestMessage)
	}
	if answer.Success = err == nil; err != nil {
		answer.Message, s.then = err.Error(), nil
		answer.Body = dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: "{text}",
			Variables: map[string]string{"text": err.Error()}, ShowUser: true}}
	}
	s.send(answer, &answer.Seq)
	if s.then != nil {
		s.then()
	}
}

// errNotLaunched is the error of requests that need a program before the launch request.
var errNotLaunched = errors.New("nothing has been launched")

// answer returns the body of the response to a request.
func (s *server) answer(r dap.RequestMessage) (body any, err error) {
	switch r := r.(type) {
	case *dap.InitializeRequest:
		return capabilities(), nil
	case *dap.LaunchRequest:
		return nil, s.launchProgram(r.Arguments)
	case *dap.AttachRequest: // attach to a waiting dispatch
		return nil, s.launchProgram(r.Arguments)
	case *dap.DisconnectRequest:
		s.left = true
		return nil, nil
	case *dap.TerminateRequest:
		s.then = s.terminate
		return nil, nil
	}
	if s.Debugger == nil {
		return nil, errNotLaunched
	}
	return s.answerMoving(r)
}

// capabilities lists the optional requests that the server supports.
func capabilities() dap.Capabilities {
	return dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsConditionalBreakpoints: true, SupportsEvaluateForHovers: true,
		SupportsStepBack: true, SupportsSetVariable: true, SupportsRestartRequest: true, SupportsExceptionInfoRequest: true,
		SupportsTerminateRequest: true, SupportsDataBreakpoints: true, SupportsReadMemoryRequest: true,
		SupportsWriteMemoryRequest: true, SupportsDisassembleRequest: true, SupportsSteppingGranularity: true,
		SupportsInstructionBreakpoints: true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{
			{Filter: "fault", Label: "Faults", Default: true, Description: "they end a run, so that execution always stops there"},
			{Filter: "finding", Label: "Findings of --check", Default: true},
			{Filter: "trap", Label: "Entries of the trap handler"},
		},
	}
}

// launchProgram handles a launch request.
func (s *server) launchProgram(arguments []byte) (err error) {
	if err := json.Unmarshal(arguments, &s.launched); err != nil {
		return fmt.Errorf("the arguments of launch: %w", err)
	}
	if s.Debugger != nil {
		return errors.New("a program has been launched already")
	}
	d, err := s.launcher(s.launched.Program, s.launched.Args)
	if err != nil {
		return err
	}
	d.sources, d.findingsStop = map[string]map[uint64][]*breakpoint{}, true
	d.paused = func() bool { return len(s.requests) > 0 }
	s.Debugger = d
	s.then = func() { s.event("initialized", nil) }
	return nil
}

// begin starts execution, or reports a stop at the entry, after the client has set breakpoints.
func (s *server) begin() {
	switch {
	case s.launched.StopOnEntry && !s.At.given:
		s.stopped = stop{reason: "entry"}
		s.stop()
	case !s.launched.NoDebug && s.atBreakpoint():
		s.stop()
	default:
		s.move(func() { s.forward(nil) })
	}
}

// move makes run the function that continues execution. Requests that arrive meanwhile are answered first.
func (s *server) move(run func()) {
	s.remember()
	s.moving = func() {
		run()
		if s.interrupted {
			return
		}
		if s.launched.NoDebug && s.Finished() {
			s.terminate()
			return
		}
		s.stop()
	}
}

// stop tells the client where execution stopped, and why.
func (s *server) stop() {
	s.moving, s.opened = nil, nil
	if s.group == nil {
		s.terminate()
		return
	}
	w := s.wave
	if w == nil {
		w = s.group.Waves()[0]
	}
	s.event("stopped", dap.StoppedEventBody{Reason: s.stopped.reason, Description: s.stopped.text,
		Text: s.stopped.text, ThreadId: s.threadOf(w), AllThreadsStopped: true, HitBreakpointIds: s.stopped.ids})
}

// terminate tells the client that the program has ended.
func (s *server) terminate() {
	s.moving = nil
	s.event("terminated", nil)
	s.event("exited", dap.ExitedEventBody{})
}

// threadOf returns the thread id of a wave of the work-group.
func (s *server) threadOf(w *state.Wave) int {
	n, _ := s.group.Number()
	return int(n)*maxWaves + w.ID + 1
}

// maxWaves is the maximum number of waves of a work-group. maxFrames is the maximum number of frames of a stack.
const maxWaves, maxFrames = 16, 64

// waveOf returns the wave of a thread id.
func (s *server) waveOf(thread int) (*state.Wave, error) {
	for _, w := range s.group.Waves() {
		if s.threadOf(w) == thread {
			return w, nil
		}
	}
	return nil, fmt.Errorf("there is no wave %d in the work-group", thread)
}

// goOn continues execution after the response is sent, until done returns true. done may be nil.
func (s *server) goOn(done func() bool, back bool) {
	switch {
	case back:
		s.then = func() { s.move(func() { s.back(done) }) }
	case s.Finished():
		s.then = s.terminate
	default:
		s.then = func() { s.move(func() { s.forward(done) }) }
	}
}

// step continues execution until a step of a thread ends.
func (s *server) step(thread, how int, by dap.SteppingGranularity, back bool) error {
	w, err := s.waveOf(thread)
	if err == nil {
		s.goOn(s.stepEnds(w.ID, how, by == "instruction"), back)
	}
	return err
}

// answerMoving answers requests that continue or stop execution.
func (s *server) answerMoving(r dap.RequestMessage) (body any, err error) {
	switch r := r.(type) {
	case *dap.ConfigurationDoneRequest:
		s.then = s.begin
	case *dap.ContinueRequest:
		s.goOn(nil, false)
		body = dap.ContinueResponseBody{AllThreadsContinued: true}
	case *dap.ReverseContinueRequest:
		s.goOn(nil, true)
	case *dap.NextRequest:
		err = s.step(r.Arguments.ThreadId, over, r.Arguments.Granularity, false)
	case *dap.StepInRequest:
		err = s.step(r.Arguments.ThreadId, into, r.Arguments.Granularity, false)
	case *dap.StepOutRequest:
		err = s.step(r.Arguments.ThreadId, out, r.Arguments.Granularity, false)
	case *dap.StepBackRequest:
		err = s.step(r.Arguments.ThreadId, over, r.Arguments.Granularity, true)
	case *dap.PauseRequest:
		s.stopped = stop{reason: "pause"}
		s.then = s.stop
	case *dap.RestartRequest:
		s.edits, s.points = nil, nil
		s.spoilt, s.then = true, s.begin
		err = s.GoTo(0)
	default:
		return s.answerBreakpoints(r)
	}
	return body, err
}

// source returns the description of a source file for the client.
func (s *server) source(file string) *dap.Source {
	switch file {
	case "":
		return nil
	case textName:
		return &dap.Source{Name: file, SourceReference: 1}
	}
	return &dap.Source{Name: filepath.Base(file), Path: file}
}

// frames returns the stack of a wave: its current frame, frames of inlined functions, and frames of its callers.
func (s *server) frames(w *state.Wave, thread int) (all []dap.StackFrame) {
	pcs := []uint64{w.PC}
	for _, c := range slices.Backward(s.calls[w.ID]) {
		pcs = append(pcs, c.from)
	}
	for _, pc := range pcs {
		f := dap.StackFrame{Name: fmt.Sprintf("0x%x", pc), InstructionPointerReference: fmt.Sprintf("0x%x", pc)}
		if p := s.code.at(pc); p != nil {
			f.Source, f.Line = s.source(p.file), p.line
			for _, x := range s.code.inlined(pc) {
				f.Name = demangle.Symbol(x.Name)
				all = append(all, f)
				f.Source, f.Line = s.source(s.code.found(x.File)), x.Line
			}
			if function, _, _ := strings.Cut(p.symbol, "+"); function != "" {
				f.Name = demangle.Symbol(function)
			}
		}
		all = append(all, f)
	}
	all = all[:min(len(all), maxFrames)]
	for i := range all {
		all[i].Id, all[i].Column = thread*maxFrames+i, min(all[i].Line, 1)
	}
	return all
}

// answerState answers requests about the state of the program.
func (s *server) answerState(r dap.RequestMessage) (any, error) {
	switch r := r.(type) {
	case *dap.ThreadsRequest:
		body := dap.ThreadsResponseBody{Threads: []dap.Thread{}}
		for _, w := range s.group.Waves() {
			body.Threads = append(body.Threads, dap.Thread{Id: s.threadOf(w),
				Name: fmt.Sprintf("work-group %d,%d,%d wave %d", w.Group[0], w.Group[1], w.Group[2], w.ID)})
		}
		return body, nil
	case *dap.StackTraceRequest:
		w, err := s.waveOf(r.Arguments.ThreadId)
		if err != nil {
			return nil, err
		}
		all := s.frames(w, r.Arguments.ThreadId)
		body := dap.StackTraceResponseBody{TotalFrames: len(all)}
		body.StackFrames = all[min(max(r.Arguments.StartFrame, 0), len(all)):]
		if n := r.Arguments.Levels; n > 0 {
			body.StackFrames = body.StackFrames[:min(n, len(body.StackFrames))]
		}
		return body, nil
	case *dap.ScopesRequest:
		w, err := s.waveOf(r.Arguments.FrameId / maxFrames)
		if err != nil {
			return nil, err
		}
		body := dap.ScopesResponseBody{}
		for _, v := range s.scopes(w.ID) {
			body.Scopes = append(body.Scopes, dap.Scope{Name: v.name, VariablesReference: s.open(v.children, w.ID),
				Expensive: v.name != "Wave"})
		}
		return body, nil
	case *dap.VariablesRequest:
		return s.variables(r.Arguments.VariablesReference)
	case *dap.SetVariableRequest:
		return s.setVariable(&r.Arguments)
	case *dap.EvaluateRequest:
		return s.evaluateRequest(&r.Arguments)
	case *dap.ExceptionInfoRequest:
		return dap.ExceptionInfoResponseBody{ExceptionId: s.stopped.reason, Description: s.stopped.text,
			BreakMode: "always"}, nil
	case *dap.SourceRequest:
		return dap.SourceResponseBody{Content: s.code.Text, MimeType: "text/x-asm"}, nil
	case *dap.DisassembleRequest:
		return s.disassemble(&r.Arguments)
	case *dap.ReadMemoryRequest:
		return s.readMemory(&r.Arguments)
	case *dap.WriteMemoryRequest:
		return s.writeMemory(&r.Arguments)
	}
	return nil, fmt.Errorf("the request %s is not supported", r.GetRequest().Command)
}

// open stores a function that makes the variables of a wave. It returns their reference, or 0 if children is nil.
func (s *server) open(children func() []variable, wave int) int {
	if children == nil {
		return 0
	}
	s.opened = append(s.opened, opened{make: children, wave: wave})
	return len(s.opened)
}

func (s *server) variables(ref int) (any, error) {
	all, w, err := s.childrenOf(ref)
	if err != nil {
		return nil, err
	}
	body := dap.VariablesResponseBody{Variables: []dap.Variable{}}
	for _, v := range all {
		x := dap.Variable{Name: v.name, Value: v.value, EvaluateName: v.expression,
			VariablesReference: s.open(v.children, w.ID)}
		if v.addr != 0 {
			x.MemoryReference = fmt.Sprintf("0x%x", v.addr)
		}
		if !v.register {
			x.PresentationHint = &dap.VariablePresentationHint{Attributes: []string{"readOnly"}}
		}
		body.Variables = append(body.Variables, x)
	}
	return body, nil
}

// childrenOf returns the variables of a reference and their wave.
func (s *server) childrenOf(ref int) ([]variable, *state.Wave, error) {
	if ref < 1 || ref > len(s.opened) {
		return nil, nil, fmt.Errorf("there are no variables of reference %d: execution has gone on", ref)
	}
	o := &s.opened[ref-1]
	return o.make(), s.group.Waves()[o.wave], nil
}

// nameOf returns the expression of a named variable, and the wave of its scope. Without a variables reference, the name
// itself is the expression.
func (s *server) nameOf(ref int, name string, frame int) (expression string, w *state.Wave, err error) {
	switch {
	case ref != 0:
		all, w, err := s.childrenOf(ref)
		for _, v := range all {
			if v.name == name && v.expression != "" {
				return v.expression, w, nil
			}
		}
		return name, w, err
	case frame != 0:
		w, err = s.waveOf(frame / maxFrames)
		return name, w, err
	}
	return name, s.wave, nil
}

func (s *server) setVariable(a *dap.SetVariableArguments) (any, error) {
	expression, w, err := s.nameOf(a.VariablesReference, a.Name, 0)
	if err != nil {
		return nil, err
	}
	if err := s.Assign(expression, a.Value, w); err != nil {
		return nil, err
	}
	body := dap.SetVariableResponseBody{}
	all, _, err := s.childrenOf(a.VariablesReference)
	for _, v := range all {
		if v.name == a.Name {
			body.Value = v.value
		}
	}
	return body, err
}

func (s *server) evaluateRequest(a *dap.EvaluateArguments) (any, error) {
	_, w, err := s.nameOf(0, "", a.FrameId)
	if err != nil {
		return nil, err
	}
	v, err := s.Evaluate(a.Expression, w)
	if err != nil {
		return nil, err
	}
	body := dap.EvaluateResponseBody{Result: v.text, VariablesReference: s.open(v.children, w.ID)}
	if v.size != 0 && v.space == state.Global {
		body.MemoryReference = fmt.Sprintf("0x%x", v.addr)
	}
	return body, nil
}

// mostInstructions is the maximum number of instructions for one request.
const mostInstructions = 1 << 16

func (s *server) disassemble(a *dap.DisassembleArguments) (any, error) {
	pc, err := pcOf(a.MemoryReference, a.Offset)
	if err != nil {
		return nil, err
	}
	if a.InstructionCount < 0 || a.InstructionCount > mostInstructions {
		return nil, fmt.Errorf("%d instructions are more than %d", a.InstructionCount, mostInstructions)
	}
	first := s.code.index(pc)
	if first < 0 {
		return nil, fmt.Errorf("there is no instruction at 0x%x", pc)
	}
	body := dap.DisassembleResponseBody{}
	for i := range a.InstructionCount {
		x := dap.DisassembledInstruction{Address: fmt.Sprintf("0x%x", i), Instruction: "no code"}
		if at := first + a.InstructionOffset + i; at >= 0 && at < len(s.code.places) {
			p := &s.code.places[at]
			words, _ := p.in.Encode()
			x = dap.DisassembledInstruction{Address: fmt.Sprintf("0x%x", p.pc),
				Instruction: disasm.Text(&p.in, p.pc, s.code.base), Symbol: p.symbol, Location: s.source(p.file), Line: p.line}
			for n := range p.in.Size / 4 {
				x.InstructionBytes += fmt.Sprintf("%08x ", words[n])
			}
			x.InstructionBytes = strings.TrimSpace(x.InstructionBytes)
		}
		body.Instructions = append(body.Instructions, x)
	}
	return body, nil
}

// mostRead is the maximum number of bytes for one request to read memory.
const mostRead = 1 << 20

func (s *server) readMemory(a *dap.ReadMemoryArguments) (any, error) {
	addr, err := pcOf(a.MemoryReference, a.Offset)
	if err != nil {
		return nil, err
	}
	data := make([]byte, min(max(a.Count, 0), mostRead))
	n := s.read(state.Global, addr, data)
	return dap.ReadMemoryResponseBody{Address: fmt.Sprintf("0x%x", addr),
		Data: base64.StdEncoding.EncodeToString(data[:n]), UnreadableBytes: a.Count - n}, nil
}

func (s *server) writeMemory(a *dap.WriteMemoryArguments) (any, error) {
	addr, err := pcOf(a.MemoryReference, a.Offset)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(a.Data)
	if err != nil {
		return nil, fmt.Errorf("the data is not in base64: %w", err)
	}
	if err := s.Write(addr, data); err != nil {
		return nil, err
	}
	return dap.WriteMemoryResponseBody{BytesWritten: len(data)}, nil
}
