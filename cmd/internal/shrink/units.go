package shrink

import (
	"bytes"
	"regexp"
)

// lines splits a text into lines, each with its line break.
func lines(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n")) }

// blocks splits a text into units: the lines inside of braces deeper than depth are one unit, every other line is
// one.
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

// label matches the line of an assembler text that starts a block.
var label = regexp.MustCompile(`^[^\s#;/][^\s]*:`)

// labelled splits an assembler text into units that start at labels.
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

// token matches a piece of a text that is removed as a whole: a comment, a string, a name, a number, or a sign, with
// the space behind it.
var token = regexp.MustCompile(`(?s)(//[^\n]*|/\*.*?\*/|"(\\.|[^"\\\n])*"|[\w.$%@]+|\S)\s*|\s+`)

// sign returns a token without space.
func sign(token []byte) string { return string(bytes.TrimSpace(token)) }

// tokens returns the tokens of a text.
func tokens(text []byte) [][]byte { return token.FindAll(text, -1) }

// pairsOf returns the indices of matching brackets in a list of tokens, in the order of the opening ones.
func pairsOf(units [][]byte) (pairs [][2]int) {
	closes := map[string]string{")": "(", "]": "[", "}": "{"}
	var open []int // stack of indices in pairs
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

// notInst matches a line in an LLVM IR function that is not an instruction: a label, a comment, or a part of a
// switch.
var notInst = regexp.MustCompile(`^\s*(("[^"]*"|[\w.$-]+):|;|i\d+ |\]|$)`)

// instsOfIR counts the instructions in LLVM IR functions.
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
