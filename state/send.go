package state

// maxOutputs bounds what a wave keeps, far above what a program sends.
const maxOutputs = 4096

// Send keeps a message.
func (w *Wave) Send(m Message) *Fault {
	if len(w.Messages) >= maxOutputs {
		return NewFault(FaultLimit, "a wave sends more than %d messages", maxOutputs)
	}
	w.Messages = append(w.Messages, m)
	return nil
}

// Export keeps an export.
func (w *Wave) Export(e *Export) *Fault {
	if len(w.Exports) >= maxOutputs {
		return NewFault(FaultLimit, "a wave exports more than %d times", maxOutputs)
	}
	w.Exports = append(w.Exports, *e)
	return nil
}
