package syscalls

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
)

// Nth is a system call: the nth of its name that some thread makes.
type Nth struct {
	Name string
	N    int
}

// Listing has a command write which system calls each of its threads makes into a log, with what they begin with.
func Listing(c *exec.Cmd, log string) *exec.Cmd {
	args := []string{"-D", "-f", "-qq", "-s", "32", "-e", "signal=none", "-o", log, c.Path}
	listing := exec.Command("strace", append(args, c.Args[1:]...)...)
	listing.Env, listing.Dir = c.Env, c.Dir
	listing.Stdin, listing.Stdout, listing.Stderr = c.Stdin, c.Stdout, c.Stderr
	return listing
}

// From reads a log of [Listing] from the first call with a text on: each call once, but those that end a thread.
func From(log, text string) (calls []Nth, err error) {
	file, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	made := map[string]int{} // by thread and name
	listed := map[Nth]bool{}
	begun := false
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		begun = begun || strings.Contains(lines.Text(), text)
		thread, rest, _ := strings.Cut(lines.Text(), " ")
		name, _, called := strings.Cut(strings.TrimSpace(rest), "(")
		if !called || strings.ContainsAny(name, " <+-") || strings.HasPrefix(name, "exit") {
			continue
		}
		made[thread+name]++
		call := Nth{name, made[thread+name]}
		if begun && !listed[call] {
			calls = append(calls, call)
			listed[call] = true
		}
	}
	return calls, lines.Err()
}
