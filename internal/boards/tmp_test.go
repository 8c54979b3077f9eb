package boards
import ("testing";"context";"fmt";"github.com/gcnsim/gcnsim/gcn/chip")
func TestTmp(t *testing.T) {
	for _, name := range []string{"hd7970","hd7770","r9-290x","r9-390","fury-x","r9-nano","rx480","rx570","rx470","radeon-vii","radeon-pro-vii","mi50"} {
		b := chip.LookupBoard(name)
		for _, k := range []string{"rnd128","bw_v1","bw_v4","st_copy","st_triad"} {
			f := Figure{Kernel:k, Board:name, MHz:b.ClockMHz, Use:"yes"}
			v, _, err := f.Predict(context.Background(), nil)
			if err != nil { fmt.Println(name, k, err); continue }
			fmt.Printf("%s %s %.1f GB/s %.2f\n", name, k, v, v/float64(b.Memory.GBs()))
		}
	}
}
