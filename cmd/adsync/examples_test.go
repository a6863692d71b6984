package main

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator/openpoint"

	"github.com/spf13/cobra"
)

// An example is a line of the help of a command.
type example struct {
	of     *cobra.Command
	line   string
	before string // what is typed before it
}

// shownByScript has the examples that need a browser, a second program, a repository or an answer that never comes,
// and the script that runs each verb with the same flags instead.
var shownByScript = map[string]string{
	"adsync accounts create --name 'Shoe shop' --currency EUR --timezone Europe/Paris --yes": "oauth-second-client",
	"adsync audience cancel audience/customers --yes":                                        "audience-operations",
	"adsync audience resume audience/customers --yes":                                        "audience-operations",
	"adsync conversions send orders.csv --pixel pixel/web-shop --yes":                        "conversions-send",
	"adsync conversions send orders.csv --pixel pixel/web-shop --again 3 --yes":              "conversions-killed",
	"adsync jobs retry 12":                                  "jobs",
	"adsync jobs cancel 12":                                 "jobs",
	"adsync keys create --name daemon --rotate --yes":       "access",
	"adsync login":                                          "login",
	"adsync login --no-browser --port 8085":                 "login",
	"adsync logout":                                         "login",
	"adsync conversions recent pixel/web-shop --follow":     "conversions",
	"adsync preview --open ad/spring-launch/runners/hero-a": "preview",
	"adsync review --wait 30m campaign/spring-launch":       "review-ads",
	"adsync resolve pixel/shop":                             "resolve",
	"adsync resolve pixel/shop --as not-applied":            "resolve",
	"adsync revert last --propose --git operator":           "revert-git",
	"adsync state accept shop":                              "state-accept",
	"adsync state accept --all --yes":                       "state-accept",
	"adsync state begin ads":                                "state-branch",
	"adsync state copy folder branch shop":                  "state-branch",
	"adsync unlock --owner 1f2e3d4c5b6a":                    "state-branch",
	"adsync state copy folder database shop":                "state-copy",
	"adsync state copy database folder shop":                "state-copy",
}

// preparedBy has what is typed before an example.
var preparedBy = map[string]string{
	"adsync apply plan.json":              "adsync plan --out plan.json",
	"adsync adopt --all":                  "rm .adsync/state.db .adsync/lineage",
	"adsync adopt campaign/spring-launch": "rm .adsync/state.db .adsync/lineage",
	"adsync diff former.xlsx winter.xlsx": "cp winter.xlsx former.xlsx",
	"adsync hash-password < password.txt": "echo correct horse battery staple >password.txt",
	"adsync hooks install":                "git init",
	"adsync hooks run":                    "git init; git add *",
	"adsync hooks run spring.yaml":        "git init; git add *",
	"adsync hooks uninstall":              "git init",
	"adsync import":                       "rm .adsync/state.db .adsync/lineage winter.xlsx",
	"adsync import --campaign 'Winter*' -o xlsx --out imported.xlsx": "rm .adsync/state.db .adsync/lineage " +
		"winter.xlsx",
	"adsync merge former.xlsx winter.xlsx theirs.xlsx": "cp winter.xlsx former.xlsx; cp winter.xlsx theirs.xlsx",
	"adsync reconcile --wait": "trap 'kill $!; wait' EXIT; adsync daemon --listen none --settle 50ms >log 2>&1 & " +
		"until grep -qs 'run ended' log; do :; done",
	"adsync resume": "adsync suspend",
}

// endless are the examples that go on until they are interrupted, which the test does at their first words.
var endless = []string{
	"adsync daemon --listen none",
	"adsync demo --no-browser --listen 127.0.0.1:0",
	"adsync emulator --listen 127.0.0.1:0",
}

// TestEveryExampleRuns runs each example of each help in a copy of a project that was applied. It must end
// with 0, or with another code that its help names.
func TestEveryExampleRuns(t *testing.T) {
	t.Parallel()
	applied := appliedShop(t)
	known := map[string]bool{}
	for _, e := range everyExample(t, root(&session.Env{})) {
		known[e.line] = true
		if script, there := shownByScript[e.line]; there {
			e.isIn(t, script)
			continue
		}
		t.Run(e.line, func(t *testing.T) {
			t.Parallel()
			e.run(t, copyOf(t, applied))
		})
	}
	for _, line := range slices.Concat(slices.Collect(maps.Keys(shownByScript)),
		slices.Collect(maps.Keys(preparedBy)), endless) {
		if !known[line] {
			t.Errorf("no help has the example %q", line)
		}
	}
}

