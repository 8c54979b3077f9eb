package cli

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
)

// junitSuite is a list of results in JUnit's format, which CI servers read, with one test for each result. A
// difference is a failure, and a missing verdict an error.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	Failure *junitReason `xml:"failure"`
	Error   *junitReason `xml:"error"`
	Output  string       `xml:"system-out,omitempty"`
}

type junitReason struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes results as XML. suite is the name of the list, and about the name of the tests' class.
func writeJUnit(w io.Writer, suite, about string, all []*Result) error {
	s := junitSuite{Name: suite, Tests: len(all)}
	for _, r := range all {
		var text strings.Builder
		if err := r.Text(&text); err != nil {
			return err
		}
		c := junitCase{Class: about, Name: r.Name}
		first, _, _ := strings.Cut(text.String(), "\n")
		switch r.Verdict {
		case compare.Same:
			c.Output = text.String()
		case compare.Different:
			s.Failures++
			c.Failure = &junitReason{first, text.String()}
		default:
			s.Errors++
			c.Error = &junitReason{first, text.String()}
		}
		s.Cases = append(s.Cases, c)
	}
	text, err := xml.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}
