//go:build linux && (amd64 || arm64)

package guest

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// treePrefix is the prefix of the names of tree directories.
const treePrefix = "gcnsim-gpu-"

// lockTree locks a directory as in use until the file is closed.
func lockTree(root string) (*os.File, error) {
	dir, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = dir.Close() // nothing was written
		return nil, &os.PathError{Op: "flock", Path: root, Err: err}
	}
	return dir, nil
}

// sweep removes the directories that killed processes left behind: those that are not locked and not just being
// created.
func sweep() {
	const young = time.Minute
	names, err := filepath.Glob(filepath.Join(os.TempDir(), treePrefix+"*"))
	if err != nil {
		return // the temporary directory's name is not a valid pattern, so nothing is swept
	}
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < young {
			continue
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
			continue
		}
		lock, err := lockTree(name)
		if err != nil {
			continue // in use
		}
		_ = os.RemoveAll(name) // the next start tries again
		_ = lock.Close()       // nothing was written
	}
}
