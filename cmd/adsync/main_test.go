package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/testing/forgetest"
	"adsync/internal/testing/githubtest"
	"adsync/internal/testing/pgtest"
	"adsync/internal/testing/syscalls"

	"github.com/rogpeppe/go-internal/testscript"
)

// asCommand makes the test binary be adsync: the tests that kill it need a real
// process.
const asCommand = "ADSYNC_TEST_AS_COMMAND"

// withoutSync has every fsync of such a process fail.
const withoutSync = "ADSYNC_TEST_WITHOUT_SYNC"

// atClock is the address of an emulator whose clock such a process lives by.
const atClock = "ADSYNC_TEST_CLOCK"

// withDatabases are the tests, with a server of databases for those that want one.
type withDatabases struct{ tests *testing.M }

func (w withDatabases) Run() int {
	defer func() { _ = os.RemoveAll(builtInto) }()
	return pgtest.Main(w.tests)
}

// builtInto is the folder of the built program; "" before a test wants it.
var builtInto string

// builtProgram returns the folder with adsync as people have it: it starts in half the time of the tests' own binary.
var builtProgram = sync.OnceValues(func() (folder string, err error) {
	if builtInto, err = os.MkdirTemp("", "adsync-built-"); err != nil {
		return "", err
	}
	c := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(builtInto, "adsync"), ".")
	if said, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return builtInto, nil
})

// asAdsync is adsync as people have it, with arguments.
func asAdsync(args ...string) *exec.Cmd {
	folder, err := builtProgram()
	if err != nil {
		panic(err)
	}
	c := exec.Command(filepath.Join(folder, "adsync"), args...)
	c.Env = os.Environ()
	return c
}

// asItself is adsync in the tests' own binary, with what a test looks at or breaks from inside.
func asItself(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

func TestMain(m *testing.M) {
	os.Unsetenv("GOGC") // processes that tests start collect as a user's do; this one has read it
	if name := os.Getenv(asFloor); name != "" {
		os.Exit(runFloor(name, os.Args[1:]))
	}
	if os.Getenv(asCommand) != "" {
		if os.Getenv(withoutSync) != "" {
			if err := syscalls.FailSync(); err != nil {
				panic(err)
			}
		}
		tellMemory(os.Getenv(memoryInto))
		env, served := &session.Env{Clock: panicking(emulatorClock(os.Getenv(atClock)), os.Getenv(panicAt))},
			&counting{}
		if os.Getenv(allocationsInto) != "" {
			env.Middleware = served.before
		}
		code := run(env)
		tellAllocations(os.Getenv(allocationsInto), served)
		os.Exit(code)
	}
	for name, secret := range map[string]string{"HOOK": hookSecret, "TEST_GIT_TOKEN": gitToken,
		"HOOK_KEY": "a key of the webhook", githubToken: githubtest.Token, forgeToken: forgetest.Token} {
		if err := os.Setenv(name, secret); err != nil { // tests go side by side: none sets it for itself
			panic(err)
		}
	}
	testscript.Main(withDatabases{m}, map[string]func(){"adsync": func() { os.Exit(run(&session.Env{})) }})
}
