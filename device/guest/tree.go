//go:build linux && (amd64 || arm64)

package guest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/device"
)

// Where the card is, for programs.
const (
	nodeMajor, nodeMinor = 226, 128 // the first render node of DRM

	driDir   = "/dev/dri"
	nodeName = "renderD128"
	node     = driDir + "/" + nodeName
	sysfs    = "/sys/dev/char/226:128"
)

// tree holds the files that programs see in place of those of the host: in a directory of
// this machine they lie at the same paths. It is written once.
type tree struct {
	root string
	lock *os.File // of the directory, held while it is in use

	nodeInode uint64 // of the card's file
}

// shadowed are the directories that programs see no file of the host in.
var shadowed = []string{driDir, sysfs}

// contents returns the contents of the files by path; what begins with linkMark is the target of a link.
func contents(id device.PCI) map[string]string {
	const dir = sysfs + "/device/"
	return map[string]string{
		node:                       "", // its calls are answered one by one
		dir + "vendor":             fmt.Sprintf("0x%04x\n", id.Vendor),
		dir + "device":             fmt.Sprintf("0x%04x\n", id.Device),
		dir + "revision":           fmt.Sprintf("0x%02x\n", id.Revision),
		dir + "subsystem_vendor":   fmt.Sprintf("0x%04x\n", id.Vendor),
		dir + "subsystem_device":   fmt.Sprintf("0x%04x\n", id.Device),
		dir + "subsystem":          linkMark + "../../../../bus/pci",
		dir + "drm/renderD128/dev": fmt.Sprintf("%d:%d\n", nodeMajor, nodeMinor),
		dir + "uevent": fmt.Sprintf("DRIVER=%[1]s\nPCI_CLASS=30000\nPCI_ID=%04[2]X:%04[3]X\nPCI_SUBSYS_ID=%04[2]X:%04[3]X\nPCI_SLOT_NAME=%[4]s\n",
			id.Driver, id.Vendor, id.Device, id.Slot),
		sysfs + "/dev":    fmt.Sprintf("%d:%d\n", nodeMajor, nodeMinor),
		sysfs + "/uevent": fmt.Sprintf("MAJOR=%d\nMINOR=%d\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", nodeMajor, nodeMinor, nodeName),
	}
}

// linkMark is before the target of a symbolic link.
const linkMark = "->"

// newTree writes the files of a card into a new directory.
func newTree(id device.PCI) (*tree, error) {
	sweep()
	root, err := os.MkdirTemp("", treePrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	t := &tree{root: root}
	t.lock, err = lockTree(root)
	for name, text := range contents(id) {
		if err != nil {
			break
		}
		err = t.write(name, text)
	}
	var st unix.Stat_t
	if err == nil {
		err = unix.Stat(root+node, &st)
	}
	if err != nil {
		t.remove()
		return nil, fmt.Errorf("guest: %w", err)
	}
	t.nodeInode = st.Ino
	return t, nil
}

// write makes one file.
func (t *tree) write(name, text string) error {
	at := t.root + name
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if target, ok := strings.CutPrefix(text, linkMark); ok {
		return os.Symlink(target, at)
	}
	return os.WriteFile(at, []byte(text), 0o444)
}

// remove deletes all files.
func (t *tree) remove() {
	_ = os.RemoveAll(t.root) // the next start sweeps what is left
	if t.lock != nil {
		_ = t.lock.Close() // nothing was written
	}
}

// find returns where the file lies that a program sees at a path, if it is one of the
// tree's. The path is absolute; one that leads into the directory itself is, too.
func (t *tree) find(name string) (seen string, ours bool) {
	name = path.Clean(name)
	if inside, ok := strings.CutPrefix(name, t.root+"/"); ok {
		name = "/" + inside
	}
	for _, dir := range shadowed {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return name, true
		}
	}
	return "", false
}

// leaves reports whether a path goes through the tree and out of it again, as /dev/dri/..
// does.
func (t *tree) leaves(name string) bool {
	for at, part := range strings.SplitAfter(name, "/") {
		if part != "../" && part != ".." {
			continue
		}
		before := strings.Join(strings.SplitAfter(name, "/")[:at], "")
		if _, ours := t.find(before); ours {
			return true
		}
	}
	return false
}

// cached reports whether a file keeps shaders of a driver that were compiled for addresses
// of another card: programs do not see it. Source: radv_meta.c.
func cached(name string) bool { return strings.HasPrefix(path.Base(name), "radv_builtin_shaders") }
