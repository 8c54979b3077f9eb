//go:build linux && (amd64 || arm64)

package guest

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// newTestTree returns a tree that is removed after the test.
func newTestTree(t testing.TB) *tree {
	t.Helper()
	tree, err := newTree((*stub)(nil))
	require.NoError(t, err)
	t.Cleanup(tree.remove)
	return tree
}

func TestResolve(t *testing.T) {
	tree := newTestTree(t)
	sys := sysfs + "/device"
	links := map[string]string{"cwd": "/home/u", "root": "/", "fd/3": tree.root + driDir, "fd/4": "/memfd:card (deleted)"}
	jump := func(link string) (string, error) {
		if to, ok := links[link]; ok {
			return to, nil
		}
		return "", unix.ENOENT
	}
	for _, c := range []struct {
		base, name string
		resolve    uint64
		want       string // a name of the tree, an error, or "" if the kernel must resolve the path
	}{
		{name: "/dev/dri/renderD128", want: node},
		{name: "//dev/./dri//renderD128", want: node},
		{name: "/dev/dri/", want: driDir},
		{name: "/dev/dri/../dri/renderD128", want: node},
		{name: "/dev/../dev/dri/renderD128", want: node},
		{name: "/../../dev/dri", want: driDir},
		{base: "/dev", name: "dri/renderD128", want: node},
		{base: "/home/u", name: "../../dev/dri", want: driDir},
		{base: tree.root + "/dev/dri", name: "renderD128", want: node},
		{base: tree.root, name: "dev/dri/renderD128", want: node},
		{name: "/proc/self/root/dev/dri", want: driDir},
		{name: "/proc/self/fd/3/renderD128", want: node},
		{name: "/proc/thread-self/cwd/../../dev/dri", want: driDir},
		{name: sys + "/subsystem", want: sys + "/subsystem"},

		{name: "/dev/dri/card0", want: "ENOENT"},
		{name: "/dev/dri/card0/x", want: "ENOENT"},
		{name: "/dev/dri/renderD128/", want: "ENOTDIR"},
		{name: "/dev/dri/renderD128/../x", want: "ENOTDIR"},
		{name: "/dev/dri/" + strings.Repeat("x", 256), want: "ENAMETOOLONG"},
		{name: sys + "/subsystem/x", resolve: unix.RESOLVE_NO_SYMLINKS, want: "ELOOP"},
		{name: "/dev/dri/renderD128", resolve: unix.RESOLVE_NO_XDEV, want: "EXDEV"},
		{base: tree.root + "/dev/dri", name: "renderD128", resolve: unix.RESOLVE_NO_XDEV, want: node},
		{base: "/dev", name: "dri/renderD128", resolve: unix.RESOLVE_BENEATH, want: node},
		{base: "/", name: "/dev/dri/renderD128", resolve: unix.RESOLVE_IN_ROOT, want: node},

		{name: "/dev/dri/../null"},
		{name: "/dev/dri/../../etc/shadow"},
		{name: "/dev/dri/../../proc/self/mem"},
		{name: sysfs + "/../../../../etc/shadow"},
		{name: sys + "/subsystem/devices"},
		{name: "/dev"},
		{name: "/usr/../dev/dri/renderD128"}, // /usr may be a link
		{name: "/dev/dri2"},
		{name: "/proc/self/fd/4"},
		{name: "/proc/self/fd/9/renderD128"},
		{name: "/proc/self/../../dev/dri"},
		{name: "/proc/self/fd/3/renderD128", resolve: unix.RESOLVE_NO_MAGICLINKS},
		{name: "/dev/dri/renderD128", base: "/dev", resolve: unix.RESOLVE_BENEATH},
		{base: "/home", name: "/dev/dri/renderD128", resolve: unix.RESOLVE_IN_ROOT},
		{base: "/dev/dri", name: "../dri/renderD128", resolve: unix.RESOLVE_BENEATH},
		{base: tree.root + "/dev/dri", name: "../../etc/passwd"},
		{base: tree.root + "/dev/dri/made", name: "x"},
		{base: "(unreachable)/dev", name: "dri"},
		{base: "pipe:[1]", name: "dri"},
	} {
		if c.base == "" {
			c.base = "/"
		}
		f := tree.resolve(&lookup{base: c.base, name: c.name, resolve: c.resolve, jump: jump})
		got := f.name
		if f.errno != 0 {
			got = unix.ErrnoName(f.errno)
		}
		assert.Equal(t, c.want, got, "%s from %s, %#x", c.name, c.base, c.resolve)
	}
	// A call that only queries may reach directories above the tree, by a path through the tree.
	f := tree.resolve(&lookup{base: "/", name: "/dev/dri/.."})
	assert.True(t, f.above)
	assert.Same(t, tree.entries["/dev"], f.entry)
}

