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

// Where the card is, for programs.
const (
	nodeMajor, nodeMinor = 226, 128 // the first render node of DRM

	driDir   = "/dev/dri"
	nodeName = "renderD128"
	node     = driDir + "/" + nodeName
	kfdNode  = "/dev/kfd"
	kfdMajor = 234 // any number: the real driver gets a free one
	sysfs    = "/sys/dev/char/226:128"
)

// tree holds the files that programs see in place of those of the host: in a directory of
// this machine they lie at the same paths. It is written once. This process opens its files
// by the descriptors in entries only, never by a path: programs can't exchange what it opens.
type tree struct {
	root    string            // without symbolic links
	lock    *os.File          // of the directory, held while it is in use
	entries map[string]*entry // by the path that programs see
	home    *home
}

// entry is a file, directory or symbolic link of the tree, or a directory that leads to it.
type entry struct {
	fd           int    // opened with O_PATH
	kind         uint32 // S_IFREG, S_IFDIR, S_IFLNK, or S_IFCHR for the card
	major, minor uint32 // of the card
	link         string // where a symbolic link leads
	key          fileKey
}

// modules is the list of the kernel's modules. rocminfo looks for the driver there.
const modules = "/proc/modules"

// shadowed are the directories that programs see no file of the host in, and files that they see in
// place of those of the host.
var shadowed = []string{driDir, sysfs, kfdNode, "/sys/class/kfd", "/sys/devices/virtual/kfd", "/sys/module/amdgpu",
	modules}

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
		sysfs + "/dev": fmt.Sprintf("%d:%d\n", nodeMajor, nodeMinor),
		sysfs + "/uevent": fmt.Sprintf("MAJOR=%d\nMINOR=%d\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", nodeMajor, nodeMinor,
			nodeName),
	}
}

// kfdContents returns the files of a card that has /dev/kfd, besides the topology. Where the host tells
// its modules, the driver is one more.
func kfdContents() map[string]string {
	const driver = "amdgpu 8000000 1 - Live 0x0000000000000000\n"
	host, err := os.ReadFile(modules)
	if err != nil {
		host = nil
	}
	return map[string]string{
		kfdNode:                        "", // its calls are answered one by one
		"/sys/class/kfd/kfd":           linkMark + "../../devices/virtual/kfd/kfd",
		"/sys/module/amdgpu/initstate": "live\n",
		"/sys/module/amdgpu/refcnt":    "1\n",
		"/sys/module/amdgpu/coresize":  "8000000\n",
		"/sys/module/amdgpu/version":   "5.18.2\n",
		"/sys/module/amdgpu/holders/":  "",
		modules:                        driver + string(host),
	}
}

// linkMark is before the target of a symbolic link.
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
	if t.root, err = filepath.EvalSymlinks(t.root); err != nil { // as the kernel names it
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

// write makes one file, or a directory if the name ends in a slash.
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
	if err := errors.Join(err, unix.Fchmod(fd, mode), unix.Close(fd)); err != nil { // whatever the umask is
		return err
	}
	return t.keep(dir.fd, base, name, "")
}

// directory returns a directory of the tree, which it makes if it is missing.
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

// keep opens what lies at a path relative to a directory and makes it the entry called name.
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
	_ = os.RemoveAll(t.root) // the next start sweeps what is left
	if t.lock != nil {
		_ = t.lock.Close() // nothing was written
	}
	for _, e := range t.entries {
		_ = unix.Close(e.fd) // nothing was written
	}
	t.entries = nil
}

// inside returns the name that programs give to a path if it lies in one of the shadowed
// directories. A path into the directory on this machine counts, too: so the kernel names
// the working directory of a program that went there by a descriptor.
func (t *tree) inside(name string) (seen string, ok bool) {
	if below, ok := strings.CutPrefix(name, t.root+"/"); ok {
		name = "/" + below
	}
	return name, slices.ContainsFunc(shadowed, func(dir string) bool { return within(name, dir) })
}

// leads reports whether a directory is on the way to the tree: those are real directories on
// any host, not symbolic links.
func (t *tree) leads(name string) bool {
	return within(t.root, name) || slices.ContainsFunc(shadowed,
		func(dir string) bool { return within(dir, name) || within(t.root+dir, name) })
}

// within reports whether a path is dir or lies in it.
func within(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// cached reports whether a file keeps shaders of a driver that were compiled for addresses
// of another card: programs do not see it. Source: radv_meta.c.
func cached(name string) bool { return strings.HasPrefix(path.Base(name), "radv_builtin_shaders") }

// home is the root directory of a thread. Only in the root directory of this process do paths of a
// program mean what they mean here, and may directories be given away: a program that was put
// into another root could leave it by one.
type home struct {
	device, inode, mount uint64 // of the root directory
	namespace            fileKey
}

// homeOf returns the root of a thread.
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
