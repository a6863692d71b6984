// Package drawn makes the properties of a test binary that imports it draw from
// RAPID_SEED, 1 unless given and 0 for others each time, so that a run says of the
// change what the run before said of the tree.
package drawn

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flag
)

func init() {
	seed := os.Getenv("RAPID_SEED")
	if seed == "" {
		seed = "1"
	}
	if err := flag.Set("rapid.seed", seed); err != nil {
		panic("RAPID_SEED is " + seed + "; want a number: " + err.Error())
	}
}