// host is a directory in which the kernel resolves paths. The directories that the tree shadows contain the tree's
// files; the other files represent those of a host.
type host struct {
	dir  int
	tree *tree
	keys map[fileKey]string // names of its shadowed files, as programs see them
}

func newHost(t testing.TB) *host {
	t.Helper()
	h := &host{tree: newTestTree(t), keys: map[fileKey]string{}}
	root := t.TempDir()
	for name, e := range h.tree.entries {
		var err error
		switch e.kind {
		case unix.S_IFDIR:
			err = os.MkdirAll(root+name, 0o700)
		case unix.S_IFLNK:
			err = errors.Join(os.MkdirAll(filepath.Dir(root+name), 0o700), os.Symlink(e.link, root+name))
		default:
			err = errors.Join(os.MkdirAll(filepath.Dir(root+name), 0o700), os.WriteFile(root+name, nil, 0o600))
		}
		require.NoError(t, err)
	}
	for _, name := range []string{"/etc", "/sys/bus/pci"} {
		require.NoError(t, os.MkdirAll(root+name, 0o700))
	}
	require.NoError(t, os.WriteFile(root+"/etc/shadow", nil, 0o600))
	require.NoError(t, os.Symlink("/dev/dri", root+"/etc/in"))
	var err error
	h.dir, err = unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, unix.Close(h.dir)) })
	for name := range h.tree.entries {
		if _, ours := h.tree.inside(name); !ours {
			continue
		}
		fd, err := unix.Openat(h.dir, name[1:], unix.O_PATH|unix.O_NOFOLLOW, 0)
		require.NoError(t, err)
		key, err := keyOf(reopen(fd))
		require.NoError(t, errors.Join(err, unix.Close(fd)))
		h.keys[key] = name
	}
	return h
}

// ask returns how the kernel resolves a path: a name of the tree, an error, or "" for a file of the host.
func (h *host) ask(name string, follow bool) (string, unix.Errno) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT}
	if !follow {
		how.Flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Openat2(h.dir, name, &how)
	if err != nil {
		return "", errnoOf(err)
	}
	key, err := keyOf(reopen(fd))
	if err := errors.Join(err, unix.Close(fd)); err != nil {
		return "", errnoOf(err)
	}
	return h.keys[key], 0
}

// model resolves a path in the tree with nodes that know their parents. It returns nil at the first name that it does
// not know.
type model struct {
	up    *model
	below map[string]*model
	name  string
	entry *entry // nil outside of the shadowed directories
}

func newModel(t *tree) *model {
	root := &model{below: map[string]*model{}}
	root.up = root
	for name, e := range t.entries {
		at := root
		for part := range strings.SplitSeq(name, "/") {
			if part == "" {
				continue
			}
			if at.below[part] == nil {
				at.below[part] = &model{up: at, below: map[string]*model{}, name: at.name + "/" + part}
			}
			at = at.below[part]
		}
		if _, ours := t.inside(name); ours {
			at.entry = e
		}
	}
	return root
}

