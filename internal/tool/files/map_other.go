//go:build !unix

package files

import (
	"errors"
	"os"
)

// mapFile is not supported on this system: callers read the file.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }
