//go:build linux && (amd64 || arm64)

package guest

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// lookup is a path from a program, and the settings for resolving it.
type lookup struct {
	base    string // directory for a relative path: absolute, without symbolic links
	name    string
	follow  bool   // follow a symbolic link at the end of the path, too
	resolve uint64 // RESOLVE_ flags of openat2

	// jump returns the target of a magic link of /proc/self: cwd, root or fd/N. It may be nil.
	jump func(link string) (string, error)
}

// found is the object that a path leads to. The zero value says that the kernel must resolve the path.
type found struct {
	entry *entry
	name  string     // name of the entry as programs see it
	errno unix.Errno // the path leads into the tree and fails there
	last  bool       // only the last component of the path is missing
	above bool       // entry is a directory above the tree, which the path reached from inside the tree
}

// maxLinks is how many symbolic links the kernel follows in a path.
const maxLinks = 40

// maxName is the length of a component of a path, in bytes.
const maxName = 255

// resolve decides from the path alone which entry of the tree it leads to. It asks no file system. It walks component
// by component. The kernel must resolve a path that leaves the tree by "..", or that contains a name outside of the
// tree, unless the name is a directory above the tree.
func (t *tree) resolve(q *lookup) found {
	w := walk{tree: t, lookup: q, at: q.base, top: "/"}
	if q.resolve&unix.RESOLVE_IN_ROOT != 0 {
		w.top = q.base
	}
	if !w.begin(q.name) {
		return found{}
	}
	for len(w.todo) > 0 {
		if end, done := w.step(); done {
			return end
		}
	}
	return w.end()
}

// walk is a path that is being resolved, component by component.
type walk struct {
	*lookup
	tree *tree

	at      string // current directory of the walk: an absolute path without links
	top     string // ".." does not lead above it
	todo    []string
	links   int
	through bool // the walk has been in the tree
}

// begin starts to walk along a path or the target of a link. It reports false if the kernel must resolve the path.
func (w *walk) begin(name string) bool {
	if path.IsAbs(name) {
		if w.resolve&unix.RESOLVE_BENEATH != 0 {
			return false
		}
		w.at = w.top
	}
	w.todo = append(strings.Split(strings.TrimLeft(name, "/"), "/"), w.todo...)
	return path.IsAbs(w.at)
}

// step resolves the next component.
func (w *walk) step() (end found, done bool) {
	c := w.todo[0]
	w.todo = w.todo[1:]
	seen, inside := w.tree.inside(w.at)
	switch e := w.tree.entries[seen]; {
	case inside && e == nil:
		return found{}, true // a program created this directory
	case inside && e.kind != unix.S_IFDIR:
		return found{errno: unix.ENOTDIR}, true // even if the component is "." or ""
	}
	switch c {
	case "", ".":
		return found{}, false
	case "..":
		return found{}, w.up()
	}
	next := path.Join(w.at, c)
	seen, inside = w.tree.inside(next)
	switch {
	case inside:
		return w.enter(next, seen)
	case w.tree.leads(next):
		w.at = next
		return found{}, false
	}
	return found{}, !w.magic(next)
}

// up goes to the parent directory. It reports true if the kernel must resolve the path.
func (w *walk) up() bool {
	if w.at == w.top {
		return w.resolve&unix.RESOLVE_BENEATH != 0
	}
	if w.at == w.base && w.resolve&unix.RESOLVE_BENEATH != 0 || within(w.at, "/proc") {
		return true // in /proc, the parent of a link is not the parent of its target
	}
	w.at = path.Dir(w.at)
	return false
}

// enter goes to a name in the tree. If the name is a link, it follows the link.
func (w *walk) enter(next, seen string) (end found, done bool) {
	if _, from := w.tree.inside(w.at); !from && w.resolve&unix.RESOLVE_NO_XDEV != 0 {
		return found{errno: unix.EXDEV}, true // the tree counts as a file system of its own
	}
	w.through = true
	e := w.tree.entries[seen]
	last := !w.more()
	switch {
	case len(path.Base(next)) > maxName:
		return found{errno: unix.ENAMETOOLONG}, true
	case e == nil:
		return found{errno: unix.ENOENT, last: last}, true
	case e.kind != unix.S_IFLNK || last && len(w.todo) == 0 && !w.follow:
		w.at = next
		return found{}, false
	}
	if w.links++; w.links > maxLinks || w.resolve&unix.RESOLVE_NO_SYMLINKS != 0 {
		return found{errno: unix.ELOOP}, true
	}
	return found{}, !w.begin(e.link)
}

// more reports whether components follow. Slashes at the end do not count.
func (w *walk) more() bool { return strings.Join(w.todo, "") != "" }

// magic follows /proc/self/cwd, /proc/self/root and /proc/self/fd/N, which lead to objects of the program. It reports
// false if the kernel must resolve the path.
func (w *walk) magic(next string) bool {
	const scoped = unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH |
		unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_XDEV
	if w.jump == nil || w.resolve&scoped != 0 {
		return false
	}
	for _, self := range []string{"/proc/self", "/proc/thread-self"} {
		if within(self, next) || next == self+"/fd" {
			w.at = next
			return true
		}
		link, ok := strings.CutPrefix(next, self+"/")
		if !ok || len(w.todo) == 0 && !w.follow {
			continue
		}
		to, err := w.jump(link)
		if w.links++; err != nil || !path.IsAbs(to) || w.links > maxLinks {
			return false
		}
		w.at = to
		return true
	}
	return false
}

// end returns the object that the walk has reached.
func (w *walk) end() found {
	seen, inside := w.tree.inside(w.at)
	switch e := w.tree.entries[seen]; {
	case inside && e == nil: // a program created this directory
		return found{}
	case inside:
		return found{entry: e, name: seen}
	case w.through && e != nil && w.at == seen:
		return found{entry: e, name: seen, above: true}
	}
	return found{}
}
