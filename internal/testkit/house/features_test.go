package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/sim/check"
)

// featureBits are the feature bits that LLVM 22 sets for gfx600 to gfx90c or that users can set for them.
const featureBits = `16-bit-insts a16 add-no-carry-insts addressablelocalmemorysize32768 addressablelocalmemorysize65536
aperture-regs atomic-fmin-fmax-* auto-waitcnt-before-barrier back-off-barrier ci-insts cube-insts cvt-norm-insts
cvt-pknorm-vop2-insts cvt-pknorm-vop3-insts default-component-zero dl-insts dot1-insts dot10-insts dot2-insts dot7-insts
dpp ds-src2-insts enable-ds128 enable-flat-scratch enable-prt-strict-null extended-image-insts fast-denormal-f32
fast-fmaf flat-address-space flat-for-global flat-global-insts flat-inst-offsets flat-scratch-insts fma-mix-insts fp64
gcn3-encoding gds gfx7-gfx8-gfx9-insts gfx8-insts gfx9-insts gws half-rate-64-ops image-gather4-d16-bug image-insts
image-store-d16-bug int-clamp-insts inv-2pi-inline-imm ldsbankcount16 ldsbankcount32 lerp-inst mad-mac-f32-insts
mad-mix-insts max-private-element-size-* mimg-r128 movrel negative-scratch-offset-bug qsad-insts r128-a16 s-memrealtime
s-memtime-inst sad-insts scalar-atomics scalar-flat-scratch-insts scalar-stores sdwa sdwa-mav sdwa-omod
sdwa-out-mods-vopc sdwa-scalar sdwa-sdst sgpr-init-bug sramecc sramecc-support trap-handler trig-reduced-range
unaligned-access-mode unaligned-buffer-access unaligned-ds-access unaligned-scratch-access unpacked-d16-vmem
unsafe-ds-offset-folding vgpr-index-mode vmem-to-lds-load-insts vmem-write-vgpr-in-order vop3p wavefrontsize64 xnack
xnack-support`

var (
	inBackquotes = regexp.MustCompile("`([^`]+)`")
	ruleInTable  = regexp.MustCompile(`\b[A-Z]{1,3}[1-9][0-9]?\b`)
	fileInTable  = regexp.MustCompile(`\b[a-z0-9/]+\.go\b`)
)

// The handbook says for every feature bit of LLVM how it is treated here. The rules, kinds and files that it names
// exist.
func TestFeaturesOfLLVM(t *testing.T) {
	r, ok := handbook.Lookup("PF1")
	require.True(t, ok)
	met := map[string]bool{}
	for line := range strings.Lines(r.Text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| name") {
			continue
		}
		for name := range strings.SplitSeq(cells[0], ",") {
			name = strings.Trim(name, " `")
			assert.False(t, met[name], "%s has two rows", name)
			met[name] = true
		}
		here := strings.TrimSpace(cells[2])
		verdict, text, _ := strings.Cut(here, ":")
		rules, sources := ruleInTable.FindAllString(text, -1), fileInTable.FindAllString(text, -1)
		for _, id := range rules {
			if !strings.HasPrefix(id, "V_") {
				_, ok := handbook.Lookup(id)
				assert.True(t, ok, "%s: there is no rule %s", cells[0], id)
			}
		}
		for _, path := range sources {
			_, err := os.Stat(path)
			assert.NoError(t, err, cells[0])
		}
		switch verdict {
		case "modelled":
			assert.NotEmpty(t, append(rules, sources...), "%s: neither a rule nor a file", cells[0])
		case "check":
			kind := inBackquotes.FindStringSubmatch(text)
			require.NotNil(t, kind, "%s: no kind", cells[0])
			assert.Contains(t, check.Names(), kind[1], cells[0])
			assert.NotEmpty(t, rules, "%s: no rule", cells[0])
		case "no matter", "missing":
			assert.Greater(t, len(text), 10, "%s: no reason", cells[0])
		default:
			t.Errorf("%s: %q is no verdict", cells[0], verdict)
		}
	}
	for bit := range strings.FieldsSeq(featureBits) {
		assert.True(t, met[bit], "%s has no row", bit)
	}
	assert.Greater(t, len(met), len(slices.Collect(strings.FieldsSeq(featureBits)))+40, "predicates")
}
