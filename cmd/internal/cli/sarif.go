package cli

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Alert is one problem, as code scanners list them.
type Alert struct {
	Rule   string // kind of the problem: a finding's kind, "different", "fault", "no-verdict", ...
	Level  string // "error", "warning" or "note"
	Text   string
	Source string // source line, such as "k.cl:12", or ""
	File   string // file, used if there is no source line
}

// alertsOf converts findings in a file.
func alertsOf(findings []check.Finding, file string) (all []Alert) {
	for i := range findings {
		f := &findings[i]
		level := f.Severity.String()
		if f.Severity == check.Doubt {
			level = "note"
		}
		text := f.Message
		if f.Fix != "" {
			text += "; " + f.Fix
		}
		if f.Text != "" {
			text = f.Text + ": " + text
		}
		all = append(all, Alert{string(f.Kind), level, text, f.Source, file})
	}
	return all
}

// AlertsOf returns the problems in an answer of dispatch for a file. why is the reason for a missing verdict, or "".
func AlertsOf(r *spec.Reply, why, file string) []Alert {
	switch {
	case why == "":
		return nil
	case r.Error != nil:
		return []Alert{{r.Error.Kind, "error", r.Error.Message, r.Error.Source, file}}
	case len(r.Findings) > 0:
		found := make([]check.Finding, len(r.Findings))
		for i := range found {
			found[i] = r.Findings[i].From(r.Base)
		}
		return alertsOf(found, file)
	}
	return []Alert{{noVerdict, "note", why, "", file}}
}

// AlertsOfPaths returns the findings in a file whose paths were checked. why is the reason if they were not checked,
// or "".
func AlertsOfPaths(findings []check.Finding, why, file string) []Alert {
	if why != "" {
		return []Alert{{noVerdict, "note", why, "", file}}
	}
	return alertsOf(findings, file)
}

// noVerdict is the rule of alerts about a missing verdict.
const noVerdict = "no-verdict"

// differs returns the alert for a difference, located in the second of two files.
func differs(d *compare.Difference, text, file string) Alert {
	a := Alert{"different", "error", text, "", file}
	switch {
	case d.B.Fault != nil:
		a.Source = d.B.Fault.Source
	case d.B.Store != nil:
		a.Source = d.B.Store.Source
	}
	return a
}

// The parts of SARIF 2.1.0 that are written. Source: OASIS, Static Analysis Results Interchange Format (SARIF)
// Version 2.1.0.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver struct {
			Name    string      `json:"name"`
			Version string      `json:"version"`
			Rules   []sarifRule `json:"rules"`
		} `json:"driver"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// writeSARIF writes the alerts of all results.
func writeSARIF(w io.Writer, all []*Result) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver.Name, run.Tool.Driver.Version = "gcnsim", Version()
	run.Tool.Driver.Rules = []sarifRule{}
	known := map[string]bool{}
	for _, r := range all {
		for _, a := range r.Alerts {
			if !known[a.Rule] {
				known[a.Rule] = true
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{a.Rule})
			}
			run.Results = append(run.Results, sarifResult{a.Rule, a.Level, sarifText{r.Name + ": " + a.Text},
				[]sarifLocation{a.location()}})
		}
	}
	return spec.WriteJSON(w, &sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// location returns the alert's location.
func (a *Alert) location() (l sarifLocation) {
	l.Physical.Artifact.URI = filepath.ToSlash(a.File)
	if colon := strings.LastIndexByte(a.Source, ':'); colon > 0 {
		if line, err := strconv.Atoi(a.Source[colon+1:]); err == nil && line > 0 {
			l.Physical.Artifact.URI = filepath.ToSlash(a.Source[:colon])
			l.Physical.Region = &sarifRegion{line}
		}
	}
	return l
}
