// Package compare takes two programs that should do the same and says where they do not.
package compare
