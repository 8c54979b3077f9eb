// Package literal parses the integers in requests, and formats text of requests for messages.
package literal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Integer parses a decimal integer or one with 0x. The value of a negative integer is its two's complement.
func Integer(s string) (v uint64, negative bool, err error) {
	digits, negative := strings.CutPrefix(s, "-")
	if rest, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		v, err = strconv.ParseUint(rest, 16, 64)
	} else {
		v, err = strconv.ParseUint(digits, 10, 64)
	}
	switch {
	case errors.Is(err, strconv.ErrRange), negative && v > 1<<63:
		return 0, false, fmt.Errorf("%s does not fit 64 bits", Short(s))
	case err != nil:
		return 0, false, fmt.Errorf("%s is not an integer; write 16, \"16\" or \"0x10\"", Short(s))
	case negative:
		return -v, true, nil
	}
	return v, false, nil
}

// most is the greatest length of a quoted text in bytes.
const most = 60

// Short returns s, shortened with dots if it is long.
func Short(s string) string {
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// Quoted is [Short] in quotes.
func Quoted(s string) string {
	if len(s) > most {
		return fmt.Sprintf("%q...", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
