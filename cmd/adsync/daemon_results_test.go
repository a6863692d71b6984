package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// follows waits until a branch of adsync has all that main has.
func (q *proposed) follows(branch string) {
	q.t.Helper()
	main := q.git("rev-parse", "main")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if q.git("-C", q.upstream, "merge-base", "main", branch) == main {
			return
		}
	}
	q.t.Fatalf("%s does not follow main\n%s", branch, q.p.said())
}

// writes types into a cell of the sheet Ads, commits and pushes.
func (q *proposed) writes(cell, text string) {
	q.t.Helper()
	setBookCell(q.t, filepath.Join(q.work, "winter.xlsx"), cell, text)
	q.git("commit", "-q", "-a", "-m", "Edit")
	q.git("push", "-q", q.upstream, "main")
	push(q.t, q.at, "refs/heads/main")
}

// adOf is a row of the sheet Ads as a branch has it.
func (q *proposed) adOf(branch string, row int) map[string]string {
	q.t.Helper()
	q.git("fetch", "-q", q.upstream, branch)
	name := filepath.Join(q.t.TempDir(), "book.xlsx")
	noError(q.t, os.WriteFile(name, []byte(q.bytes("show", "FETCH_HEAD:winter.xlsx")), 0o600))
	return bookRow(q.t, name, "Ads", row)
}

// TestResultsAreAPullRequest: what became of the rows of a workbook is one pull request, which fills in results and
// ids. It follows the account and the branch, and is answered as any other. Somebody who closes it has peace until
// there is something new; once the files say it, it is closed.
func TestResultsAreAPullRequest(t *testing.T) {
	t.Parallel()
	const branch = "adsync/results-adacct_quickstart"
	q := newProposed(t, "1s", "propose_results: true")
	first := q.stands(branch, 1, false, "| created |")
	if !strings.Contains(first.Title, "adacct_quickstart into 1 file") || strings.Contains(first.Body, "runners") {
		t.Errorf("%+v; want it to say what it fills, and nothing of rows of YAML", first)
	}
	if changed := q.git("-C", q.upstream, "diff", "--name-only", "main", branch); changed != "winter.xlsx" {
		t.Errorf("the branch changes %q; want winter.xlsx alone", changed)
	}
	if row := q.adOf(branch, 4); row["Result"] != "created" || row["Ad"] != "Card" {
		t.Errorf("the row is %v; want what became of it", row)
	}
	q.says(first.Number, "Account `shop`", "Nothing to change")
	q.judged(q.git("-C", q.upstream, "rev-parse", branch), "success", "no change")

	q.forge.Close(first.Number)
	q.save("bid: {max: 0.90}", "bid: {max: 0.85}", "Lower")
	push(t, q.at, "refs/heads/main")
	q.follows(branch)
	q.stands(branch, 1, true, "")
	q.writes("D4", "paused")
	second := q.stands(branch, 2, false, "| updated |")
	if row := q.adOf(branch, 4); row["Result"] != "updated" || row["Status"] != "paused" {
		t.Errorf("the row is %v; want what became of it", row)
	}

	q.says(second.Number, "Nothing to change")
	q.git("fetch", "-q", q.upstream, branch)
	q.git("merge", "-q", "--no-ff", "--no-edit", "FETCH_HEAD")
	all := q.forge.Pulls(branch)
	all[1].Closed, all[1].Head, all[1].Merged = true, q.git("rev-parse", "FETCH_HEAD"), q.git("rev-parse", "HEAD")
	q.forge.Set(all...)
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.hears(second.Number, "Nothing was to be done")

	q.writes("M1", "ID")
	third := q.stands(branch, 3, false, "ids alone")
	if row := q.adOf(branch, 2); row["ID"] == "" || row["Result"] != "created" {
		t.Errorf("the row is %v; want its id, beside what it said before", row)
	}
	q.git("fetch", "-q", q.upstream, branch)
	q.git("checkout", "-q", "FETCH_HEAD", "--", "winter.xlsx")
	q.git("commit", "-q", "-m", "The ids")
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.stands(branch, 3, true, "")
	q.p.end()
	said := q.forge.Comments(third.Number)
	if !strings.Contains(said[len(said)-1].Body, "The files say what became of their rows") {
		t.Errorf("it is closed with\n%+v\nwant why", said)
	}
}
