package codeobj

import (
	"fmt"
	"strconv"
	"strings"
)

// unmarshalYAML parses the subset of YAML in which LLVM writes v2 metadata: block mappings and sequences, flow
// sequences of scalars, plain and quoted scalars. It returns map[string]any, []any and, for every scalar, string.
func unmarshalYAML(text string) (any, error) {
	r := &yamlReader{}
	for i, line := range strings.Split(text, "\n") {
		body := strings.TrimRight(strings.TrimLeft(line, " "), " \r\t\x00")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if body == "..." {
			break
		}
		if body == "" || body == "---" || body[0] == '#' {
			continue
		}
		r.lines = append(r.lines, yamlLine{indent, body, i + 1})
	}
	if len(r.lines) == 0 {
		return nil, nil
	}
	v, err := r.block(r.lines[0].indent, maxDepth)
	if err == nil && r.at < len(r.lines) {
		err = r.errorf("the indentation fits no mapping or sequence")
	}
	return v, err
}

type yamlLine struct {
	indent int
	text   string
	number int
}

type yamlReader struct {
	lines []yamlLine
	at    int
}

func (r *yamlReader) errorf(format string, args ...any) error {
	n := r.lines[min(r.at, len(r.lines)-1)].number
	return fmt.Errorf("YAML line %d: %s", n, fmt.Sprintf(format, args...))
}

// block parses the mapping or sequence whose lines have the given indentation.
func (r *yamlReader) block(indent, depth int) (any, error) {
	if depth == 0 {
		return nil, errDeep
	}
	if isItem(r.lines[r.at].text) {
		return r.sequence(indent, depth)
	}
	return r.mapping(indent, depth)
}

func isItem(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

func (r *yamlReader) sequence(indent, depth int) (any, error) {
	all := []any{}
	for r.at < len(r.lines) && r.lines[r.at].indent == indent && isItem(r.lines[r.at].text) {
		line := &r.lines[r.at]
		rest := strings.TrimLeft(line.text[1:], " ")
		var v any
		var err error
		if _, _, ok := splitKey(rest); ok || isItem(rest) { // a block that starts on this line
			line.indent += len(line.text) - len(rest)
			line.text = rest
			v, err = r.block(line.indent, depth-1)
		} else {
			v, err = r.scalar(rest, indent, depth)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (r *yamlReader) mapping(indent, depth int) (any, error) {
	m := map[string]any{}
	for r.at < len(r.lines) && r.lines[r.at].indent == indent && !isItem(r.lines[r.at].text) {
		key, rest, ok := splitKey(r.lines[r.at].text)
		if !ok {
			return nil, r.errorf("expected \"key: value\"")
		}
		v, err := r.scalar(rest, indent, depth)
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
	return m, nil
}

// splitKey splits "key: value"; the value may be empty.
func splitKey(text string) (key, rest string, ok bool) {
	if text == "" || strings.ContainsRune(`'"[{`, rune(text[0])) {
		return "", "", false
	}
	if key, ok := strings.CutSuffix(text, ":"); ok && !strings.Contains(key, ": ") {
		return key, "", true
	}
	key, rest, ok = strings.Cut(text, ": ")
	return key, strings.TrimLeft(rest, " "), ok
}

// scalar parses the value that starts with text on the current line. If it is a block, it continues on the following
// lines, which are indented by more than indent.
func (r *yamlReader) scalar(text string, indent, depth int) (any, error) {
	if text != "" {
		if text[0] == '[' {
			return r.flow(text)
		}
		v, err := r.unquote(text)
		r.at++
		return v, err
	}
	r.at++
	if r.at < len(r.lines) {
		next := r.lines[r.at]
		if next.indent > indent || next.indent == indent && isItem(next.text) {
			return r.block(next.indent, depth-1)
		}
	}
	return nil, nil
}

// flow parses "[ a, b ]", which may continue over several lines.
func (r *yamlReader) flow(text string) (any, error) {
	for n := 0; !strings.HasSuffix(text, "]"); n++ {
		if r.at+1 >= len(r.lines) || n == maxDepth {
			return nil, r.errorf("a sequence has no closing bracket")
		}
		r.at++
		text += " " + r.lines[r.at].text
	}
	all := []any{}
	for item := range strings.SplitSeq(text[1:len(text)-1], ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		v, err := r.unquote(item)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	r.at++
	return all, nil
}

func (r *yamlReader) unquote(text string) (string, error) {
	switch text[0] {
	case '\'':
		body, ok := strings.CutSuffix(text[1:], "'")
		if !ok {
			return "", r.errorf("a string has no closing quote")
		}
		return strings.ReplaceAll(body, "''", "'"), nil
	case '"':
		s, err := strconv.Unquote(text)
		if err != nil {
			return "", r.errorf("string %s is not understood", text)
		}
		return s, nil
	case '!': // LLVM marks names that YAML would parse as another type, such as the "no" of argument n
		body, ok := strings.CutPrefix(text, "!str")
		body = strings.TrimSpace(body)
		switch {
		case !ok:
			return "", r.errorf("tag %s is not used in metadata", text)
		case body == "" || body[0] == '!':
			return body, nil
		}
		return r.unquote(body)
	case '{', '[', '&', '*', '|', '>':
		return "", r.errorf("%q is not used in metadata", text[:1])
	}
	return text, nil
}
