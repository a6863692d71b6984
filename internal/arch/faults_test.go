package arch

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// heldBy finds package.TestName and name.txtar, as code.
var heldBy = regexp.MustCompile("`(?:([a-z/]+\\.(?:Test|Fuzz)[A-Za-z0-9]+)|([a-z-]+\\.txtar))`")

// TestEveryFaultIsHeldByATestThatIsThere: docs/develop/faults.md names no test or
// script that does not exist.
func TestEveryFaultIsHeldByATestThatIsThere(t *testing.T) {
	named := heldBy.FindAllStringSubmatch(read(t, "docs/develop/faults.md"), -1)
	if len(named) < 100 {
		t.Errorf("docs/develop/faults.md names %d tests; want the form `package.TestName` to be found", len(named))
	}
	checkNamed(t, "docs/develop/faults.md", named)
}

// catalogue is how many rows each part of the fault catalogue has.
var catalogue = map[string]int{
	"F": 19, "G": 23, "W": 27, "Y": 18, "S": 26, "N": 25, "B": 30, "H": 23, "C": 12, "X": 20, "A": 13,
}

// notYet are the rows that wait: one for a list on the network. A row that gets its test leaves this list.
var notYet = []string{
	"X17",
}

// faultIDs finds "N5" and "N2 to N4" in the first column of a row.
var faultIDs = regexp.MustCompile(`\b([A-Z])(\d+)(?: to [A-Z](\d+))?\b`)

// TestEveryRowOfTheFaultCatalogueIsHeld: docs/develop/faults.md has every row, each with
// a test, or with a "not yet" that is allowed.
func TestEveryRowOfTheFaultCatalogueIsHeld(t *testing.T) {
	held, waits := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(read(t, "docs/develop/faults.md")) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		byTest, later := heldBy.MatchString(line), strings.Contains(line, "not yet: ")
		for _, id := range idsOf(cells[1]) {
			held[id] = held[id] || byTest
			waits[id] = waits[id] || later
			if !byTest && !later {
				t.Errorf("docs/develop/faults.md: row %s names neither a test nor what it waits for (not yet: …)", id)
			}
		}
	}
	for part, rows := range catalogue {
		for n := range rows {
			id := part + strconv.Itoa(n+1)
			if allowed := slices.Contains(notYet, id); waits[id] != allowed {
				t.Errorf("docs/develop/faults.md: row %s waits: %t, allowed to: %t; want a test, or a word here",
					id, waits[id], allowed)
			}
			if !held[id] && !waits[id] {
				t.Errorf("docs/develop/faults.md has no row %s; want every row of the catalogue", id)
			}
		}
	}
}

func idsOf(cell string) []string {
	var ids []string
	for _, m := range faultIDs.FindAllStringSubmatch(cell, -1) {
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		for n := first; n <= last; n++ {
			ids = append(ids, m[1]+strconv.Itoa(n))
		}
	}
	return ids
}

// listens are the packages and files that answer others, and ask nobody; internal/direct only looks at
// requests that the client of the service sends.
var listens = []string{"internal/daemon/web", "internal/daemon/web/conns", "internal/daemon/web/metrics",
	"internal/webhook",
	"internal/direct", "internal/testing/ports", "cmd/adsync/internal/daemoncmd/listen.go"}

// X6: no file can make adsync ask an address of its own network: the client of the service,
// the store that fetches what the operator names, what tells whom the operator names, the
// command that makes its connections, the guarded fetcher, and the demo, which asks the emulator in it, are all that
// knows the network. One command alone fetches what a file names: a plan, a run and the daemon never
// do. The daemon fetches one picture that the service names, where the operator has it do so. Who listens knows the
// network too, and calls nothing that asks.
func TestX6OnlyTheClientReachesOut(t *testing.T) {
	for _, s := range program(t) {
		if slices.Contains(listens, s.dir) || slices.Contains(listens, s.name) {
			asksNobody(t, s)
			continue
		}
		asking := []string{"internal/adsapi", "internal/conversions", "internal/gitstore", "internal/fetch",
			"internal/forge", "internal/notify", "internal/login", "internal/testing/pgtest",
			"internal/daemon/openid", "internal/testing/githubtest",
			"internal/testing/forgetest", "internal/testing/mailtest", "internal/testing/openidtest"}
		if isEmulator(s.dir) || slices.Contains(asking, s.dir) ||
			slices.Contains([]string{"cmd/adsync/internal/session/dial.go", "cmd/adsync/emulator.go",
				"cmd/adsync/demo.go"}, s.name) {
			continue
		}
		fetches := []string{"cmd/adsync/internal/ops/preview.go", "internal/icons/icons.go"}
		if spec := s.imports()["adsync/internal/fetch"]; spec != nil && !slices.Contains(fetches, s.name) {
			t.Errorf("%s fetches; want only the command preview, and the icon of a brand, to", s.at(spec))
		}
		for _, network := range []string{"net", "net/http", "crypto/tls", "net/smtp", "net/rpc"} {
			if spec := s.imports()[network]; spec != nil {
				t.Errorf("%s: %s imports %s; want only the client of the service to reach out",
					s.at(spec), s.dir, network)
			}
		}
	}
}

// asks finds what makes a connection in net, net/http and crypto/tls.
var asks = regexp.MustCompile(
	`^(Dial|Client$|DefaultClient|DefaultTransport|Transport|Get$|Head$|Post|NewRequest|Lookup|Resolver)`)

func asksNobody(t *testing.T, s *source) {
	ast.Inspect(s.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := call.X.(*ast.Ident); ok && slices.Contains([]string{"net", "http", "tls"}, of.Name) &&
			asks.MatchString(call.Sel.Name) {
			t.Errorf("%s: %s.%s; want who listens to ask nobody", s.at(n), of.Name, call.Sel.Name)
		}
		return true
	})
}

// X18: a key is shown once, in the answer that makes it; only a direct verb, which a person
// runs, asks for one. The client only knows, in endpoint.go, that such an answer has no id.
func TestX18OnlyADirectVerbAsksForANewKey(t *testing.T) {
	texts := 0
	for _, s := range program(t) {
		if isEmulator(s.dir) || strings.HasPrefix(s.dir, testOnly) {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING {
				return true
			}
			texts++
			if strings.Contains(text.Value, "api_keys") && s.name != "internal/adsapi/endpoint.go" &&
				s.name != "internal/direct/verb.go" {
				t.Errorf("%s: text %s; want no call that makes a key", s.at(n), text.Value)
			}
			return true
		})
	}
	if texts == 0 {
		t.Error("no text was looked at")
	}
}

// checkNamed holds the names a page gives to the tests and scripts that are there.
func checkNamed(t *testing.T, page string, named [][]string) {
	t.Helper()
	there := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && f.Recv == nil {
				there[s.dir+"."+f.Name.Name] = true
				there[path.Base(s.dir)+"."+f.Name.Name] = true
			}
		}
	}
	for _, n := range named {
		test, script := n[1], n[2]
		if script != "" {
			if _, err := os.Stat(filepath.Join(root, "cmd/adsync/testdata/script", script)); err != nil {
				t.Errorf("%s names the script %s: %v", page, script, err)
			}
			continue
		}
		if !there[test] {
			t.Errorf("%s names %s, which is no test", page, test)
		}
	}
}
