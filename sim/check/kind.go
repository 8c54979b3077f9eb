package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Kind is the kind of a finding.
type Kind string

// The kinds.
const (
	// WaitRAW: a register is read before the counter of the instruction that writes it proves that the write is
	// complete (rule W3).
	WaitRAW Kind = "wait-raw"
	// WaitWAW: a register is written while an earlier instruction may still write it (rule
	// W4).
	WaitWAW Kind = "wait-waw"
	// WaitWAR: a register is written while an earlier instruction may still read it (rule
	// W5).
	WaitWAR Kind = "wait-war"
	// WaitOrder: a wave accesses the same memory through two paths without a wait in between (rule W6).
	WaitOrder Kind = "wait-order"
	// VCCZ: a branch or an operand uses a VCCZ that may be stale (rule W7).
	VCCZ Kind = "vccz"
	// WaitState: there are too few wait states between two instructions (rules W11 and W12).
	WaitState Kind = "wait-state"
	// Race: two waves access the same bytes, one of them writes, and nothing orders the accesses (rule RC1).
	Race Kind = "race"
	// LaneConflict: lanes of one instruction write different values to one byte (rule RC7).
	LaneConflict Kind = "lane-conflict"
	// StaleCache: a load may return an old value from a cache (rules RC8 and RC9).
	StaleCache Kind = "stale-cache"
	// ScalarStore: a scalar store stays in the scalar cache (rule RC9).
	ScalarStore Kind = "scalar-store"
	// Uninit: an undefined value affects an address or a branch, or is stored to memory (rules UD1 to UD5).
	Uninit Kind = "uninit"
	// OutOfRange: a load returned 0, a store or an atomic did nothing.
	OutOfRange Kind = "out-of-range"
	// Misaligned: an address violates the alignment that the mode or the operation requires. Loads return 0, stores
	// and atomics do nothing, and MEMVIOL is raised.
	Misaligned Kind = "misaligned"
	// Stack: an access is outside of the private memory that the kernel's object declares for a work-item (rule F14).
	Stack Kind = "stack"
	// Bounds: an access is outside of a buffer's declared parts, see [Checker.Parts].
	Bounds Kind = "bounds"
	// RulesDiffer: the other rule set would compute another address or range; the severity is [Doubt].
	RulesDiffer Kind = "rules-differ"
	// PastEnd: a bare program ends without S_ENDPGM (rule ST24).
	PastEnd Kind = "past-end"
	// StaleM0: M0 limits LDS, and a function that was called earlier has changed it (rule DS3).
	StaleM0 Kind = "m0"
	// SkippedBarrier: waves of a work-group skip, or may skip, a barrier at which others wait (rule RC3).
	SkippedBarrier Kind = "barrier"
	// LostLanes: lanes that were active stay inactive on a path that continues.
	LostLanes Kind = "exec"
	// Divergent: lanes with different values share a scalar register.
	Divergent Kind = "divergent"
	// WrongSpace: the low half of an LDS address is used as an offset in private memory, or the other way round (rule
	// F11).
	WrongSpace Kind = "space"
	// Unreachable: no path leads to an instruction.
	Unreachable Kind = "unreachable"
	// Unfollowed: the continuation of a path after an instruction is unknown, and was not judged.
	Unfollowed Kind = "unfollowed"
	// Ignored: a field, a register, a setting or bits of an address have no effect, or have a different
	// effect than their values ask for.
	Ignored Kind = "ignored"
)

// Severity is the severity of a finding.
type Severity uint8

// The severities. Two independent sources forbid an error; one source forbids a warning. A note is conservative, or
// allowed in common practice. A doubt is about disagreeing documents and not about the program: a checker reports it
// once, at the first instruction where it matters.
const (
	Doubt Severity = iota
	Note
	Warning
	Error
	numSeverities = iota
)

var severities = [numSeverities]string{Doubt: "doubt", Note: "note", Warning: "warning", Error: "error"}

var _ = enum.Full[Severity](severities[:])

// String returns the name that the command line uses.
func (s Severity) String() string { return enum.Name(severities[:], s) }

// all is the name of all kinds.
const all = "all"

// kinds lists the kinds in the order in which findings at one instruction are sorted, with their group and their
// analysis.
var kinds = [...]struct {
	Kind
	group string
	by    *analysis
}{
	{WaitRAW, "wait", &waits},
	{WaitWAW, "wait", &waits},
	{WaitWAR, "wait", &waits},
	{WaitOrder, "wait", &waits},
	{VCCZ, "wait", &waits},
	{WaitState, "", &waitStates},
	{Race, "race", &race},
	{LaneConflict, "race", &race},
	{StaleCache, "race", &race},
	{ScalarStore, "race", &race},
	{Uninit, "", &uninit},
	{OutOfRange, "range", &analysis{retire: (*Checker).outOfRange, unseen: true}},
	{Misaligned, "range", &analysis{retire: (*Checker).misaligned, unseen: true}},
	{Stack, "range", &analysis{retire: (*Checker).outOfFrame, unseen: true}},
	{Bounds, "range", &analysis{retire: (*Checker).outOfPart, unseen: true}},
	{RulesDiffer, "", &analysis{retire: (*Checker).rulesDiffer, unseen: true}},
	{Ignored, "", &analysis{retire: (*Checker).ignored, unseen: true}},
	{PastEnd, "", &analysis{unseen: true}},
	{StaleM0, "paths", &onPaths},
	{SkippedBarrier, "paths", &barriers},
	{LostLanes, "paths", &onPaths},
	{Divergent, "paths", &onPaths},
	{WrongSpace, "paths", &onPaths},
	{Unreachable, "paths", &onPaths},
	{Unfollowed, "paths", &onPaths},
}

// onPaths is the analysis of kinds that only [Checker.Paths] finds.
var onPaths = analysis{unseen: true}

// analysis finds one or several kinds. Functions that it does not need are nil.
type analysis struct {
	after  *analysis                 // an analysis that must be called before it, or nil
	begin  func(c *Checker)          // called when a work-group begins, with its waves in c.waves
	issue  func(c *Checker, x *step) // before an instruction executes
	retire func(c *Checker, x *step) // after an instruction has executed
	// unseen says that segments do the work of issue and retire. If it is false, each instruction is judged
	// separately.
	unseen bool
}

// Names returns the names that [New] accepts: "all", groups of kinds, and kinds.
func Names() []string {
	groups, single := []string{all}, []string(nil)
	for _, k := range kinds {
		if k.group != "" && !slices.Contains(groups, k.group) {
			groups = append(groups, k.group)
		}
		if k.group != string(k.Kind) {
			single = append(single, string(k.Kind))
		}
	}
	return append(groups, single...)
}

// chosen returns the kinds that the names select.
func chosen(names []string) (on map[Kind]bool, err error) {
	on = map[Kind]bool{}
	for _, name := range names {
		found := false
		for _, k := range kinds {
			if name == all || name == k.group && name != "" || name == string(k.Kind) {
				on[k.Kind], found = true, true
			}
		}
		if !found {
			return nil, &SyntaxError{What: fmt.Sprintf("%q is not known; known are %s", name, strings.Join(Names(), ", "))}
		}
	}
	return on, nil
}
