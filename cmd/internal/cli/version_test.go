package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSettings(t *testing.T) {
	assert.Empty(t, settings([]debug.BuildSetting{{Key: "GOARCH", Value: "amd64"}}))
	assert.Equal(t, []string{"tags s3", "commit 0123 of 2026-11-23T12:00:00Z", "modified"},
		settings([]debug.BuildSetting{{Key: "-tags", Value: "s3"}, {Key: "vcs.revision", Value: "0123"},
			{Key: "vcs.time", Value: "2026-11-23T12:00:00Z"}, {Key: "vcs.modified", Value: "true"}}))
}
