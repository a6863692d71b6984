package sources

import (
	"context"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/testing/golden"
)

func TestProblemsAsTheyPrint(t *testing.T) {
	p, problems := ReadProject("testdata/problems")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out strings.Builder
	must(t, diag.Render(&out, Load(context.Background(), p, kinds.All()).Problems, SourceLine(p)))
	golden.File(t, "testdata/problems.golden", []byte(out.String()))
}
