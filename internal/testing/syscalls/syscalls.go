// Package syscalls runs a process under strace and reads which system calls it
// made: what tests of power cuts and of disks that fail want to know of a real
// one.
//
// It refuses to be part of adsync: only tests import it. Its invariant is that
// the calls are in the order in which they ended, with every byte they wrote.
package syscalls

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// Traced are the calls that change files, make changes durable, or lock.
const Traced = "open,openat,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,flock"

// Call is one system call that succeeded, or into which a failure was injected.
type Call struct {
	Name     string
	FD       int    // of write, pwrite64, fsync, fdatasync, ftruncate
	Path     string // of the descriptor, or the first argument
	To       string // of a rename
	Data     []byte // of write and pwrite64
	Offset   int64  // of pwrite64; -1 for write
	Size     int64  // of ftruncate
	Creates  bool   // of open, openat
	Empties  bool   // of open, openat
	Injected bool   // it failed because the test wanted it to
}

// Available reports whether this machine lets a process be traced.
func Available() bool { return exec.Command("strace", "-o", os.DevNull, "true").Run() == nil }

// Under has a command run under strace, which writes to a log. Options such as
// "-e", "inject=fsync:error=EIO:when=3" come before the program.
func Under(c *exec.Cmd, log string, options ...string) *exec.Cmd {
	args := append([]string{"-f", "-y", "-xx", "-s",
		"16777216", "-e", "trace=" + Traced, "-e", "signal=none", "-o", log}, options...)
	traced := exec.Command("strace", append(append(args, c.Path), c.Args[1:]...)...)
	traced.Env, traced.Dir, traced.Stdin, traced.Stdout, traced.Stderr = c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr
	return traced
}

// Read reads the log of a process that has ended.
func Read(log string) ([]Call, error) {
	file, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var calls []Call
	begun := map[string]string{} // by thread: the front of a call another thread came between
	lines := bufio.NewReader(file)
	for {
		line, failed := lines.ReadString('\n')
		if failed != nil {
			return calls, nil // what has no end of its line was cut short with the process
		}
		thread, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.TrimSpace(text)
		if front, ok := strings.CutSuffix(text, "<unfinished ...>"); ok {
			begun[thread] = front
			continue
		}
		if at := strings.Index(text, " resumed>"); strings.HasPrefix(text, "<... ") && at > 0 {
			text = begun[thread] + text[at+len(" resumed>"):]
		}
		call, ok, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("read %.200q: %w", line, err)
		}
		if ok {
			calls = append(calls, call)
		}
	}
}

var (
	shape      = regexp.MustCompile(`^(\w+)\((.*)\)\s+= (-?\d+)(.*)$`)
	descriptor = regexp.MustCompile(`^(\d+)<([^>]*)>`)
	quoted     = regexp.MustCompile(`"([^"]*)"`)
)

// parse reads one line; false for what failed by itself, and for what is no call.
func parse(text string) (Call, bool, error) {
	m := shape.FindStringSubmatch(text)
	if m == nil {
		return Call{}, false, nil
	}
	c := Call{Name: m[1], FD: -1, Offset: -1, Injected: strings.Contains(m[4], "(INJECTED)")}
	if strings.HasPrefix(m[3], "-") && !c.Injected {
		return Call{}, false, nil
	}
	var texts [][]byte
	for _, q := range quoted.FindAllStringSubmatch(m[2], -1) {
		plain, err := unhex(q[1])
		if err != nil {
			return c, false, err
		}
		texts = append(texts, plain)
	}
	if d := descriptor.FindStringSubmatch(m[2]); d != nil {
		path, err := unhex(d[2])
		if err != nil {
			return c, false, err
		}
		c.FD, _ = strconv.Atoi(d[1])
		c.Path = string(path)
	}
	return c.filled(m[2], texts)
}

// filled takes over the arguments each call has of its own.
func (c Call) filled(arguments string, texts [][]byte) (Call, bool, error) {
	last := func() (int64, error) {
		return strconv.ParseInt(strings.TrimSpace(arguments[strings.LastIndex(arguments, ",")+1:]), 10, 64)
	}
	var err error
	switch c.Name {
	case "write", "pwrite64":
		if len(texts) != 1 {
			return c, false, fmt.Errorf("%d texts; want the bytes", len(texts))
		}
		c.Data = texts[0]
		if c.Name == "pwrite64" {
			c.Offset, err = last()
		}
	case "ftruncate":
		c.Size, err = last()
	case "open", "openat":
		c.Path, c.Creates, c.Empties = string(texts[0]),
			strings.Contains(arguments, "O_CREAT"), strings.Contains(arguments, "O_TRUNC")
	case "rename", "renameat", "renameat2":
		c.Path, c.To = string(texts[0]), string(texts[1])
	case "unlink", "unlinkat":
		c.Path = string(texts[0])
	}
	return c, err == nil, err
}

// unhex reads what -xx writes: \x and two digits for every byte.
func unhex(text string) ([]byte, error) { return hex.DecodeString(strings.ReplaceAll(text, `\x`, "")) }
