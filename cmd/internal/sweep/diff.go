package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// compare executes a case of diff.
func (r *Result) compare(ctx context.Context, c *Case, objects *sim.ObjectCache) *Result {
	pair := &request.DiffRequest{DiffOptions: verdict.DiffOptions{Jobs: 1, Objects: objects}}
	for i, p := range []*request.DiffProgram{&pair.A, &pair.B} {
		req, err := spec.ParseDispatch(c.Spec)
		if err != nil {
			f := spec.Failed(err)
			r.fail(c, failed, bucketOf(f.Kind, f.Text, f.Message), f.Message)
			return r
		}
		req.Name = c.Pair[i]
		*p = request.DiffProgram{Request: req, Files: files.ReadOnly{Dir: files.Dir(c.Dir)}}
	}
	res, err := pair.Run(ctx)
	if err != nil {
		f := spec.Failed(err)
		r.fail(c, failed, bucketOf(f.Kind, f.Text, f.Message), f.Message)
		return r
	}
	switch v, why := res.Verdict(); v {
	case compare.NoVerdict:
		r.fail(c, failed, "no verdict", why)
	case compare.Different:
		var text strings.Builder
		_ = res.Write(&text) // writing to a Builder cannot fail
		first, _, _ := strings.Cut(strings.TrimSpace(text.String()), "\n")
		r.fail(c, differs, differenceBucket(res.Difference), first)
	}
	return r
}

// differenceBucket returns the name of a bucket for a difference: the instructions whose results differ, or else
// those that stored the difference or faulted.
func differenceBucket(d *compare.Difference) string {
	var names []string
	for i, h := range []*compare.Half{&d.A, &d.B} {
		name := "nothing"
		switch {
		case d.Culprit[i] != nil:
			name = d.Culprit[i].Text
		case h.Fault != nil:
			name = fmt.Sprintf("%v of %s", h.Fault.Kind, h.Fault.Text)
		case h.Store != nil:
			name = h.Store.Text
		}
		mnemonic, _, _ := strings.Cut(name, " ")
		if h.Fault != nil && d.Culprit[i] == nil {
			mnemonic = name
		}
		names = append(names, mnemonic)
	}
	return "differs, " + strings.Join(slices.Compact(names), " against ")
}
