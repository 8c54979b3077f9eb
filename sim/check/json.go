package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/state"
)

// findingJSON has a pointer to the value of each JSON key of a finding, nil for a key that is omitted.
type findingJSON struct {
	Kind     *Kind      `json:"kind"`
	Severity *Severity  `json:"severity"`
	Inst     *uint64    `json:"inst,omitempty"`
	PC       *pc        `json:"pc,omitempty"`
	Text     *string    `json:"text,omitempty"`
	Lane     *int       `json:"lane,omitempty"`
	Reg      *string    `json:"reg,omitempty"`
	Space    *string    `json:"space,omitempty"`
	Addr     *pc        `json:"addr,omitempty"`
	Message  *string    `json:"message"`
	Field    *string    `json:"field,omitempty"`
	Producer *siteJSON  `json:"producer,omitempty"`
	Symbol   *string    `json:"symbol,omitempty"`
	Source   *string    `json:"source,omitempty"`
	Group    *[3]uint32 `json:"group,omitempty"`
	Wave     *int       `json:"wave,omitempty"`
	Count    *uint64    `json:"count,omitempty"`
	Fix      *string    `json:"fix,omitempty"`
	Rule     *string    `json:"rule,omitempty"`
	Path     []siteJSON `json:"path,omitempty"`
	Executed *bool      `json:"executed,omitempty"` // set with Path: whether a run took the path, without the defect
}

// siteJSON has pointers to the values of a site: the earlier instruction of a pair, or a block of a path.
type siteJSON struct {
	PC     *pc        `json:"pc"`
	Inst   *uint64    `json:"inst,omitempty"`  // omitted in a finding with a path, like Wave
	Group  *[3]uint32 `json:"group,omitempty"` // omitted if it equals the group of the finding
	Wave   *int       `json:"wave,omitempty"`
	Text   *string    `json:"text,omitempty"`
	Symbol *string    `json:"symbol,omitempty"`
	Source *string    `json:"source,omitempty"`
}

// keysOf returns the JSON keys of f with pointers into f. Producer and Addr are nil if those of f are.
func keysOf(f *Finding) findingJSON {
	j := findingJSON{
		Kind: &f.Kind, Severity: &f.Severity, Inst: &f.Index, PC: (*pc)(&f.PC), Text: &f.Text, Lane: &f.Lane, Reg: &f.Reg,
		Space: &f.Space, Addr: (*pc)(f.Addr), Message: &f.Message, Field: &f.Field, Symbol: &f.Symbol, Source: &f.Source,
		Group: &f.Group, Wave: &f.Wave, Count: &f.Count, Fix: &f.Fix, Rule: &f.Rule,
	}
	if p := f.Producer; p != nil {
		j.Producer = &siteJSON{(*pc)(&p.PC), &p.Index, &p.Group, &p.Wave, &p.Text, &p.Symbol, &p.Source}
	}
	return j
}

// leaveOut omits a key if its value is missing, the value that readers assume for a missing key.
func leaveOut[T comparable](key **T, missing T) {
	if **key == missing {
		*key = nil
	}
}

// MarshalJSON returns f as a diagnostic, see docs/cli/checks.md. It omits empty strings, a lane of [state.NoLane], a
// count of 1, group 0,0,0 and wave 0. It omits the group of Producer if it equals the group of f. For a finding
// about a setting it omits the instruction.
func (f Finding) MarshalJSON() ([]byte, error) {
	j := keysOf(&f)
	if p := j.Producer; p != nil {
		leaveOut(&p.Group, f.Group)
		leaveOut(&p.Symbol, "")
		leaveOut(&p.Source, "")
	}
	if f.Text == "" {
		j.Inst, j.PC = nil, nil
	}
	if f.Path != nil {
		j.putPath(&f)
	}
	for _, key := range []**string{&j.Text, &j.Reg, &j.Space, &j.Field, &j.Symbol, &j.Source, &j.Fix, &j.Rule} {
		leaveOut(key, "")
	}
	leaveOut(&j.Lane, state.NoLane)
	leaveOut(&j.Group, [3]uint32{})
	leaveOut(&j.Wave, 0)
	leaveOut(&j.Count, 1)
	return jsonout.Marshal(&j) // if HTML escapes are wanted, the encoder that calls this method adds them
}

// putPath adds the path of f, and omits the instruction counts and waves, which a path does not have.
func (j *findingJSON) putPath(f *Finding) {
	j.Inst, j.Executed = nil, new(bool)
	if *j.Executed = f.Count > 0; !*j.Executed {
		j.Count = new(uint64)
		*j.Count = 1 // which is omitted
	}
	if p := j.Producer; p != nil {
		p.Inst, p.Wave = nil, nil
	}
	for i := range f.Path {
		s := &f.Path[i]
		at := siteJSON{PC: (*pc)(&s.PC), Symbol: &s.Symbol, Source: &s.Source}
		leaveOut(&at.Symbol, "")
		leaveOut(&at.Source, "")
		j.Path = append(j.Path, at)
	}
}

// UnmarshalJSON sets f from the JSON that [Finding.MarshalJSON] returns, which does not contain Inst.
func (f *Finding) UnmarshalJSON(text []byte) error {
	*f = Finding{Lane: state.NoLane, Count: 1, Producer: new(Site)}
	j := keysOf(f)
	j.Producer.Group = nil
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	f.Addr = (*uint64)(j.Addr)
	for _, s := range j.Path {
		f.Path = append(f.Path, s.site())
	}
	if j.Executed != nil && !*j.Executed {
		f.Count = 0
		if f.Path == nil {
			f.Path = []Site{}
		}
	}
	f.Producer.Group = f.Group
	if j.Producer.Group != nil {
		f.Producer.Group = *j.Producer.Group
	}
	if f.Producer.Text == "" {
		f.Producer = nil
	}
	return nil
}

// site returns the site that j describes, a block of a path.
func (j *siteJSON) site() (s Site) {
	if j.PC != nil {
		s.PC = uint64(*j.PC)
	}
	if j.Symbol != nil {
		s.Symbol = *j.Symbol
	}
	if j.Source != nil {
		s.Source = *j.Source
	}
	return s
}

// MarshalText returns the name of s.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s from the name of a severity. The error is a *[SyntaxError].
func (s *Severity) UnmarshalText(name []byte) error {
	i := slices.Index(severities[:], string(name))
	if i < 0 {
		return &SyntaxError{What: fmt.Sprintf("%q is no severity; known are %s", name, strings.Join(severities[:], ", "))}
	}
	*s = Severity(i)
	return nil
}

// MarshalText returns the address in hexadecimal, with 0x.
func (at pc) MarshalText() ([]byte, error) { return []byte(at.String()), nil }

// UnmarshalText sets the address from the text that [pc.MarshalText] returns.
func (at *pc) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 0, 64)
	*at = pc(v)
	return err
}
