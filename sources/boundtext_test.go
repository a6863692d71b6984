package sources_test

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
)

func TestBoundsAreTheOperatorsToSet(t *testing.T) {
	var p config.Project
	must(t, p.Bound("yaml=4MiB, files=3,time=90s"))
	must(t, p.Bound("hints=7"))
	want := bounded.Defaults()
	want.YAMLBytes, want.Files, want.PerFile, want.HintRows = 4*bounded.MiB, 3, 90*time.Second, 7
	if *p.Bounds != want {
		t.Errorf("Bound set %+v, want %+v", *p.Bounds, want)
	}
	for text, wanted := range map[string]string{
		"":              `bound is ""; want one of attached, csv, depth, entries`,
		"yml=4MiB":      `did you mean "yaml"`,
		"yaml":          `bound yaml is ""; want a size such as 4MiB`,
		"yaml=-1":       "want a size",
		"yaml=9GiB":     "at most 8GiB",
		"yaml=4 MiB":    "want a size",
		"files=0":       "want a count",
		"files=1.5":     "want a count",
		"time=60":       "want a time such as 60s",
		"rows=5,rows=x": `bound rows is "x"`,
	} {
		if err := new(config.Project).Bound(text); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("Bound(%q) = %v, want %q", text, err, wanted)
		}
	}
}

func TestAFileWithinARaisedBoundIsRead(t *testing.T) {
	long := springCampaign + "# " + strings.Repeat("x", bounded.MiB) + "\n"
	p, problems := config.ReadProject(folder(t, map[string]string{"spring.yaml": long}))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	wantProblem(t, sources.Load(t.Context(), p, kinds.All()), "spring.yaml: file is over 1 MiB")
	must(t, p.Bound("yaml=2MiB"))
	wantClean(t, sources.Load(t.Context(), p, kinds.All()))
}

// What is converted into another folder is read again there within the bounds of
// the project it comes from.
func TestAProjectBesideHasTheSameBounds(t *testing.T) {
	var p config.Project
	must(t, p.Bound("yaml=2MiB"))
	p.Account = dollars
	long := []byte(springCampaign + "# " + strings.Repeat("x", bounded.MiB) + "\n")
	other := p.Beside(t.TempDir())
	wantClean(t, sources.LoadContents(t.Context(), other, kinds.All(), map[string][]byte{"spring.yaml": long}))
	if other.Account != dollars {
		t.Errorf("the account is %+v; want %+v", other.Account, dollars)
	}
}
