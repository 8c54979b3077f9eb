package specjson

import (
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/sim/spec"
)

// trapHandler is a [spec.TrapHandler]: its text, or the file that holds it.
type trapHandler struct {
	Asm    *string `json:"asm"`
	File   string  `json:"file"`
	TMA    uint64  `json:"tma" number:"bits"`
	TMAArg *uint32 `json:"tma_arg"`
}

// maxHandlerBytes is how long the text of a trap handler may be.
const maxHandlerBytes = 16 << 20

// trapHandler returns the trap handler of a request, nil if there is none: text of the command line comes first.
func (o *Options) trapHandler(h *trapHandler) (*spec.TrapHandler, error) {
	if o.TrapHandler != "" {
		if h == nil {
			h = &trapHandler{}
		}
		h = &trapHandler{Asm: &o.TrapHandler, TMA: h.TMA, TMAArg: h.TMAArg}
	}
	if h == nil {
		return nil, nil
	}
	to := &spec.TrapHandler{TMA: h.TMA}
	if h.TMAArg != nil {
		n := int(*h.TMAArg)
		to.TMAArg = &n
	}
	switch {
	case h.Asm != nil && h.File != "":
		return nil, errors.New("trap_handler: it has both asm and file; give one")
	case h.Asm != nil:
		to.Asm = *h.Asm
	case h.File != "":
		files := o.Files
		if files == nil {
			files = noFiles{}
		}
		text, err := files.ReadFile(h.File, maxHandlerBytes)
		if err != nil {
			return nil, fmt.Errorf("trap_handler: %w", err)
		}
		to.Asm = string(text)
	}
	return to, nil
}
