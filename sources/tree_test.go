package sources_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
)

// folder writes files below a new folder and gives its path.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	return dir
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// load reads a folder as a user's command would.
func load(t testing.TB, dir string) sources.Desired {
	t.Helper()
	p, problems := config.ReadProject(dir)
	if len(problems) > 0 {
		t.Fatalf("ReadProject = %v, want no problem", problems)
	}
	return sources.Load(context.Background(), p, kinds.All())
}

func loadYAML(t testing.TB, text string) sources.Desired {
	t.Helper()
	return load(t, folder(t, map[string]string{"ads.yaml": text}))
}

// printed returns one line a problem, as people read them.
func printed(problems []diag.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// wantClean ends the test where there is any problem.
func wantClean(t testing.TB, d sources.Desired) sources.Desired {
	t.Helper()
	if len(d.Problems) > 0 {
		t.Fatalf("Load found\n%swant no problem", printed(d.Problems))
	}
	return d
}

// wantProblem looks for one problem by a part of its line.
func wantProblem(t testing.TB, d sources.Desired, part string) {
	t.Helper()
	if !strings.Contains(printed(d.Problems), part) {
		t.Errorf("Load found\n%swant a problem with %q", printed(d.Problems), part)
	}
}

// valueOf returns an attribute of a resource that must be there.
func valueOf(t testing.TB, d sources.Desired, address, attribute string) resource.Value {
	t.Helper()
	a, ok := resource.ParseAddress(address)
	r := d.Snapshot.Get(a)
	if !ok || r == nil {
		t.Fatalf("Load has no %s, want it; it has %v", address, d.Snapshot.Addresses())
	}
	return r.Value(attribute)
}

const springCampaign = "kind: campaign\nname: Spring\nbidding_type: clicks\n"
