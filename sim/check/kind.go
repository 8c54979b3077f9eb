package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Kind names what a finding is about.
type Kind string

// The kinds.
const (
	// WaitRAW: a register is read before the counter of the instruction that writes it
	// proves that it has (rule W3).
	WaitRAW Kind = "wait-raw"
	// WaitWAW: a register is written while an earlier instruction may still write it (rule
	// W4).
	WaitWAW Kind = "wait-waw"
	// WaitWAR: a register is written while an earlier instruction may still read it (rule
	// W5).
	WaitWAR Kind = "wait-war"
	// WaitOrder: a wave reaches the same memory by two paths without a wait in between (rule
	// W6).
	WaitOrder Kind = "wait-order"
	// VCCZ: a branch, or an operand, looks at a VCCZ that may be stale (rule W7).
	VCCZ Kind = "vccz"
	// WaitState: too few instructions lie between two (rules W11 and W12).
	WaitState Kind = "wait-state"
	// Race: two waves access the same bytes, one of them writes, and nothing says which comes
	// first (rule RC1).
	Race Kind = "race"
	// LaneConflict: lanes of one instruction write different values to one byte (rule RC7).
	LaneConflict Kind = "lane-conflict"
	// StaleCache: a load may find in a cache what was there before the bytes were written
	// (rules RC8 and RC9).
	StaleCache Kind = "stale-cache"
	// ScalarStore: a scalar store stays in the scalar cache (rule RC9).
	ScalarStore Kind = "scalar-store"
	// Uninit: a value that nothing has put there decides an address or a branch, or leaves
	// the wave (rules UD1 to UD5).
	Uninit Kind = "uninit"
	// OutOfRange: a load returned 0, a store or an atomic did nothing.
	OutOfRange Kind = "out-of-range"
	// Misaligned: an address violates the alignment that the mode or the operation asks
	// for. Loads returned 0, stores and atomics did nothing, MEMVIOL is raised.
	Misaligned Kind = "misaligned"
	// Stack: an access is outside of the private memory that the kernel's object gives a work-item (rule F14).
	Stack Kind = "stack"
	// Bounds: an access of a buffer is outside of the parts of it that somebody owns, see [Checker.Parts].
	Bounds Kind = "bounds"
	// RulesDiffer: the other rule set would have given another address or range, a [Doubt].
	RulesDiffer Kind = "rules-differ"
	// PastEnd: a bare program ends without S_ENDPGM (rule ST24).
	PastEnd Kind = "past-end"
	// StaleM0: M0 bounds LDS, and a function that was called before has set it (rule DS3).
	StaleM0 Kind = "m0"
	// SkippedBarrier: waves of a work-group pass by a barrier at which others wait, or may do so (rule RC3).
	SkippedBarrier Kind = "barrier"
	// LostLanes: lanes that were active before stay inactive on a path that leads on.
	LostLanes Kind = "exec"
	// Divergent: lanes with different values share a scalar register.
	Divergent Kind = "divergent"
	// WrongSpace: the low half of an address in LDS is an offset in private memory, or the other way round (rule F11).
	WrongSpace Kind = "space"
	// Unreachable: no path leads to instructions.
	Unreachable Kind = "unreachable"
	// Unfollowed: what a path does behind an instruction is not known, and not judged.
	Unfollowed Kind = "unfollowed"
	// Ignored: a field, a register, a setting or bits of an address have no effect, or have a different
	// effect than their values ask for.
	Ignored Kind = "ignored"
)

// Severity says how bad a finding is.
type Severity uint8

// The severities. An error is what two independent sources call wrong, a warning what one does, a
// note what is conservative or allowed in common practice. A doubt is about documents and not about
// the program, as where they disagree: a checker has one finding of it, at the instruction that met it
// first.
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

// kinds lists the kinds in the order in which findings of one instruction are sorted, the
// group they belong to and what finds them.
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

// onPaths finds what [Checker.Paths] alone looks for.
var onPaths = analysis{unseen: true}

// analysis finds one or several kinds. A function that it does not need is nil.
type analysis struct {
	after  *analysis                 // one that must run before it, nil if there is none
	begin  func(c *Checker)          // a work-group begins; its waves are c.waves
	issue  func(c *Checker, x *step) // before an instruction executes
	retire func(c *Checker, x *step) // after it has
	// unseen says that [segment] does what issue and retire would do. If it is false, each instruction is judged by
	// itself.
	unseen bool
}

// Names returns what [New] takes: "all", then groups of kinds and kinds.
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

// chosen reports which of kinds the names choose.
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
