//go:build !s3

package s3

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/cmd/internal/sweep"
)

// open says how gcnsim is built with buckets: this build has none.
func open(_ context.Context, name string) (sweep.Store, error) {
	return nil, fmt.Errorf("%s: this gcnsim is built without buckets; go install -tags s3 "+
		"github.com/gcnsim/gcnsim/cmd/gcnsim "+
		"builds one with them", name)
}
