package executor

import "github.com/gcnsim/gcnsim/state"

// maxOutputs is the largest number of messages, and of exports, that a wave keeps. Programs send far fewer.
const maxOutputs = 4096

// Send records a message.
func Send(w *state.Wave, m state.Message) *state.Fault {
	if len(w.Messages) >= maxOutputs {
		return NewFault(state.FaultLimit, "a wave sends more than %d messages", maxOutputs)
	}
	w.Messages = append(w.Messages, m)
	return nil
}

// Export records an export.
func Export(w *state.Wave, e *state.Export) *state.Fault {
	if len(w.Exports) >= maxOutputs {
		return NewFault(state.FaultLimit, "a wave exports more than %d times", maxOutputs)
	}
	w.Exports = append(w.Exports, *e)
	return nil
}
