//go:build !unix

package files

import (
	"errors"
	"os"
)

// mapFile maps nothing here: the file is read.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }
