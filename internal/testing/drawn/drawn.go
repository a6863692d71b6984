// Package drawn makes the properties of a test binary that imports it draw from
// RAPID_SEED, 1 unless given and 0 for others each time, so that a run says of the
// change what the run before said of the tree. RAPID_CHECKS is how many are drawn.
package drawn

import (
	"cmp"
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flag
)

func init() {
	set("rapid.seed", cmp.Or(os.Getenv("RAPID_SEED"), "1"))
	if checks := os.Getenv("RAPID_CHECKS"); checks != "" {
		set("rapid.checks", checks)
	}
}

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(name + " is " + value + "; want a number: " + err.Error())
	}
}
