package limits

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/testing/emulatortest"
	"adsync/internal/testing/golden"
	"adsync/plan"
	"adsync/plan/compare"
	"adsync/sources"
	"adsync/sources/config"
)

// TestAdsyncAndTheServiceHaveTheSameLimits draws what lies one below each limit, at it and one
// above, and wants both to take it or both to refuse it, adsync with the code of the limit.
func TestAdsyncAndTheServiceHaveTheSameLimits(t *testing.T) {
	for _, l := range all() {
		if l.files == nil {
			continue
		}
		unit := max(l.unit, 1)
		for _, edge := range []struct{ at, beyond int }{{l.least, -unit}, {l.most, unit}} {
			if edge.at == 0 {
				continue
			}
			for _, n := range []int{edge.at - edge.beyond, edge.at, edge.at + edge.beyond} {
				t.Run(fmt.Sprint(l.says, " ", l.of, " ", n), func(t *testing.T) {
					t.Parallel()
					taken := n != edge.at+edge.beyond && !(l.step > 0 && n%l.step != 0)
					said := errorsOf(t, l, n)
					status := l.ask(t, emulatortest.Start(t), n)
					if (status < 300) != taken || (len(said) == 0) != taken {
						t.Fatalf("the service answers %d and adsync says %v; want both to take it: %t",
							status, said, taken)
					}
					for _, p := range said {
						if p.Code != l.code || p.Position.IsZero() {
							t.Errorf("adsync says %s; want %s and a position", p, l.code)
						}
					}
				})
			}
		}
	}
}

// errorsOf are what validate and plan find in the files for an empty account.
func errorsOf(t *testing.T, l limit, n int) (found []diag.Problem) {
	t.Helper()
	dir := t.TempDir()
	save(t, filepath.Join(dir, "adsync.yaml"),
		"account: {id: adacct_test, currency: USD, timezone: America/New_York}\nsources: [tree.yaml]\n")
	save(t, filepath.Join(dir, "tree.yaml"), l.files(t, dir, n))
	p, problems := config.ReadProject(dir)
	d := sources.Load(t.Context(), p, kinds.All())
	problems = append(problems, d.Problems...)
	if !diag.HasErrors(problems) {
		problems = append(problems, compare.Diff(plan.Input{Schemas: kinds.All(), Desired: d.Snapshot,
			Policy: plan.DefaultPolicy(), Today: "2026-11-21"}).Problems...)
	}
	for _, p := range problems {
		if p.Severity == diag.Error {
			found = append(found, p)
		}
	}
	return found
}

// TestThePageOfLimitsIsInStep makes docs/use/limits.md, and holds that each line of part 8 has a row.
func TestThePageOfLimitsIsInStep(t *testing.T) {
	content, err := os.ReadFile("testdata/part8.txt")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(content)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 {
			t.Fatalf("testdata/part8.txt: %q; want two cells", line)
		}
		values[strings.TrimSpace(cells[0])] = strings.TrimSpace(cells[1])
	}
	page := "| limit | the service takes | where adsync checks it | code |\n|---|---|---|---|\n"
	said := map[string]bool{}
	for _, l := range all() {
		said[l.says] = true
		name, takes := l.says, l.takes
		if values[l.says] == "" {
			name = "Service facts, " + l.says
		}
		if takes == "" {
			takes = values[l.says]
		}
		if l.of != "" {
			name += ": " + l.of
		}
		page += fmt.Sprintf("| %s | %s | %s | %s |\n", name, takes, l.where, l.code)
	}
	for name := range values {
		if !said[name] {
			t.Errorf("part 8 has the limit %q, which no row is of", name)
		}
	}
	golden.Part(t, "../../../docs/use/limits.md", "limits", page)
}
