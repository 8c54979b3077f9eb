package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/tool/near"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// Completes sets the values that a shell offers for a flag.
func Completes(cmd *cobra.Command, flag string, values ...string) {
	// The flag exists, so this cannot fail.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// mcpu is the name of the flag that [MCPUFlag] adds.
const mcpu = "mcpu"

// MCPUFlag adds --mcpu to cmd.
func MCPUFlag(cmd *cobra.Command, into *string, usage string) {
	cmd.Flags().StringVar(into, mcpu, "", usage)
	Completes(cmd, mcpu, processors()...)
}

// TimingFlag adds --timing to cmd. Its value may be sampled.
func TimingFlag(cmd *cobra.Command, into *spec.Timing, usage string) {
	cmd.Flags().Var(timingFlag{into}, "timing", usage+"; with =sampled of large launches only parts are timed")
	cmd.Flags().Lookup("timing").NoOptDefVal = "true"
	Completes(cmd, "timing", "true", "sampled")
}

// timingFlag is the value of --timing.
type timingFlag struct{ to *spec.Timing }

// String returns the default.
func (timingFlag) String() string { return "false" }

// Type returns the value's name in help texts.
func (timingFlag) Type() string { return "true|sampled" }

// Set parses a value.
func (f timingFlag) Set(v string) error {
	if v == "sampled" {
		v = strconv.Quote(v)
	}
	if f.to.UnmarshalJSON([]byte(v)) != nil {
		return fmt.Errorf("it is %.40s; give --timing, or --timing=sampled", v)
	}
	return nil
}

// RulesFlag adds --rules to cmd.
func RulesFlag(cmd *cobra.Command, into *string) {
	var names []string
	for r := state.SeedRules; r < state.NumRules; r++ {
		names = append(names, r.String())
	}
	ChoiceFlag(cmd, into, "rules", strings.Join(names, ", ")+": whose rules decide, in place of those of the file; with "+
		state.RDNARules.String()+" texts may have its mnemonics", names)
}

// processors returns the names that [chip.ParseTarget] accepts.
func processors() (names []string) {
	var chips []string
	for t := range gcn.Target(gcn.NumTargets) {
		names, chips = append(names, t.String()), append(chips, isa.TraitsOf(t).Chips...)
	}
	for _, name := range chip.Names() {
		if !slices.Contains(chips, name) {
			chips = append(chips, name)
		}
	}
	names = append(names, chips...)
	for g := range gcn.Gen(gcn.NumGens) {
		names = append(names, g.String())
	}
	return names
}

// MCPUUsage is the help text of --mcpu.
const MCPUUsage = "processor, as in gfx803, fiji or gcn1.2"

// ChoiceFlag adds a flag whose value is one of names, ignoring case.
func ChoiceFlag(cmd *cobra.Command, into *string, name, usage string, names []string) {
	cmd.Flags().Var(&choice{into, names}, name, usage)
	Completes(cmd, name, names...)
}

type choice struct {
	into  *string
	names []string
}

// Set parses the flag's value.
func (c *choice) Set(s string) error {
	nearest := near.To(s)
	for _, name := range c.names {
		if strings.EqualFold(name, s) {
			*c.into = name
			return nil
		}
		nearest.Try(name)
	}
	hint := ""
	if name := nearest.Name(); name != "" {
		hint = fmt.Sprintf("; did you mean %q?", name)
	}
	return fmt.Errorf("it is not known%s; known are %s", hint, strings.Join(c.names, ", "))
}

func (c *choice) String() string { return *c.into }

// Type returns the value's name in help texts.
func (c *choice) Type() string { return "NAME" }

// CheckFlag adds --check to cmd.
func CheckFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().Var((*kinds)(into), "check", "look for findings of these kinds: "+strings.Join(check.Names(), ", "))
	Completes(cmd, "check", check.Names()...)
}

// kinds are kinds of findings.
type kinds []string

