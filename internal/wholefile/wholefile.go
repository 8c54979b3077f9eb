// Package wholefile writes files whole or not at all.
package wholefile

import (
	"os"
	"path/filepath"
)

// Write writes data to the file at path, which replaces an older one once all is written.
// On an error nothing is left behind.
func Write(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".gcnsim-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	if _, err = f.Write(data); err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
