package codeobj

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestYAML(t *testing.T) {
	v, err := unmarshalYAML(strings.Join([]string{
		"---", "# comment", "Version: [ 1, 0 ]", "Printf:", "- '1:1:4:%d\\n'", `- "a\tb"`,
		"Kernels:", "  - Name:  one", "    Quoted: 'it''s'", "    Empty:", "    Attrs:", "      Reqd: [ 1,", "        2 ]",
		"  - - x", "    - y", "  -", "    Name: !str no", "...", "ignored"}, "\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"Version": []any{"1", "0"}, "Printf": []any{`1:1:4:%d\n`, "a\tb"},
		"Kernels": []any{
			map[string]any{"Name": "one", "Quoted": "it's", "Empty": nil, "Attrs": map[string]any{"Reqd": []any{"1", "2"}}},
			[]any{"x", "y"},
			map[string]any{"Name": "no"},
		}}, v)
	for text, want := range map[string]string{
		"a: b\n  c: d":                     "line 2: the indentation",
		"a: [ 1, 2":                        "closing bracket",
		"a: 'b":                            "closing quote",
		"a: { b: c }":                      "not used",
		"a: !int 1":                        "tag !int 1 is not used",
		"a: b\nc":                          "key: value",
		"a: \"\\q\"":                       "not understood",
		strings.Repeat("- ", 100) + "x":    "deeply",
		"Kernels:\n  - Name: a\n Args: []": "indentation",
	} {
		_, err := unmarshalYAML(text)
		require.ErrorContains(t, err, want, text)
	}
	v, err = unmarshalYAML("---\n...\n")
	require.NoError(t, err)
	require.Nil(t, v)
}

func TestMsgpack(t *testing.T) {
	for data, want := range map[string]any{
		"\x07": uint64(7), "\xff": int64(-1), "\xcc\xff": uint64(255), "\xcd\x01\x02": uint64(0x102),
		"\xce\x01\x02\x03\x04": uint64(0x01020304), "\xcf\x00\x00\x00\x01\x00\x00\x00\x00": uint64(1 << 32),
		"\xd0\xfe": int64(-2), "\xd0\x7f": uint64(127), "\xd1\x80\x00": int64(-32768), "\xd2\xff\xff\xff\xff": int64(-1),
		"\xd3\x80\x00\x00\x00\x00\x00\x00\x00": int64(-1 << 63),
		"\xc0":                                 nil, "\xc2": false, "\xc3": true,
		"\xa2ab": "ab", "\xd9\x01a": "a", "\xda\x00\x01a": "a", "\xdb\x00\x00\x00\x01a": "a", "\xc4\x01a": "a",
		"\x92\x01\x02": []any{uint64(1), uint64(2)}, "\xdc\x00\x01\x01": []any{uint64(1)},
		"\xdd\x00\x00\x00\x01\x01": []any{uint64(1)},
		"\x81\xa1a\x01":            map[string]any{"a": uint64(1)}, "\xde\x00\x01\xa1a\x01": map[string]any{"a": uint64(1)},
		"\xdf\x00\x00\x00\x01\xa1a\x01": map[string]any{"a": uint64(1)},
	} {
		v, err := unmarshalMsgpack([]byte(data))
		require.NoError(t, err, "%q", data)
		require.Equal(t, want, v, "%q", data)
	}
	for data, want := range map[string]string{
		"": "cut short", "\xa2a": "cut short", "\x92\x01": "cut short", "\x81\xa1a": "cut short", "\xcd\x01": "cut short",
		"\xdd\xff\xff\xff\xff": "cut short", "\xdf\xff\xff\xff\xff": "cut short", "\xda\x00": "cut short",
		"\xca\x00\x00\x00\x00": "0xca", "\x81\x01\x01": "not a string",
		strings.Repeat("\x91", 100) + "\x01": "deeply",
	} {
		_, err := unmarshalMsgpack([]byte(data))
		require.ErrorContains(t, err, want, "%q", data)
	}
}

// TestMetadataErrors passes values of each wrong type for each key.
func TestMetadataErrors(t *testing.T) {
	for text, want := range map[string]string{
		"- a":                       "expected a map",
		"Kernels: x":                "Kernels is not a list",
		"Kernels:\n  - x":           "expected a map",
		"Kernels:\n  - Name: [ 1 ]": "Name is not a string",
		"Kernels:\n  - Name: k\n    CodeProps: 1": "expected a map",
		"Kernels:\n  - Name: k\n    CodeProps:\n      " +
			"MaxFlatWorkGroupSize: many": "MaxFlatWorkGroupSize is many",
		"Kernels:\n  - Name: k\n    CodeProps:\n      KernargSegmentSize: " +
			"0xfffffff": "KernargSegmentSize is",
		"Kernels:\n  - Name: k\n    Attrs:\n      ReqdWorkGroupSize: [ 1, 2 ]": "has 2 numbers",

		"Kernels:\n  - Name: k\n    Args:\n      - Size: 8": "unknown ValueKind",

		"Kernels:\n  - Name: k\n    Args:\n      - Size: 8\n        Align: 3\n        ValueKind: ByValue": "alignment of 3",
		"Kernels:\n  - Name: k\n    Args:\n      - Size: 0xffffffff\n        ValueKind: ByValue":          "ends at byte",
	} {
		_, err := readMetadata(2, []note{{ownerV2, noteMetadataV2, []byte(text)}})
		require.NotNil(t, err, text)
		require.ErrorContains(t, err, want)
	}
}

func TestNames(t *testing.T) {
	for k := range numArgKinds {
		require.NotEmpty(t, k.String())
		got, ok := msgpackSpelling.kind(k.String())
		require.True(t, ok && got == k)
	}
}
