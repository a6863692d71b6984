package sources

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestProblemsAsTheyPrint(t *testing.T) {
	p, problems := ReadProject("testdata/problems")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out strings.Builder
	must(t, diag.Render(&out, Load(context.Background(), p, kinds.All()).Problems, SourceLine(p)))
	const golden = "testdata/problems.golden"
	if *update {
		must(t, os.WriteFile(golden, []byte(out.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("the problems of testdata/problems print differently (-want +got):\n%s", diff)
	}
}
