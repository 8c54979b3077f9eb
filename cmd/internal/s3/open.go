// Package s3 keeps the results of sweeps in a bucket of a server that speaks the protocol of S3. The
// client of the protocol is half of what the command would link and download otherwise, so it is
// built in only with -tags s3.
package s3

import (
	"context"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/sweep"
)

// scheme is the prefix of the names of buckets.
const scheme = "s3://"

// OpenStore returns the store that name means: s3://BUCKET/PREFIX is a bucket, any other name a
// directory.
func OpenStore(ctx context.Context, name string) (sweep.Store, error) {
	if strings.HasPrefix(name, scheme) {
		return open(ctx, name)
	}
	return sweep.Dir(name), nil
}
