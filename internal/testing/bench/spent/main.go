// Command spent runs another command and writes what it took, as JSON, into a
// file: spent FILE COMMAND...
//
// It is as small as can be, because a process starts with the peak of memory of
// the one that starts it: a benchmark that holds a whole service cannot ask for
// that of its children. It refuses to judge; how the command ended is how it ends.
package main

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

func main() {
	c := exec.Command(os.Args[2], os.Args[3:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	began := time.Now()
	err := c.Run()
	clock := time.Since(began)
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		os.Exit(127) // it was not started
	}
	took := `{"cpu_ns": ` + strconv.FormatInt(usage.Utime.Nano()+usage.Stime.Nano(), 10) +
		`, "clock_ns": ` + strconv.FormatInt(int64(clock), 10) +
		`, "peak_bytes": ` + strconv.FormatInt(usage.Maxrss*1024, 10) + "}\n"
	if os.WriteFile(os.Args[1], []byte(took), 0o600) != nil {
		os.Exit(126)
	}
	if err != nil {
		os.Exit(c.ProcessState.ExitCode())
	}
}
