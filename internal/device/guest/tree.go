//go:build linux && (amd64 || arm64)

package guest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/device"
)

// Paths and device numbers of the card, as programs see them.
const (
	nodeMajor, nodeMinor = 226, 128 // the first render node of DRM

	driDir   = "/dev/dri"
	nodeName = "renderD128"
	node     = driDir + "/" + nodeName
	kfdNode  = "/dev/kfd"
	kfdMajor = 234 // an arbitrary number: the real driver gets a free one
	sysfs    = "/sys/dev/char/226:128"
)

// tree has the files that programs see instead of the host's. They are in a directory of this machine, at the same
// paths below it. The tree is written once. This process opens its files only through the descriptors in entries,
// never by path, so programs cannot replace a file before it is opened.
type tree struct {
	root    string            // path of the directory, without symbolic links
	lock    *os.File          // lock file of the directory, held while the tree is in use
	entries map[string]*entry // by the path that programs see
	home    *home
}

// entry is a file, directory or symbolic link of the tree, or a directory above the tree.
type entry struct {
	fd           int    // opened with O_PATH
	kind         uint32 // S_IFREG, S_IFDIR, S_IFLNK, or S_IFCHR for the card
	major, minor uint32 // device numbers of the card
	link         string // target of a symbolic link
	key          fileKey
}

// modules is the list of kernel modules, where rocminfo looks for the driver.
const modules = "/proc/modules"

// shadowed are the paths that programs see from the tree: directories that show no file of the host, and files that
// replace those of the host.
var shadowed = []string{driDir, sysfs, kfdNode, "/sys/class/kfd", "/sys/devices/virtual/kfd", "/sys/module/amdgpu",
	modules}

// contents returns the contents of the files by path. A content that begins with linkMark is a symbolic link's
// target.
func contents(id device.PCI) map[string]string {
	const dir = sysfs + "/device/"
	return map[string]string{
		node:                       "", // empty: ioctls on it are answered by the device
		dir + "vendor":             fmt.Sprintf("0x%04x\n", id.Vendor),
		dir + "device":             fmt.Sprintf("0x%04x\n", id.Device),
		dir + "revision":           fmt.Sprintf("0x%02x\n", id.Revision),
		dir + "subsystem_vendor":   fmt.Sprintf("0x%04x\n", id.Vendor),
		dir + "subsystem_device":   fmt.Sprintf("0x%04x\n", id.Device),
		dir + "subsystem":          linkMark + "../../../../bus/pci",
		dir + "drm/renderD128/dev": fmt.Sprintf("%d:%d\n", nodeMajor, nodeMinor),
		dir + "uevent": fmt.Sprintf("DRIVER=%[1]s\nPCI_CLASS=30000\nPCI_ID=%04[2]X:%04[3]X\nPCI_SUBSYS_ID=%04[2]X:%04[3]X\nPCI_SLOT_NAME=%[4]s\n",
			id.Driver, id.Vendor, id.Device, id.Slot),
		sysfs + "/dev": fmt.Sprintf("%d:%d\n", nodeMajor, nodeMinor),
		sysfs + "/uevent": fmt.Sprintf("MAJOR=%d\nMINOR=%d\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", nodeMajor, nodeMinor,
			nodeName),
	}
}

// kfdContents returns the files of a card with /dev/kfd, without the topology. If the host lists its kernel modules,
// it adds the driver to the list.
func kfdContents() map[string]string {
	const driver = "amdgpu 8000000 1 - Live 0x0000000000000000\n"
	host, err := os.ReadFile(modules)
	if err != nil {
		host = nil
	}
	return map[string]string{
		kfdNode:                        "", // empty: ioctls on it are answered by the device
		"/sys/class/kfd/kfd":           linkMark + "../../devices/virtual/kfd/kfd",
		"/sys/module/amdgpu/initstate": "live\n",
		"/sys/module/amdgpu/refcnt":    "1\n",
		"/sys/module/amdgpu/coresize":  "8000000\n",
		"/sys/module/amdgpu/version":   "5.18.2\n",
		"/sys/module/amdgpu/holders/":  "",
		modules:                        driver + string(host),
	}
}

// linkMark is the prefix of the content of a symbolic link.
const linkMark = "->"

