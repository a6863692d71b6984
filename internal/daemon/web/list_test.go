package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/figures/overspend"
)

// many has the desk look after so many accounts, each third of which wants a person.
func (d *fakeDesk) many(n int) {
	d.accounts = nil
	for i := range n {
		s := daemon.Status{Name: fmt.Sprintf("shop-%04d", i), Source: "/srv/shop", State: daemon.InSync}
		if i%3 == 0 {
			s.State = daemon.Input
		}
		d.accounts = append(d.accounts, s)
	}
}

// A program reads all accounts part by part, and those that it searches.
func TestTheAPIListsAccountsByPart(t *testing.T) {
	a := ask(t, nil)
	a.desk.many(250)
	read := func(target string) (d accountsDocument) {
		t.Helper()
		if err := json.Unmarshal([]byte(text(t, a.get(target))), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	var names []string
	for after, parts := "", 0; ; parts++ {
		d := read("/api/v1/accounts?after=" + after)
		for _, s := range d.Accounts {
			names = append(names, s.Name)
		}
		if d.Total != 250 || len(d.Accounts) > listUsual || parts > 2 {
			t.Fatalf("part %d has %d of %d accounts", parts, len(d.Accounts), d.Total)
		}
		if after = d.Next; after == "" {
			break
		}
	}
	if len(names) != 250 || names[0] != "shop-0000" || names[249] != "shop-0249" {
		t.Errorf("%d accounts in all, want each of the 250 once: %.200q", len(names), names)
	}
	if d := read("/api/v1/accounts?q=SHOP-001&state=input&limit=2"); len(d.Accounts) != 2 || d.Total != 10 ||
		d.States["input"] != 3 || d.Accounts[0].Name != "shop-0012" || d.Next != "shop-0015" {
		t.Errorf("searched: %+v", d)
	}
	for _, wrong := range []string{"limit=0", "limit=501", "limit=x", "state=ill"} {
		wantProblem(t, a.get("/api/v1/accounts?"+wrong), 400, "bad_request")
	}
}

// processorTime is the least that something takes of this process, of several times: whatever else the machine does.
func processorTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	least := time.Hour
	for range 7 {
		began := used()
		do()
		least = min(least, used()-began)
	}
	return least
}

// soon wants the page of accounts at once, and small.
func (a *asker) soon(target string) {
	a.t.Helper()
	const most = 200 * time.Millisecond
	if took := processorTime(a.t, func() { a.get(target) }); took > most {
		a.t.Errorf("%s of %d accounts takes %v of a processor; want at most %v",
			target, len(a.desk.accounts), took, most)
	}
	if page := text(a.t, a.get(target)); len(page) > 100<<10 {
		a.t.Errorf("%s of %d accounts has %d bytes; want at most 100 KiB", target, len(a.desk.accounts), len(page))
	}
}

// A page of many accounts is a page, and offers to search; one of few does neither.
func TestThePageOfManyAccounts(t *testing.T) {
	a := ask(t, nil)
	if page := text(t, a.get("/")); strings.Contains(page, `class="search"`) || strings.Contains(page, "Next page") {
		t.Error("the page of three accounts offers to search them")
	}
	a.desk.many(3000)
	page := text(t, a.get("/"))
	for _, want := range []string{`class="search"`, "3000 accounts: 1000 want a person, 0 wait, 2000 are well.",
		`<a href="/?after=shop-0047" rel="next">Next page</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if n := strings.Count(page, `<li class="card`); n != cardsMost || len(page) > 100<<10 {
		t.Errorf("%d cards, %d bytes; want %d in 100 KiB", n, len(page), cardsMost)
	}
	for i := range a.desk.accounts {
		s, micros := &a.desk.accounts[i], int64(i)*1_000_000
		s.Account.Currency = "USD"
		s.Figures = &daemon.Figures{Exposure: daemon.Exposure{Daily: micros}}
		s.Spent = &figures.Lately{Currency: "USD", Day: "2026-11-21", Until: noon.Add(time.Hour), Taken: noon,
			OfDay: &micros, Week: &micros, WeekBefore: &micros}
		s.Paced = &overspend.Paced{Currency: "USD", Day: "2026-11-21", Days: 7, Until: noon.Add(time.Hour),
			Spent: micros, Due: 4_000_000_000, Known: 11, Delivering: 12}
	}
	for _, target := range []string{"/", "/?sort=spend", "/?q=shop-2&mood=ill&after=shop-2100"} {
		a.soon(target)
	}
	page = text(t, a.get("/?q=shop-2&mood=ill&after=shop-2100"))
	for _, want := range []string{`value="shop-2"`, `<option value="ill" selected>`, "shop-2103", ">First page<",
		`/?after=shop-2244&amp;mood=ill&amp;q=shop-2`} {
		if !strings.Contains(page, want) {
			t.Errorf("the searched page does not have %s", want)
		}
	}
	if page := text(t, a.get("/?q=nothing")); !strings.Contains(page, "No account is so.") {
		t.Error("a search that finds nothing does not say so")
	}
}

// The page of 1,000 accounts is one small answer for which no figure is read: what accounts spent stands in their
// status. Its sums are of all accounts that are searched, currency by currency, and say of how many they are.
func TestThePageAddsUpWhatAccountsSpent(t *testing.T) {
	a := ask(t, nil)
	a.desk.many(1000)
	a.desk.figures = figures.Kept{} // whoever reads it breaks off
	for i := range a.desk.accounts {
		s := &a.desk.accounts[i]
		s.Account.Currency = []string{"USD", "EUR"}[i%2]
		s.Figures = &daemon.Figures{Held: i % 2, Exposure: daemon.Exposure{Daily: 2_000_000}}
		s.Rejected = i % 4 / 3
		s.Paced = &overspend.Paced{Currency: s.Account.Currency, Day: "2026-11-21", Days: 7, Until: noon.Add(time.Hour),
			Spent: 3_000_000, Due: 4_000_000, Known: 1, Delivering: 1}
		day, week, before := int64(1_000_000), int64(i+1)*1_000_000, int64(500_000_000)
		s.Spent = &figures.Lately{Currency: s.Account.Currency, Day: "2026-11-21", Until: noon.Add(time.Hour),
			Taken: noon, OfDay: &day, Week: &week, WeekBefore: &before}
		switch {
		case i < 10: // nothing was read
			s.Spent = nil
		case i < 30: // not since the day before
			s.Spent.Until, s.Spent.Day = noon, "2026-11-20"
			s.Paced.Until = noon
		case i < 50: // only a part of the last days
			s.Spent.WeekBefore = nil
		}
	}
	a.desk.accounts[999].Account.Currency = "" // it was not read
	a.desk.accounts[999].Spent = nil
	page := text(t, a.get("/?sort=spend"))
	for _, want := range []string{
		"In these 1000 accounts 500 changes wait, and 250 ads are rejected.",
		"Of 31 accounts it is not known what they spent yesterday.",
		// even ones from 30 on: 485, of 31 + 33 + … + 999 in all, less the 10 of 31 to 49 against the week before
		`<tr><th scope="row">USD<br><span class="why">500 accounts</span></th><td>485.00<br><span class="why">of 485</span></td>` +
			`<td>249,775.00<br><span class="why">of 485</span></td>` +
			`<td>&#43;5%<br><span class="why">of 475</span></td>` +
			`<td>1,470.00 of 1,960.00, 75%<br><span class="why">of 490</span></td><td>1,000.00</td></tr>`,
		// odd ones from 31 to 997: 484, of 32 + 34 + … + 998
		`<tr><th scope="row">EUR<br><span class="why">499 accounts</span></th><td>484.00<br><span class="why">of 484</span></td>` +
			`<td>249,260.00<br><span class="why">of 484</span></td>`,
		`<a href="/?after=shop-0903&amp;sort=spend" rel="next">Next page</a>`,
		`<dt>Spent yesterday</dt><dd class="amount">1.00 EUR</dd>`, "<dd>998.00 EUR (&#43;99%)</dd>",
		`<dt>Paced</dt><dd>3.00 of 4.00 EUR in the 7 days to 2026-11-21, 75%</dd>`,
		`What it spent was read <time datetime="2026-11-22T17:00:00Z">`, "<b>An approver:</b> 1 change waits for approval",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if first := strings.Index(page, "shop-0997"); first < 0 || first > strings.Index(page, "shop-0995") {
		t.Error("the account that spent the most is not the first")
	}
	for _, target := range []string{"/", "/?sort=spend", "/?mood=well&after=shop-0500"} {
		a.soon(target)
	}
	page = text(t, a.get("/?q=shop-000"))
	for _, want := range []string{"In these 10 accounts 5 changes wait", "<td>not known</td>",
		`<dd class="amount">not known</dd>`, "Of 10 accounts it is not known"} {
		if !strings.Contains(page, want) {
			t.Errorf("the searched page does not have %s", want)
		}
	}
	page = text(t, a.get("/?q=shop-0012"))
	if strings.Contains(page, "Together") || !strings.Contains(page, "<dt>Spent on 2026-11-20</dt>") {
		t.Error("one account is added up, or what it spent days ago is said to be yesterday's")
	}
	var d accountsDocument
	if err := json.Unmarshal([]byte(text(t, a.get("/api/v1/accounts?sort=spend&limit=1"))), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Accounts) != 1 || d.Accounts[0].Name != "shop-0997" || len(d.Totals) != 3 ||
		d.Totals[2].Week != (daemon.Sum{Accounts: 485, Micros: 249_775_000_000}) {
		t.Errorf("the API lists %+v", d)
	}
	wantProblem(t, a.get("/api/v1/accounts?sort=age"), 400, "bad_request")
}

// Where an account is another daemon's, its page says who told what is shown, and whether that one lives.
// Each view that shows an account or its files says which workbooks are drafts, whatever these are called.
func TestThePageSaysWhatIsADraft(t *testing.T) {
	a := ask(t, nil)
	for _, path := range []string{"/", "/accounts/shoes", "/accounts/shoes/files"} {
		page := text(t, a.get(path))
		if !strings.Contains(page, "draft, 12 changes waiting (last ready 27 Nov, 09:14)") {
			t.Errorf("%s does not say how the draft stands", path)
		}
		if strings.Contains(page, "\u202e") {
			t.Errorf("%s has the name of a file as it is", path)
		}
	}
}

func TestThePageOfAnotherDaemonsAccount(t *testing.T) {
	a := ask(t, nil)
	told := &daemon.Told{Host: "host-a", At: noon, By: "host-a", Seen: noon, Lives: true}
	a.desk.accounts[0].Told = told
	for want, change := range map[string]func(){
		"host-a works on it; looks since then found nothing new.":                 func() {},
		`host-a worked on it, and was last seen <time datetime="2026-11-22T17:00`: func() { told.Lives = false },
		"No daemon works on it now.":                                              func() { told.By = "" },
	} {
		*told = daemon.Told{Host: "host-a", At: noon, By: "host-a", Seen: noon, Lives: true}
		change()
		if page := text(t, a.get("/accounts/shoes")); !strings.Contains(page, want) ||
			!strings.Contains(page, "Told by host-a") {
			t.Errorf("the page does not say %s", want)
		}
	}
}
