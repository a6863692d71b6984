package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.files, "files", ".", "which files of the package are changed, as a regular expression")
	flag.StringVar(&o.tests, "run", ".", "which tests are run")
	flag.StringVar(&o.skip, "skip", "", "which tests are left out")
	flag.DurationVar(&o.bound, "bound", 5*time.Second, "processor time a test may take; slower ones are left out")
	flag.IntVar(&o.every, "every", 1, "try each nth mutant only")
	flag.StringVar(&o.args, "args", "", "what else the tests are told, such as -rapid.checks=10")
	flag.StringVar(&o.by, "by", "", "the package whose tests are run, where it is another")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: mutate [flags] PACKAGE")
		os.Exit(4)
	}
	if err := o.mutate(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type options struct {
	files, tests, skip, args, by string
	every                        int
	bound                        time.Duration
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (o options) mutate(pattern string) error {
	files, err := regexp.Compile(o.files)
	if err != nil {
		return err
	}
	p, err := parse(pattern)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	overlay, mutants, err := instrument(p, files.MatchString, scratch)
	if err != nil {
		return err
	}
	testing, dir := pattern, p.dir
	if o.by != "" {
		by, err := parse(o.by)
		if err != nil {
			return err
		}
		testing, dir = o.by, by.dir
	}
	b, err := build(testing, dir, scratch, overlay)
	if err != nil {
		return err
	}
	b.args = strings.Fields(o.args)
	names, err := b.tests(o.tests, o.skip)
	if err != nil {
		return err
	}
	tests := b.measure(names, o.bound, say)
	say("%d mutants, %d tests", len(mutants), len(tests))
	count := map[fate]int{}
	for i, m := range mutants {
		if i%o.every != 0 {
			continue
		}
		f, who := b.try(m.id, tests)
		count[f]++
		say("%-11s %s %s (%s)", f, m.place, m.what, who)
	}
	all := count[killed] + count[survived] + count[unreached]
	say("score %.1f %%: %d of %d mutants killed, %d survived, %d not reached",
		100*float64(count[killed])/float64(max(all, 1)), count[killed], all, count[survived], count[unreached])
	return nil
}

// build makes the test binary with all mutants in it.
func build(pattern, dir, scratch string, overlay map[string]string) (binary, error) {
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return binary{}, err
	}
	list := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return binary{}, err
	}
	b := binary{path: filepath.Join(scratch, "mutants.test"), dir: dir, scratch: scratch}
	c := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", b.path, pattern)
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		return binary{}, fmt.Errorf("build the mutants: %w\n%s", err, said.String())
	}
	return b, nil
}
