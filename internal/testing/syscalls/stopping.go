package syscalls

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Stopping has a command stop, by SIGSTOP, as each of its threads comes back from its nth call of a name. It is a child
// of this process as it would be without, and began is called once it was started. Each time it stops told is called,
// from one goroutine.
func Stopping(c *exec.Cmd, call string, n int, told func()) (stopping *exec.Cmd, began func()) {
	args := []string{"-D", "-f", "-qq", "-e", "trace=" + call, "-e", "signal=SIGSTOP",
		"-e", "inject=" + call + ":signal=SIGSTOP:when=" + strconv.Itoa(n), "-o", "/dev/fd/3", c.Path}
	stopping = exec.Command("strace", append(args, c.Args[1:]...)...)
	stopping.Env, stopping.Dir = c.Env, c.Dir
	stopping.Stdin, stopping.Stdout, stopping.Stderr = c.Stdin, c.Stdout, c.Stderr
	log, into, err := os.Pipe()
	if err != nil {
		stopping.Err = err
		return stopping, func() {}
	}
	stopping.ExtraFiles = []*os.File{into}
	return stopping, func() {
		_ = into.Close()
		go func() {
			defer log.Close()
			for lines := bufio.NewScanner(log); lines.Scan(); {
				if strings.Contains(lines.Text(), " --- SIGSTOP {") {
					told()
				}
			}
		}()
	}
}
