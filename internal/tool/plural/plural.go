// Package plural puts numbers of things into words.
package plural

import "fmt"

// Of returns n with the name of one thing in the right number, as in "1 error" and "2 errors".
func Of(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
