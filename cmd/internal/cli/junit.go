package cli

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/sim/compare"
	"github.com/gcnsim/gcnsim/sim/spec"
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

// writeJUnit writes comparisons of kernels of two programs as XML.
func writeJUnit(w io.Writer, names [2]string, all []*spec.KernelComparison) error {
	s := junitSuite{Name: "gcnsim diff " + names[0] + " " + names[1], Tests: len(all)}
	for _, k := range all {
		var text strings.Builder
		if err := k.Write(&text); err != nil {
			return err
		}
		c := junitCase{Class: names[1], Name: k.Kernel}
		first, _, _ := strings.Cut(text.String(), "\n")
		switch v, _ := k.Verdict(); v {
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
