package shrink

import (
	"bytes"
	"regexp"
)

// lines returns the lines of a text, each with its end.
func lines(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n")) }

// blocks returns the units of a text: lines within braces deeper than depth form one unit, each other line its own.
func blocks(text []byte, depth int) (units [][]byte) {
	now, begin, at := 0, 0, 0
	for _, line := range lines(text) {
		for _, token := range tokens(line) {
			switch sign(token) {
			case "{":
				now++
			case "}":
				now = max(now-1, 0)
			}
		}
		if at += len(line); now <= depth {
			units = append(units, text[begin:at])
			begin = at
		}
	}
	if begin < len(text) {
		units = append(units, text[begin:])
	}
	return units
}

// label is the line of an assembler text that begins a block.
var label = regexp.MustCompile(`^[^\s#;/][^\s]*:`)

// labelled returns the lines of an assembler text, from each label to the next in one unit.
func labelled(text []byte) (units [][]byte) {
	begin, at := 0, 0
	for _, line := range lines(text) {
		if label.Match(line) && at > begin {
			units = append(units, text[begin:at])
			begin = at
		}
		at += len(line)
	}
	return append(units, text[begin:])
}

// token is a piece of a text that is left out as a whole: a comment, a string, a name or number, or a sign,
// with the space behind it.
var token = regexp.MustCompile(`(?s)(//[^\n]*|/\*.*?\*/|"(\\.|[^"\\\n])*"|[\w.$%@]+|\S)\s*|\s+`)

// sign returns a token without space.
func sign(token []byte) string { return string(bytes.TrimSpace(token)) }

// tokens returns the tokens of a text.
func tokens(text []byte) [][]byte { return token.FindAll(text, -1) }

// pairsOf returns where pairs of brackets open and close in a list of tokens, in the order in which they open.
func pairsOf(units [][]byte) (pairs [][2]int) {
	closes := map[string]string{")": "(", "]": "[", "}": "{"}
	var open []int // of pairs
	for i, u := range units {
		switch s := sign(u); s {
		case "(", "[", "{":
			open = append(open, len(pairs))
			pairs = append(pairs, [2]int{i, -1})
		case ")", "]", "}":
			if n := len(open); n > 0 && sign(units[pairs[open[n-1]][0]]) == closes[s] {
				pairs[open[n-1]][1] = i
				open = open[:n-1]
			}
		}
	}
	var whole [][2]int
	for _, p := range pairs {
		if p[1] >= 0 {
			whole = append(whole, p)
		}
	}
	return whole
}

// notInst finds a line of a body in LLVM IR that is no instruction: a label, a comment, a case of a switch or its end.
var notInst = regexp.MustCompile(`^\s*(("[^"]*"|[\w.$-]+):|;|i\d+ |\]|$)`)

// instsOfIR returns how many instructions the functions of a text in LLVM IR have.
func instsOfIR(text []byte) (n int) {
	body := false
	for _, line := range lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte("define ")):
			body = true
		case bytes.HasPrefix(line, []byte("}")):
			body = false
		case body && !notInst.Match(line):
			n++
		}
	}
	return n
}
