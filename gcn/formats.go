package gcn

import "strings"

// Prefixes that the names of buffer formats may have (seed: GcnMemHandling).
const (
	DataFormatPrefix = "BUF_DATA_FORMAT_"
	NumFormatPrefix  = "BUF_NUM_FORMAT_"
)

// dataFormats names the data formats by code; codes from 16 on are those of images. Names
// list the widths of the components from the highest bit. Source: seed GcnMemHandling.
// An older version of that document swaps the names of 8 and 9; drivers agree with this
// one: they use 9 for the format whose 2-bit alpha is at the top.
var dataFormats = [...]string{
	1: "8", 2: "16", 3: "8_8", 4: "32", 5: "16_16", 6: "10_11_11", 7: "11_11_10", 8: "10_10_10_2", 9: "2_10_10_10",
	10: "8_8_8_8", 11: "32_32", 12: "16_16_16_16", 13: "32_32_32", 14: "32_32_32_32",
	16: "5_6_5", 17: "1_5_5_5", 18: "5_5_5_1", 19: "4_4_4_4", 20: "8_24", 21: "24_8", 22: "X24_8_32",
	32: "GB_GR", 33: "BG_RG", 34: "5_9_9_9", 35: "BC1", 36: "BC2", 37: "BC3", 38: "BC4", 39: "BC5", 40: "BC6", 41: "BC7",
	57: "4_4", 58: "6_5_5", 59: "1", 60: "1_REVERSED", 63: "32_AS_32_32_32_32",
}

// numFormats names the number formats by code; codes from 8 on are those of images.
// Source: seed GcnMemHandling.
var numFormats = [...]string{
	"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SNORM_OGL", "FLOAT",
	9: "SRGB", 10: "UBNORM", 11: "UBNORM_OGL", 12: "UBINT", 13: "UBSCALED",
}

// DataFormatName returns the name of a data format code without prefix, as in
// "8_8_8_8", or "" if the code is reserved.
func DataFormatName(code uint8) string { return nameOf(dataFormats[:], code) }

// NumFormatName returns the name of a number format code without prefix, as in "UNORM",
// or "" if the code is reserved.
func NumFormatName(code uint8) string { return nameOf(numFormats[:], code) }

// ParseDataFormat returns the code of a data format name in any case, with or without
// its prefix.
func ParseDataFormat(name string) (code uint8, ok bool) {
	return codeOf(dataFormats[:], DataFormatPrefix, name)
}

// ParseNumFormat returns the code of a number format name in any case, with or without
// its prefix.
func ParseNumFormat(name string) (code uint8, ok bool) {
	return codeOf(numFormats[:], NumFormatPrefix, name)
}

func nameOf(names []string, code uint8) string {
	if int(code) < len(names) {
		return names[code]
	}
	return ""
}

func codeOf(names []string, prefix, name string) (code uint8, ok bool) {
	name = strings.TrimPrefix(strings.ToUpper(name), prefix)
	for i, n := range names {
		if n == name && n != "" {
			return uint8(i), true
		}
	}
	return 0, false
}
