package seeded

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Without a tag the build has no mistake. That each is a constant, so that the
// compiler drops what stands behind it, does not compile otherwise.
func TestOrdinaryBuildsHaveNoMistake(t *testing.T) {
	const mistaken = NewKeyOnRetry || KeyFromClock ||
		KeyFromContent || JournalAfterSend || NoFsync || RenameWithoutDirSync || BodyReserialised ||
		ResultsBeforeComplete || SkippedAsDone || EmptyListOnError ||
		PageTwoIgnored || NullBudgetZero || DailyAsLifetime || ArchivedTwinAdopted ||
		ActivateUnread || IncreasesFirst || ListDecides ||
		PartialSources || LockByText || StalePlan || RetryAfterIgnored || ConflictRetried ||
		FloatMoney || RedactionMissing || ForeignPauseUndone || ShareOnly || CommitsApart
	if mistaken || built != none {
		t.Errorf("the build holds mistake %d; want none without a tag", built)
	}
}

// Every tag is in the list that is caught, and keeps none.go out.
func TestEveryTagIsInTheList(t *testing.T) {
	listed := map[string]bool{}
	for _, m := range mistakes {
		listed[m.tag] = true
	}
	none, err := os.ReadFile("none.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	tags := 0
	for _, f := range files {
		tag, ok := strings.CutSuffix(f.Name(), ".go")
		if !ok || !strings.HasPrefix(tag, "bug_") {
			continue
		}
		tags++
		if !listed[tag] || !strings.Contains(string(none), "!"+tag+" ") &&
			!strings.Contains(string(none), "!"+tag+"\n") {
			t.Errorf("%s is not caught, or is beside none.go", tag)
		}
	}
	if tags != len(mistakes) || tags != 27 {
		t.Errorf("%d tags and %d mistakes in the list; want 27 of both", tags, len(mistakes))
	}
}

// What makes the mistakes is called nowhere but behind them, so that the linker
// leaves it out of what people run.
func TestTheProgramHoldsNothingOfAMistake(t *testing.T) {
	made, err := parser.ParseFile(token.NewFileSet(), "made.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	binary := t.TempDir() + "/adsync"
	if out, err := command(t.Context(), "cmd/adsync", "go", "build", "-o", binary, "."); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	symbols, err := command(t.Context(), "cmd/adsync", "go", "tool", "nm", binary)
	if err != nil || !strings.Contains(string(symbols), "adsync/reconcile.") {
		t.Fatalf("symbols of the program: %v; want some of reconcile", err)
	}
	for _, d := range made.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && strings.Contains(string(symbols), "adsync/internal/seeded."+f.Name.Name) {
			t.Errorf("the program holds %s, which only a mistake calls", f.Name.Name)
		}
	}
}