// newTree writes the files of a card into a new directory.
func newTree(d Device) (*tree, error) {
	sweep()
	root, err := os.MkdirTemp("", treePrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	t := &tree{root: root, entries: map[string]*entry{}}
	if err := t.fill(d); err != nil {
		t.remove()
		return nil, fmt.Errorf("guest: %w", err)
	}
	return t, nil
}

// fill writes all files and opens them.
func (t *tree) fill(d Device) (err error) {
	if t.lock, err = lockTree(t.root); err != nil {
		return err
	}
	if t.root, err = filepath.EvalSymlinks(t.root); err != nil { // the kernel reports paths without links
		return err
	}
	if t.home, err = homeOf(process(unix.Getpid())); err != nil {
		return err
	}
	if err := t.keep(unix.AT_FDCWD, t.root, "/", ""); err != nil {
		return err
	}
	all := contents(d.PCI())
	if topology := d.Topology(); topology != nil {
		maps.Copy(all, topology)
		maps.Copy(all, kfdContents())
	} else if host, err := os.ReadFile(modules); err == nil {
		all[modules] = string(host)
	}
	for name, text := range all {
		if err := t.write(name, text); err != nil {
			return fmt.Errorf("%s%s: %w", t.root, name, err)
		}
	}
	e := t.entries[node]
	e.kind, e.major, e.minor = unix.S_IFCHR, nodeMajor, nodeMinor
	if e := t.entries[kfdNode]; e != nil {
		e.kind, e.major, e.minor = unix.S_IFCHR, kfdMajor, 0
	}
	return nil
}

// write creates one file, or a directory if the name ends in a slash.
func (t *tree) write(name, text string) error {
	if dir, ok := strings.CutSuffix(name, "/"); ok {
		_, err := t.directory(dir)
		return err
	}
	dir, err := t.directory(path.Dir(name))
	if err != nil {
		return err
	}
	base := path.Base(name)
	if target, ok := strings.CutPrefix(text, linkMark); ok {
		if err := unix.Symlinkat(target, dir.fd, base); err != nil {
			return err
		}
		return t.keep(dir.fd, base, name, target)
	}
	const mode = 0o444
	fd, err := unix.Openat(dir.fd, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte(text))
	if err := errors.Join(err, unix.Fchmod(fd, mode), unix.Close(fd)); err != nil { // Fchmod, because of the umask
		return err
	}
	return t.keep(dir.fd, base, name, "")
}

// directory returns a directory of the tree. It creates a missing one.
func (t *tree) directory(name string) (*entry, error) {
	if e := t.entries[name]; e != nil {
		return e, nil
	}
	parent, err := t.directory(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if err := unix.Mkdirat(parent.fd, path.Base(name), 0o755); err != nil {
		return nil, err
	}
	if err := t.keep(parent.fd, path.Base(name), name, ""); err != nil {
		return nil, err
	}
	return t.entries[name], nil
}

// keep opens the file at a path relative to the descriptor dir and adds it to the entries as name.
func (t *tree) keep(dir int, at, name, link string) error {
	fd, err := unix.Openat(dir, at, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	key, also := keyOf(reopen(fd))
	if err := errors.Join(err, also); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	t.entries[name] = &entry{fd: fd, kind: st.Mode & unix.S_IFMT, link: link, key: key}
	return nil
}

// remove deletes all files.
func (t *tree) remove() {
	_ = os.RemoveAll(t.root) // if this fails, the next start removes the rest
	if t.lock != nil {
		_ = t.lock.Close() // nothing was written
	}
	for _, e := range t.entries {
		_ = unix.Close(e.fd) // nothing was written
	}
	t.entries = nil
}

// inside returns the name by which programs see a path, if the path lies in a shadowed directory. A path into the
// tree's own directory counts too, because the kernel reports the working directory like this if a program went there
// by a descriptor.
func (t *tree) inside(name string) (seen string, ok bool) {
	if below, ok := strings.CutPrefix(name, t.root+"/"); ok {
		name = "/" + below
	}
	return name, slices.ContainsFunc(shadowed, func(dir string) bool { return within(name, dir) })
}

// leads reports whether a directory is above the tree. Such directories are real directories on any host, not
// symbolic links.
func (t *tree) leads(name string) bool {
	return within(t.root, name) || slices.ContainsFunc(shadowed,
		func(dir string) bool { return within(dir, name) || within(t.root+dir, name) })
}

// within reports whether a path is dir or lies below it.
func within(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// cached reports whether a file is a driver's cache of shaders that were compiled for addresses of another card.
// Programs do not see such files. Source: radv_meta.c.
func cached(name string) bool { return strings.HasPrefix(path.Base(name), "radv_builtin_shaders") }

// home is the root directory of a thread. Paths of a program are only resolved, and directories only passed to it, if
// it has the same root as this process. A program with another root (chroot) could leave it through such a directory.
type home struct {
	device, inode, mount uint64 // identity of the root directory
	namespace            fileKey
}

// homeOf returns the root directory of a thread.
func homeOf(p process) (*home, error) {
	var root unix.Statx_t
	const want = unix.STATX_INO | unix.STATX_MNT_ID
	if err := unix.Statx(unix.AT_FDCWD, p.ofProc("root"), unix.AT_STATX_DONT_SYNC, want, &root); err != nil {
		return nil, err
	}
	namespace, err := keyOf(p.ofProc("ns/mnt"))
	if err != nil {
		return nil, err
	}
	return &home{unix.Mkdev(root.Dev_major, root.Dev_minor), root.Ino, root.Mnt_id, namespace}, nil
}
