// Package manifest_test decodes the sweep's manifest with the types of Kubernetes. It is a module of its own, because
// nothing else needs this dependency.
package manifest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestManifest decodes the manifest strictly with the API's types: unknown keys and values of a wrong type are
// errors.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("../job.yaml")
	require.NoError(t, err)
	var job batch.Job
	require.NoError(t, yaml.UnmarshalStrict(text, &job))
	assert.Equal(t, "batch/v1", job.APIVersion)
	assert.Equal(t, "Job", job.Kind)
	assert.Equal(t, batch.IndexedCompletion, *job.Spec.CompletionMode)
	assert.NotNil(t, job.Spec.BackoffLimitPerIndex)
	pod := job.Spec.Template.Spec
	assert.Equal(t, core.RestartPolicyNever, pod.RestartPolicy)
	require.Len(t, pod.Containers, 1)
	c := pod.Containers[0]
	assert.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
	assert.True(t, *pod.SecurityContext.RunAsNonRoot)
	assert.Contains(t, c.Args, "--shard=$(JOB_COMPLETION_INDEX)/64")
	assert.EqualValues(t, 64, *job.Spec.Completions)
	mounts := map[string]bool{}
	for _, v := range pod.Volumes {
		mounts[v.Name] = true
	}
	for _, m := range c.VolumeMounts {
		assert.True(t, mounts[m.Name], m.Name)
	}
	require.Error(t, yaml.UnmarshalStrict([]byte(strings.Replace(string(text), "completionMode", "completionmode2", 1)),
		&job))
}
