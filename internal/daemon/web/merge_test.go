package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"adsync/internal/daemon"
)

var (
	commitOfLook = regexp.MustCompile(`action="(/accounts/shoes/looks/[0-9a-f]{64}/commit)"`)
	settleOfLook = regexp.MustCompile(`action="(/accounts/shoes/looks/[0-9a-f]{64}/merge)"`)
)

// mergeOf is one in which both sides changed a value, with names that nobody may take for markup.
func mergeOf(hostile string, settled bool) *daemon.Upload {
	m := &daemon.Merge{Since: noon, Settled: settled, Known: "0123", Took: []daemon.MergeValue{
		{What: "Ads!E2 " + hostile, Yours: hostile, Today: "x"}},
		Clashes: []daemon.MergeValue{
			{Digest: "aa", What: "Ads!D2 " + hostile, Base: hostile, Today: hostile, Yours: hostile},
			{Digest: "bb", What: "Ads!3", Today: "a, b", Yours: "(removed)", Reason: hostile}},
		Left:   []daemon.MergeValue{{What: "sheet " + hostile, Reason: hostile}},
		Sorted: []string{"Ads of 2026", hostile}}
	u := &daemon.Upload{Source: "spring.xlsx", Base: "of today", Merge: m, Into: "main"}
	if settled {
		m.Content, u.Branch = []byte("today's with Ann's"), "adsync/uploads"
	}
	return u
}

// What is merged is shown with what both sides changed, and cannot be sent before it is settled: nothing on the page
// leads there, and no order of it is taken. What was chosen is asked of the file as it was dropped; what is sent is
// what came of it.
func TestAMergeIsSettledInThePage(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann Example")
	const hostile = "<script>x</script>"
	a.desk.upload = mergeOf(hostile, false)
	page := text(t, a.upload("spring.xlsx", "Ann's"))
	for _, want := range []string{"Somebody changed this file since you downloaded it", "Yours, that goes along (1)",
		"Both of you changed it: what counts? (2)", "I know that this stays", "planned once all of that has its choice",
		"Nothing can be sent before", "Yours: (removed)",
		"Rows stand in today's order: yours, sorted otherwise, is not taken over (Ads of 2026)."} {
		if !strings.Contains(strings.ReplaceAll(page, "&#39;", "'"), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	settle := settleOfLook.FindStringSubmatch(page)
	if strings.Contains(page, hostile) || commitOfLook.MatchString(page) || settle == nil {
		t.Fatalf("it has markup of a name: %t; it can be sent: %t; it is settled at %q",
			strings.Contains(page, hostile), commitOfLook.MatchString(page), settle)
	}
	wantStatus(t, a.submit(strings.Replace(settle[1], "/merge", "/commit", 1), url.Values{}), 404)
	wantStatus(t, a.submit(strings.Replace(settle[1], "shoes", "hats", 1), url.Values{}), 404)
	wantStatus(t, a.submit(strings.Replace(settle[1], "/looks/", "/looks/0", 1), url.Values{}), 404)

	a.desk.upload = mergeOf(hostile, true)
	a.desk.upload.Merge.Sorted = nil
	page = text(t, a.submit(settle[1], url.Values{
		"clash-aa": {"yours"}, "clash-bb": {"today"}, "clash-cc": {"yours"}, "known": {"0123"}}))
	asked := a.desk.dropped[len(a.desk.dropped)-1]
	if got := fmt.Sprintf("%s %s %v %s", asked.Name, asked.Content, asked.Choices, asked.Known); got !=
		"spring.xlsx Ann's map[aa:yours bb:today] 0123" || asked.Who == "" {
		t.Errorf("it asks for %s, of %q; want the choices of what was shown alone", got, asked.Who)
	}
	if strings.Contains(page, "sorted otherwise") {
		t.Errorf("the page speaks of an order that is today's:\n%s", page)
	}
	commit := commitOfLook.FindStringSubmatch(page)
	if commit == nil || !strings.Contains(page, "the merged file as Ann Example") {
		t.Fatalf("it cannot be sent:\n%s", page)
	}
	wantStatus(t, a.submit(commit[1], url.Values{}), 200)
	if sent := a.desk.handed[len(a.desk.handed)-1]; string(sent.Content) != "today's with Ann's" ||
		sent.Base != "of today" || sent.Began != "" {
		t.Errorf("sent is %+v; want what was merged, in the place of today's, and nothing that Ann has", sent)
	}
	text(t, a.submit(settle[1], url.Values{"all": {"today"}, "clash-aa": {"yours"}}))
	asked = a.desk.dropped[len(a.desk.dropped)-1]
	if asked.Choices["aa"] != "today" || asked.Choices["bb"] != "today" {
		t.Errorf("today's for all asks for %v", asked.Choices)
	}

	refused := mergeOf(hostile, false)
	refused.Merge = &daemon.Merge{Since: noon, Refused: "only workbooks are merged"}
	a.desk.upload = refused
	page = text(t, a.upload("spring.csv", "x"))
	if commitOfLook.MatchString(page) || settleOfLook.MatchString(page) || !strings.Contains(page,
		"It is not merged: only workbooks are merged. Yours would take back") || !strings.Contains(page,
		`href="/accounts/shoes/file?name=spring.xlsx"`) {
		t.Errorf("what cannot be merged is shown as\n%s", page)
	}
}

// What somebody downloaded is theirs: by their name where that is proven, at whichever browser, else by the session. A
// program has nothing.
func TestWhoDownloadsIsKnown(t *testing.T) {
	whose := func(a *asker, headers ...string) string {
		t.Helper()
		wantStatus(t, a.get("/accounts/shoes/file?name=spring.xlsx", headers...), 200)
		return a.desk.downloaded[len(a.desk.downloaded)-1]
	}
	a := ask(t, nil)
	if who := whose(a); who != "" {
		t.Errorf("who is not logged in is %q; want nobody", who)
	}
	a.login("Ann Example")
	first := whose(a)
	a.login("Ann Example")
	if second := whose(a); first == "" || first == second || strings.Contains(first, "Ann") {
		t.Errorf("two sessions by the one token are %q and %q; want two, without a name", first, second)
	}
	named, _ := askNamed(t)
	named.loginAs("anna", thePassword)
	one := whose(named)
	named.loginAs("ben", thePassword)
	other := whose(named)
	named.loginAs("anna", thePassword)
	if again := whose(named); again != one || one == other {
		t.Errorf("anna is %q and %q, ben %q; want anna by her name at any browser", one, again, other)
	}
}