func copyOf(t *testing.T, folder string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// everyExample returns the examples of a command and of those below it. A group of commands, which only
// prints its help, needs none.
func everyExample(t *testing.T, c *cobra.Command) (all []example) {
	t.Helper()
	for _, sub := range c.Commands() {
		all = append(all, everyExample(t, sub)...)
	}
	group := c.HasParent() && c.HasSubCommands() && c.Flags().Lookup("output") == nil
	if c.Example == "" && !group {
		t.Errorf("the help of %s has no example", c.CommandPath())
	}
	for line := range strings.Lines(c.Example) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line+" ", c.CommandPath()+" ") {
			t.Errorf("an example of %s is %q", c.CommandPath(), line)
		}
		all = append(all, example{c, line, preparedBy[line]})
	}
	return all
}

// isIn wants a script that runs the verb of the example to an end, and gives each flag of it.
func (e example) isIn(t *testing.T, script string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/script", script+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	verb := regexp.QuoteMeta(strings.TrimPrefix(e.of.CommandPath(), "adsync "))
	runs := regexp.MustCompile(`(?m)^(?:\[\S+\] )?(?:exec|exits \d+) .*adsync (?:--operator \S+ )?`+verb+`\b.*$`).
		FindAllString(string(text), -1)
	if !slices.ContainsFunc(runs, func(run string) bool { return regexp.MustCompile(`exec|exits 0`).MatchString(run) }) {
		t.Errorf("%s does not run %s to its end", script, e.of.CommandPath())
	}
	for _, flag := range givenFlag.FindAllString(e.line, -1) {
		if !strings.Contains(strings.Join(runs, "\n"), flag) {
			t.Errorf("%s does not run %s with %s", script, e.of.CommandPath(), flag)
		}
	}
}

// run runs the example as a shell does, in the folder of a project, and returns its standard output.
func (e example) run(t *testing.T, dir string) string {
	t.Helper()
	line := "exec " + e.line
	if e.before != "" {
		line = "set -e; { " + e.before + "; } >before\n" + e.line
	}
	c := exec.Command("sh", "-c", line)
	c.Dir, c.Env = dir, exampleEnvironment(dir)
	out, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var said strings.Builder
	c.Stdout, c.Stderr = writer, &said
	if slices.Contains(endless, e.line) {
		c.Stderr = writer
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	first := make([]byte, 1)
	n, _ := out.Read(first)
	if slices.Contains(endless, e.line) {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	printed := string(first[:n]) + string(rest)
	_ = c.Wait() // the code is looked at
	if code := c.ProcessState.ExitCode(); !slices.Contains(e.ends(), code) {
		t.Errorf("exit code %d; want one of %v\n%s%s", code, e.ends(), printed, said.String())
	}
	return printed
}

var (
	givenFlag = regexp.MustCompile(`--([a-z-]+)`)
	namedCode = regexp.MustCompile(`exits? (?:code is|with) (\d+)`)
)

// ends returns the exit codes that the help names: of the command, and of the flags that the example gives.
func (e example) ends() []int {
	text := e.of.Long
	for _, name := range givenFlag.FindAllStringSubmatch(e.line, -1) {
		if flag := e.of.Flag(name[1]); flag != nil {
			text += "\n" + flag.Usage
		}
	}
	ends := []int{console.ExitDone}
	if slices.Contains(endless, e.line) {
		ends = append(ends, console.ExitInterrupted)
	}
	for _, found := range namedCode.FindAllStringSubmatch(text, -1) {
		code, _ := strconv.Atoi(found[1])
		ends = append(ends, code)
	}
	return ends
}

func exampleEnvironment(home string) []string {
	program := filepath.Dir(asAdsync().Path)
	return append(os.Environ(), "PATH="+program+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"HOME="+home, "XDG_CONFIG_HOME="+home, "NO_COLOR=1",
		session.EnvOpenPoints+"=profile:"+openpoint.Published+","+withoutWaits)
}

// appliedShop returns a project with an audience, a pixel and a file of events beside the example, applied.
func appliedShop(t *testing.T) string {
	dir := copyOfQuickstart(t)
	for name, content := range map[string]string{
		"customers.csv": "email\none@shop.example\n",
		"orders.csv": "id,type,time,action_source,email\na,lead_created," +
			time.Now().UTC().Add(-time.Hour).Format(time.RFC3339) + ",offline,ann@shop.example\n",
		"shop.yaml": `kind: audience
key: customers
name: Customers
members: {file: customers.csv, identifier: email}
---
kind: pixel
key: web-shop
name: Web shop
---
kind: event_setting
key: orders
name: Orders
event_type: order_created
source: pixel/web-shop
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := asAdsync("apply", "--yes")
	c.Dir, c.Env = dir, exampleEnvironment(dir)
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return dir
}
