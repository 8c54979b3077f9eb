//go:build !s3

package s3_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/s3"
)

func TestWithoutBuckets(t *testing.T) {
	_, err := s3.OpenStore(t.Context(), "s3://bucket/results")
	require.ErrorContains(t, err, "s3://bucket/results: this gcnsim is built without buckets; go install -tags s3")
	store, err := s3.OpenStore(t.Context(), t.TempDir())
	require.NoError(t, err)
	require.NotNil(t, store)
}
