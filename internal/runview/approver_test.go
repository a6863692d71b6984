package runview

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
)

// Who approved something of a run at a forge is shown with where, in the history and on the page of the run. What is no
// address of https is no link.
func TestWhereARunWasApproved(t *testing.T) {
	const good, bad = "https://git.example/acme/ads/pull/7#review-1", "javascript:alert(1)"
	d := partial()
	d.Approved = []Approver{{"ann", good}, {"eve", bad}}
	var history strings.Builder
	if err := WriteHistory(&history, &History{Runs: []Head{d.Head}}, time.UTC); err != nil {
		t.Fatal(err)
	}
	if want := "            approved by ann: " + good + "\n"; !strings.Contains(history.String(), want) {
		t.Errorf("the history says\n%s\nwant %q", history.String(), want)
	}
	page, err := HTMLPart(kinds.All(), d, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := `Approved by ann: <a href="` + good + `" rel="noreferrer">`; !strings.Contains(string(page), want) {
		t.Errorf("the page has\n%s\nwant %q", page, want)
	}
	if !strings.Contains(string(page), "Approved by eve</p>") || strings.Contains(string(page), bad) {
		t.Errorf("the page has\n%s\nwant eve without a link", page)
	}
}
