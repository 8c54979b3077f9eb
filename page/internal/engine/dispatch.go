package engine

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// launches answers the call launches: it derives launches of a kernel from its metadata.
func launches(ctx context.Context, c *launchesCall) (any, error) {
	object, err := member(c.Data)
	if err != nil {
		return nil, err
	}
	all, left, err := verdict.Launches(ctx, object, c.Name, c.Kernel, nil)
	if err != nil {
		return nil, err
	}
	mcpu := ""
	if len(object) != len(c.Data) { // the object is a member of the file
		o, err := codeobj.Parse(object)
		if err != nil {
			return nil, err
		}
		mcpu = o.Target.String()
	}
	a := &launchesAnswer{Specs: []string{}, Left: left}
	for _, d := range all {
		text, err := spec.Save(d, c.Name, mcpu)
		if err != nil {
			return nil, err
		}
		a.Specs = append(a.Specs, string(text))
	}
	return a, nil
}

// dispatchAnswer is the answer to the call dispatch.
type dispatchAnswer struct {
	Reply *spec.Reply `json:"reply"` // in the format of dispatch
	recorded
}

// dispatch executes a specification, with times and all checks, and records it.
func (e *Engine) dispatch(ctx context.Context, c *dispatchCall) (any, error) {
	req, err := spec.ParseDispatch([]byte(c.Spec))
	if err != nil {
		return nil, err
	}
	rec := record.New(record.Options{})
	watch, ended := e.watch(rec)
	all := *req
	all.Check, all.Timing = append(slices.Clip(req.Check), "all"), max(req.Timing, spec.Timed)
	o := &spec.Options{Files: given(c.Files), Watch: watch}
	reply, failed := all.Answer(ctx, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ended()
	if failed != nil {
		reply = spec.FailedReply(failed)
		if rec.Fail(failed) {
			o = &spec.Options{Files: o.Files, Watch: func(*spec.Run) []sim.Watcher { return []sim.Watcher{rec} }}
			_, _ = req.Run(ctx, o)
		}
	}
	a := &dispatchAnswer{Reply: reply}
	_, err = a.take(rec, reply.Findings, timing.ResultOf(reply.Took()))
	return a, err
}

// given has the files that the page provides, by base name.
type given map[string][]byte

// ReadFile returns a file.
func (g given) ReadFile(name string, most int64) ([]byte, error) {
	data, ok := g[path.Base(name)]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s is not here: drop it on the page, too", path.Base(name))
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return data, nil
}

// WriteFile refuses to write.
func (given) WriteFile(name string, _ []byte) error {
	return fmt.Errorf("a page does not write %s: give hex instead of file, or run it with gcnsim dispatch", name)
}
