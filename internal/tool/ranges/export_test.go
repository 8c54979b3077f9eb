package ranges

import "fmt"

// Check returns an error unless the tree is balanced, its counts are right, and its nodes are full enough.
func (l *List[T]) Check() error {
	if l.root == nil {
		return nil
	}
	_, err := l.root.check(true)
	return err
}

func (n *node[T]) check(root bool) (depth int, err error) {
	size := len(n.entries) + len(n.children)
	if size == 0 || size > most {
		return 0, fmt.Errorf("a node of %d", size)
	}
	if n.children == nil {
		if n.count != size {
			return 0, fmt.Errorf("a leaf of %d counts %d", size, n.count)
		}
		return 1, nil
	}
	if root && size == 1 {
		return 0, fmt.Errorf("a root with one child")
	}
	count, smalls := 0, 0
	for i, c := range n.children {
		d, err := c.check(false)
		switch {
		case err != nil:
			return 0, err
		case depth != 0 && d != depth:
			return 0, fmt.Errorf("children that are %d and %d deep", depth, d)
		case n.ends[i] != c.end():
			return 0, fmt.Errorf("child %d ends at 0x%x, not 0x%x", i, c.end(), n.ends[i])
		}
		depth = d
		count += c.count
		if c.small() {
			smalls++
		}
	}
	if count != n.count || smalls > 0 && size > 1 {
		return 0, fmt.Errorf("%d entries counted as %d, %d small children of %d", count, n.count, smalls, size)
	}
	return depth + 1, nil
}
