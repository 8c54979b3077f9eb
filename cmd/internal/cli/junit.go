package cli

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/sim/compare"
)

// junitSuite is a comparison in the form that CI servers read: a test for each kernel. A kernel that
// differs is a failure, one without a verdict an error.
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

// writeJUnit writes comparisons of kernels of programs as XML.
func writeJUnit(w io.Writer, names []string, all []*kernelResult) error {
	s := junitSuite{Name: "gcnsim diff " + strings.Join(names, " "), Tests: len(all)}
	for _, r := range all {
		var text strings.Builder
		if err := r.text(&text); err != nil {
			return err
		}
		c := junitCase{Class: strings.Join(names[1:], " "), Name: r.kernel}
		first, _, _ := strings.Cut(text.String(), "\n")
		switch r.verdict {
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
