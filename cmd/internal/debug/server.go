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

// Launcher returns a debugger at the first instruction of a program, with arguments as gcnsim debug has them. program
// and args are those of a launch request; both may be empty.
type Launcher func(program string, args []string) (*Debugger, error)

// launchArguments are the arguments of a launch request.
type launchArguments struct {
	Program     string   `json:"program"`
	Args        []string `json:"args"`
	StopOnEntry bool     `json:"stopOnEntry"`
	NoDebug     bool     `json:"noDebug"`
}

// opened are the variables of a reference.
type opened struct {
	make func() []variable
	wave int
}

// server answers one client.
type server struct {
	*Debugger
	launcher Launcher
	out      io.Writer
	err      error // of writing
	seq      int
	requests chan received
	launched launchArguments
	then     func() // what is to be done when the answer has been sent, nil for nothing
	moving   func() // goes on executing until something stops; nil if nothing executes
	left     bool   // the client has said good-bye
	opened   []opened
}

// received is a request and why it cannot be read; without a request it is why there are no more.
type received struct {
	dap.RequestMessage
	err error
}

// Serve answers the requests of one client until it disconnects or in ends.
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

// receive reads requests until there are no more.
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

// send writes a message, whose number is the next one.
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

// handle answers a request.
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

// errNotLaunched says that a request came too early.
var errNotLaunched = errors.New("nothing has been launched")

// answer returns the body of the answer to a request.
func (s *server) answer(r dap.RequestMessage) (body any, err error) {
	switch r := r.(type) {
	case *dap.InitializeRequest:
		return capabilities(), nil
	case *dap.LaunchRequest:
		return nil, s.launchProgram(r.Arguments)
	case *dap.AttachRequest: // to a dispatch that waits
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

// capabilities lists the requests that the server answers.
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

// launchProgram begins a run.
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

// begin goes on after the client has set breakpoints.
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

// move executes until something stops. If a request comes meanwhile, it is answered first.
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

// stop tells the client where execution has stopped, and why.
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

// terminate ends the session of the client.
func (s *server) terminate() {
	s.moving = nil
	s.event("terminated", nil)
	s.event("exited", dap.ExitedEventBody{})
}

// threadOf is the number of the thread that a wave of the work-group is.
func (s *server) threadOf(w *state.Wave) int {
	n, _ := s.group.Number()
	return int(n)*maxWaves + w.ID + 1
}

// maxWaves is how many waves a work-group has at most, and maxFrames how many frames are shown.
const maxWaves, maxFrames = 16, 64

// waveOf returns the wave of a thread.
func (s *server) waveOf(thread int) (*state.Wave, error) {
	for _, w := range s.group.Waves() {
		if s.threadOf(w) == thread {
			return w, nil
		}
	}
	return nil, fmt.Errorf("there is no wave %d in the work-group", thread)
}

// goOn lets the program execute until done holds, which may be nil, after the answer was sent.
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

// step does so until a step of a thread ends.
func (s *server) step(thread, how int, by dap.SteppingGranularity, back bool) error {
	w, err := s.waveOf(thread)
	if err == nil {
		s.goOn(s.stepEnds(w.ID, how, by == "instruction"), back)
	}
	return err
}

// answerMoving answers requests that let the program execute.
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

// source names a file for the client.
func (s *server) source(file string) *dap.Source {
	switch file {
	case "":
		return nil
	case textName:
		return &dap.Source{Name: file, SourceReference: 1}
	}
	return &dap.Source{Name: filepath.Base(file), Path: file}
}

// frames are the frame of a wave, those of functions that it is inlined of, and those of its calls.
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

// answerState answers requests about the state.
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

// open keeps a function that makes variables of a wave, and returns its reference, 0 if it is nil.
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

// childrenOf returns the variables of a reference, and their wave.
func (s *server) childrenOf(ref int) ([]variable, *state.Wave, error) {
	if ref < 1 || ref > len(s.opened) {
		return nil, nil, fmt.Errorf("there are no variables of reference %d: execution has gone on", ref)
	}
	o := &s.opened[ref-1]
	return o.make(), s.group.Waves()[o.wave], nil
}

// nameOf returns the expression that evaluates to a named variable, and the wave of its scope. A variable that has no
// scope is an expression already: its name.
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

// mostInstructions is how many instructions one request may ask for.
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

// mostRead is how much memory one request may ask for.
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
