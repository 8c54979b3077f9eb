package gcn

import "strings"

// Prefixes that the names of buffer formats may have (seed: GcnMemHandling).
const (
	DataFormatPrefix = "BUF_DATA_FORMAT_"
	NumFormatPrefix  = "BUF_NUM_FORMAT_"
)

// Codes of number formats that image instructions tell apart.
const (
	NumUNORM = 0
	NumSNORM = 1
	NumSRGB  = 9
)

// numFormats names the number formats by code; codes from 8 on are those of images.
// Source: seed GcnMemHandling.
var numFormats = [...]string{
	"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SNORM_OGL", "FLOAT",
	9: "SRGB", 10: "UBNORM", 11: "UBNORM_OGL", 12: "UBINT", 13: "UBSCALED",
}

// DataFormatName returns the name of a data format code without prefix, as in
// "8_8_8_8", or "" if the code is reserved. Codes from 16 on are those of images before
// GCN 1.4; see [Gen.ImageFormat].
func DataFormatName(code uint8) string {
	if int(code) < len(imageFormats) {
		return imageFormats[code].Name
	}
	return ""
}

// NumFormatName returns the name of a number format code without prefix, as in "UNORM",
// or "" if the code is reserved.
func NumFormatName(code uint8) string {
	if int(code) < len(numFormats) {
		return numFormats[code]
	}
	return ""
}

// ParseDataFormat returns the code of a data format name in any case, with or without
// its prefix.
func ParseDataFormat(name string) (code uint8, ok bool) {
	return codeOf(len(imageFormats), DataFormatName, DataFormatPrefix, name)
}

// ParseNumFormat returns the code of a number format name in any case, with or without
// its prefix.
func ParseNumFormat(name string) (code uint8, ok bool) {
	return codeOf(len(numFormats), NumFormatName, NumFormatPrefix, name)
}

// codeOf returns the code below n that nameOf gives the name.
func codeOf(n int, nameOf func(uint8) string, prefix, name string) (code uint8, ok bool) {
	name = strings.TrimPrefix(strings.ToUpper(name), prefix)
	for code := range uint8(n) {
		if name != "" && nameOf(code) == name {
			return code, true
		}
	}
	return 0, false
}
