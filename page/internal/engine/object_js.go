package engine

import (
	"context"
	"errors"
)

// errElsewhere says who reads code objects and requests: what does would make the library a twentieth larger for all
// who load the page.
var errElsewhere = errors.New("this page reads programs and records alone: run gcnsim page, and drop it there")

func openObject([]byte) (any, error) { return nil, errElsewhere }

func openRequest([]byte) (any, error) { return nil, errElsewhere }

func launches(context.Context, *launchesCall) (any, error) { return nil, errElsewhere }

func (*Engine) dispatch(context.Context, *dispatchCall) (any, error) { return nil, errElsewhere }
