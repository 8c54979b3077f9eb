// Package plural formats numbers of things.
package plural

import (
	"fmt"
	"math/bits"
	"strings"
)

// Of returns n with the singular or plural of thing, such as "1 error" or "2 errors".
func Of(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Lanes returns the lanes of a mask, such as "0-3, 7". If there are more than most ranges, the rest is "...".
func Lanes(mask uint64, most int) string {
	var runs []string
	for first := 0; mask != 0; {
		skip := bits.TrailingZeros64(mask)
		n := bits.TrailingZeros64(^(mask >> skip))
		first += skip
		switch {
		case len(runs) == most:
			return strings.Join(append(runs, "..."), ", ")
		case n == 1:
			runs = append(runs, fmt.Sprint(first))
		default:
			runs = append(runs, fmt.Sprintf("%d-%d", first, first+n-1))
		}
		first += n
		mask = mask >> skip >> n
	}
	return strings.Join(runs, ", ")
}