// Set adds kinds.
func (k *kinds) Set(s string) error {
	if s == "" {
		return nil // checkFlags reports this
	}
	names := strings.Split(s, ",")
	if _, err := check.New(names...); err != nil {
		return err
	}
	*k = append(*k, names...)
	return nil
}

func (k *kinds) String() string { return strings.Join(*k, ",") }

// Type returns the value's name in help texts.
func (k *kinds) Type() string { return "KINDS" }

// kindsOrNone are kinds of findings, or "none".
type kindsOrNone struct {
	kinds
	none bool
}

// Set adds kinds, or records "none".
func (k *kindsOrNone) Set(s string) error {
	if k.none = s == "none"; k.none {
		k.kinds = nil
		return nil
	}
	return k.kinds.Set(s)
}

func (k *kindsOrNone) String() string {
	if k.none {
		return "none"
	}
	return k.kinds.String()
}

// TimeFlag adds a flag whose value is a duration that is not negative.
func TimeFlag(cmd *cobra.Command, into *time.Duration, name, usage string) {
	cmd.Flags().Var((*duration)(into), name, usage)
}

type duration time.Duration

// Set parses the flag's value.
func (d *duration) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return errors.New("give a time, as in 30s, 5m or 1h30m")
	}
	*d = duration(v)
	return nil
}

func (d *duration) String() string { return time.Duration(*d).String() }

// Type returns the value's name in help texts.
func (d *duration) Type() string { return "TIME" }

// MaxJobs is a limit that no machine can use up. It exists because each job has registers and memory.
const MaxJobs = 1024

// NumberFlag adds a flag whose value is a number from least to most.
func NumberFlag[T int | uint16 | uint64](cmd *cobra.Command, into *T, name string, least, most T, usage string) {
	cmd.Flags().Var(&number[T]{into, least, most}, name, usage)
}

type number[T int | uint16 | uint64] struct {
	into        *T
	least, most T
}

// Set parses the flag's value.
func (n *number[T]) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		v, err = strconv.ParseUint(s, 0, 64) // base 0 also accepts 0x10
	}
	switch {
	case err == nil && v >= uint64(n.least) && v <= uint64(n.most):
		*n.into = T(v)
		return nil
	case uint64(n.most) == math.MaxUint64:
		return fmt.Errorf("give a number, %d or more", n.least)
	}
	return fmt.Errorf("give a number from %d to %d", n.least, n.most)
}

func (n *number[T]) String() string { return strconv.FormatUint(uint64(*n.into), 10) }

// Type returns the value's name in help texts.
func (n *number[T]) Type() string { return "N" }

// LimitFlag adds --max-instructions to cmd.
func LimitFlag(cmd *cobra.Command, into *uint64) {
	NumberFlag(cmd, into, request.LimitFlag, 1, math.MaxUint64, fmt.Sprintf(
		"how many instructions a wave may execute (default %d, of a dispatch %d)", sim.DefaultLimit, sim.DefaultWaveLimit))
}

// SecondsFlag adds a flag whose value is a number of seconds from 0 to most.
func SecondsFlag(cmd *cobra.Command, into *float64, name string, most float64, usage string) {
	cmd.Flags().Var(&seconds{into, most}, name, usage)
}

type seconds struct {
	into *float64
	most float64
}

// Set parses the flag's value.
func (s *seconds) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= s.most) {
		return fmt.Errorf("give a number of seconds from 0 to %.0f", s.most)
	}
	*s.into = v
	return nil
}

func (s *seconds) String() string { return strconv.FormatFloat(*s.into, 'g', -1, 64) }

// Type returns the value's name in help texts.
func (s *seconds) Type() string { return "SECONDS" }

// Arguments refuses too few or too many arguments. what names the expected ones.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s: %s given; give %s", cmd.Name(), plural.Of(len(args), "argument"), what)
		}
		return nil
	}
}
