package check

import "fmt"

// said is a sentence. Addresses of instructions in it have type pc, so that they can be printed relative to any base.
type said struct {
	format string
	args   []any
}

// pc is the address of an instruction.
type pc uint64

func (at pc) String() string { return fmt.Sprintf("0x%x", uint64(at)) }

func say(format string, args ...any) said { return said{format, args} }

// and returns s with more text appended.
func (s said) and(format string, args ...any) said {
	return say("%v"+format, append([]any{s}, args...)...)
}

func (s said) String() string { return s.from(0) }

// from returns the sentence with addresses of instructions relative to base.
func (s said) from(base uint64) string {
	if s.args == nil {
		return s.format
	}
	args := make([]any, len(s.args))
	for i, arg := range s.args {
		switch arg := arg.(type) {
		case pc:
			args[i] = arg - pc(base)
		case said:
			args[i] = arg.from(base)
		default:
			args[i] = arg
		}
	}
	return fmt.Sprintf(s.format, args...)
}
