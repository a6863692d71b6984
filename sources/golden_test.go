package sources_test

import (
	"context"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/testing/golden"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/tree"
)

func TestProblemsAsTheyPrint(t *testing.T) {
	p, problems := config.ReadProject("testdata/problems")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out strings.Builder
	must(t, diag.Render(&out, sources.Load(context.Background(), p, kinds.All()).Problems, tree.SourceLine(p)))
	golden.File(t, "testdata/problems.golden", []byte(out.String()))
}
