package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestACSVFileThatMovedIsMergedInGit: anna sorts her CSV file and changes a bid, while a colleague pushes another. The
// pull request has today's file with her bid in it, byte for byte, and the page says that the order is today's. Once
// somebody merges it, both bids are applied, and her file has nothing more to send.
func TestACSVFileThatMovedIsMergedInGit(t *testing.T) {
	t.Parallel()
	hash := filepath.Join(t.TempDir(), "the.hash")
	saveFile(t, hash, hashOf(t, annasPassword))
	q := newProposed(t, "1s", "approvers: [zoe]}\npeople: {anna: {role: editor, password: {file: "+hash+"}}")
	anna := (&merged{T: t, s: q.account}).enters(q.at, "anna")
	at := filepath.Join(q.work, "ad-groups.csv")
	pushes := func(text string) {
		t.Helper()
		saveFile(t, at, text)
		q.git("add", "ad-groups.csv")
		q.git("commit", "-q", "-m", "Bids")
		q.git("push", "-q", q.upstream, "main")
		push(t, q.at, "refs/heads/main")
		q.p.until("msg", "run ended", "class", "applied")
	}
	table := strings.ReplaceAll("\ufeffCampaign;Ad group;Status;Max bid (USD);My note;Key\n"+
		"Spring launch;Swimmers;paused;0.80;\"mine, \"\"of course\"\"\";swimmers\n"+
		"Spring launch;Cyclists;paused;1.50;;cyclists\n", "\n", "\r\n")
	pushes(table)
	hers := anna.downloads("ad-groups.csv")
	his := strings.Replace(table, "1.50", "1.20", 1)
	pushes(his)

	out, err := exec.Command("/usr/bin/python3", "-c", `
import csv, sys
head, *rows = csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), delimiter=";")
rows[0][3] = "0.70"
csv.writer(open(sys.argv[1], "w", newline="")).writerows([head] + sorted(rows))`, hers).CombinedOutput()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, out)
	}
	page := anna.drops(hers)
	for _, want := range []string{"line 2 [swimmers] Max bid (USD): <b>0.70</b>, in the place of 0.80",
		"Yours, that goes along (1)", "A pull request into main has the merged file as anna's",
		"Rows stand in today's order: yours, sorted otherwise, is not taken over (ad-groups.csv)."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if t.Failed() {
		t.Fatalf("it is:\n%s", page)
	}
	if sent := anna.sends(page); !strings.Contains(sent, "Sent as pull request") {
		t.Errorf("sent: %s", sent)
	}
	branch := strings.TrimSpace(strings.TrimPrefix(q.git("-C", q.upstream, "branch", "--list", "adsync/uploads*"), "*"))
	q.git("pull", "-q", q.upstream, branch)
	want := strings.Replace(his, "0.80", "0.70", 1)
	if is := textOf(t, at); is != want || q.changes(branch) != "ad-groups.csv" {
		t.Errorf("%s changes %s; the file is\n%q\nwant\n%q", branch, q.changes(branch), is, want)
	}
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	if bid := bidOf(t, q.account, "Swimmers"); bid != 700_000 {
		t.Errorf("the bid of Swimmers is %d; want hers", bid)
	}
	if bid := bidOf(t, q.account, "Cyclists"); bid != 1_200_000 {
		t.Errorf("the bid of Cyclists is %d; want the colleague's", bid)
	}
	page = anna.drops(hers)
	if !strings.Contains(page, "Nothing of yours goes along.") || !strings.Contains(page, "sorted otherwise") {
		t.Errorf("what is merged goes along again, or nobody says that the order does not:\n%s", page)
	}
	q.p.end()
}
