package svg

import (
	"fmt"
	"math"
	"strconv"
)

// Hues are colours with a contrast of at least 3.7:1 to the background of both themes, on which white text is
// readable.
var Hues = [...]string{"#2f6ec8", "#127c79", "#257f3c", "#737314", "#a45e17", "#ce372c", "#c8327d", "#9450c5"}

// Contrast returns the contrast ratio of two colours of the form "#rrggbb", as defined by the Web Content
// Accessibility Guidelines, from 1 to 21. A colour of another form counts as black.
func Contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance returns the luminance of an sRGB colour, from 0 to 1.
func luminance(color string) float64 {
	var sum float64
	for i, weight := range [3]float64{0.2126, 0.7152, 0.0722} {
		if len(color) != 7 {
			return 0
		}
		n, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return 0
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// Mix interpolates between colours (red, green, blue). t is the position, from 0 to 1, between the first and the last
// stop.
func Mix(t float64, stops ...[3]uint8) string {
	t = min(max(t, 0), 1) * float64(len(stops)-1)
	i := min(int(t), len(stops)-2)
	t -= float64(i)
	var c [3]uint8
	for n := range c {
		c[n] = uint8(float64(stops[i][n])*(1-t) + float64(stops[i+1][n])*t + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// Tints are distinct colours on which black text is readable.
var Tints = [...]string{"#9ecae1", "#fdd0a2", "#a1d99b", "#dadaeb", "#fcbba1", "#fff3a3", "#c7e9e4", "#e7cbe3"}

// OnTint is the colour of text on Tints.
const OnTint = "#111111"
