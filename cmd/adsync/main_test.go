package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asCommand makes the test binary be adsync: the tests that kill it need a real
// process.
const asCommand = "ADSYNC_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(run())
	}
	testscript.Main(m, map[string]func(){"adsync": func() { os.Exit(run()) }})
}