func (m *model) resolve(parts []string, follow bool) (string, unix.Errno) {
	at := m
	for i := 0; i < len(parts); i++ {
		if at.entry != nil && at.entry.kind != unix.S_IFDIR {
			return "", unix.ENOTDIR
		}
		next := at.below[parts[i]]
		switch parts[i] {
		case "", ".":
			continue
		case "..":
			next = at.up
		}
		switch {
		case next == nil && at.entry != nil && len(parts[i]) > maxName:
			return "", unix.ENAMETOOLONG
		case next == nil && at.entry != nil:
			return "", unix.ENOENT
		case next == nil:
			return "", 0
		case next.entry != nil && next.entry.kind == unix.S_IFLNK && (follow || i < len(parts)-1):
			parts = append(strings.Split(next.entry.link, "/"), parts[i+1:]...)
			i = -1
			continue
		}
		at = next
	}
	if at.entry == nil {
		return "", 0
	}
	return at.name, 0
}

// check compares resolve with the model and with the kernel.
func (h *host) check(t *testing.T, m *model, name string, follow bool) {
	t.Helper()
	if name == "" || strings.ContainsRune(name, 0) || len(name) >= maxPath {
		return
	}
	f := h.tree.resolve(&lookup{base: "/", name: name, follow: follow})
	got := f.name
	if f.above {
		got = "" // the kernel must open it
	}
	want, errno := m.resolve(strings.Split(name, "/"), follow)
	assert.Equal(t, want, got, "%q", name)
	assert.Equal(t, errno, f.errno, "%q", name)
	if f.entry != nil {
		_, ours := h.tree.inside(f.name)
		assert.True(t, ours || f.above, "%q leads to %s", name, f.name)
		assert.Same(t, h.tree.entries[f.name], f.entry)
	}
	kernel, errno := h.ask(name, follow)
	switch {
	case got != "":
		assert.Equal(t, got, kernel, "%q for the kernel", name)
	case f.errno != 0:
		assert.Equal(t, errno, f.errno, "%q for the kernel", name)
	}
}

// pieces are components of paths: names of the tree, of the host, and of neither.
var pieces = []string{
	"dev", "dri", "renderD128", "card0", "sys", "char", "226:128", "device", "subsystem", "vendor", "drm", "etc",
	"shadow", "in", "bus", "pci",
	"..", "..", "..", ".", "", "dev/dri", "sys/dev/char/226:128", "sys/dev/char/226:128/device/subsystem", "dev/dri/../..",
}

func TestPathsAsTheKernelResolvesThem(t *testing.T) {
	h := newHost(t)
	m := newModel(h.tree)
	r := rand.New(rand.NewPCG(1, 2))
	n := 20_000
	if !effort.Full() {
		n = 3000
	}
	for range n {
		parts := make([]string, 1+r.IntN(8))
		for i := range parts {
			parts[i] = pieces[r.IntN(len(pieces))]
		}
		h.check(t, m, "/"+strings.Join(parts, "/"), r.IntN(2) == 0)
		if t.Failed() {
			return
		}
	}
}

// FuzzPaths: resolve leads to the same file as the kernel in a copy of a guest's tree.
func FuzzPaths(f *testing.F) {
	for _, name := range []string{
		node, "/dev/dri/../../etc/shadow", "/sys/dev/char/226:128/../../../../etc/shadow", "/dev/dri/../../proc/self/mem",
		"/sys/dev/char/226:128/device/subsystem/../../x", "/etc/in/renderD128", "/dev/dri/renderD128/..",
		"/dev/dri/./../dri//renderD128/",
	} {
		f.Add(name, true)
		f.Add(name, false)
	}
	h := newHost(f)
	m := newModel(h.tree)
	f.Fuzz(func(t *testing.T, name string, follow bool) { h.check(t, m, "/"+name, follow) })
}
