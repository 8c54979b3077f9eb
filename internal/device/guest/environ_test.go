package guest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEnviron(t *testing.T) {
	env := []string{"HOME=/", "RADV_DEBUG=nofoo,nohiz", "OCL_ICD_VENDORS=mine.icd", "VK_ICD_FILENAMES=/mine.json"}
	before := slices.Clone(env)
	e := environment{Environ(env)}
	assert.Equal(t, before, env, "the environment that was given has changed")
	for name, want := range map[string]string{
		"HOME": "/", "RADV_DEBUG": "nofoo,nohiz,nodcc,nofastclears",
		"AMD_DEBUG": "nohyperz,nodcc", "MESA_SHADER_CACHE_DISABLE": "true",
		"OCL_ICD_VENDORS": "mine.icd", "VK_ICD_FILENAMES": "/mine.json", "VK_DRIVER_FILES": "",
	} {
		assert.Equal(t, want, e.get(name), name)
	}
	assert.Equal(t, e.list, Environ(e.list), "twice is once")
}
