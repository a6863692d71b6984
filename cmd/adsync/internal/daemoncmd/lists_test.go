package daemoncmd

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/daemon/web"
	"adsync/internal/figures"
	"adsync/internal/figures/overspend"
	"adsync/internal/planview"
	"adsync/internal/testing/pgtest"
	"adsync/sources/config"
	"adsync/state"
)

// manyAccounts is a daemon of a database with so many accounts, each of which was told of and has a plan. No loop runs:
// all are as those of other daemons are.
func manyAccounts(t *testing.T, n int) (*daemonRun, *web.Server) {
	t.Helper()
	address := pgtest.Start(t, "fsync=off").Database(t)
	env := &session.Env{Databases: &session.Databases{}, Console: console.Console{
		In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(name string) string {
			return map[string]string{"TEST_DATABASE": address}[name]
		}}}
	t.Cleanup(func() { noError(t, env.Databases.Close()) })
	said := func(text string) config.Setting { return config.Setting{Value: text} }
	settings := config.Daemon{Database: config.KeyReference{From: "env", Setting: said("TEST_DATABASE")}}
	for i := range n {
		settings.Accounts = append(settings.Accounts, config.DaemonAccount{
			Name: said(fmt.Sprintf("shop-%04d", i)), ID: said(fmt.Sprintf("adacct_%04d", i)),
			Git: config.Git{URL: said("https://git.example.com/ads.git"), Ref: said("main")},
		})
	}
	log := slog.New(slog.DiscardHandler)
	d := &daemonRun{env: env, log: log, began: time.Now(), known: map[string]daemon.Account{}}
	var err error
	d.sharing, err = shareOf(t.Context(), env, log, settings)
	noError(t, err)
	d.hub = daemon.New(daemon.Options{Logger: log})
	d.desk = d.sharing.shows(d)
	server, err := web.New(web.Options{Listen: web.DefaultListen, Schemas: session.Schemas(), Log: log}, d.desk)
	noError(t, err)
	return d, server
}

// statusOf is how an account is. Each third has its money in EUR; of each seventh nobody knows what it spent, and what
// each eleventh spent is of a day long past.
func statusOf(i int, now time.Time, plan *planview.Document) daemon.Status {
	s := daemon.Status{Name: fmt.Sprintf("shop-%04d", i), Account: plan.Account, State: daemon.InSync,
		Source: "https://git.example.com/ads.git main", Last: now, Good: now, PlanHash: plan.PlanHash,
		Figures: &daemon.Figures{Taken: now, Exposure: daemon.Exposure{Daily: int64(i) * 1_000_000}}}
	if i%10 == 0 {
		s.State, s.Message, s.Figures.Held = daemon.Held, "1 change held; first campaign/spring: it raises spend", 1
		s.Review, s.Rejected = "2 ads rejected", 2
	}
	if i%3 == 0 {
		s.Account.Currency = "EUR"
	}
	if i%7 != 0 {
		micros := int64(i%100) * 1_000_000 // several spent as much
		s.Spent = &figures.Lately{Currency: s.Account.Currency, OfDay: &micros, Week: &micros,
			Until: now.Add(time.Hour)}
	}
	if i%4 == 0 {
		s.Paced = &overspend.Paced{Currency: s.Account.Currency, Spent: int64(i) * 1_000_000, Due: 100_000_000,
			Until: now.Add(time.Duration(i%3) * time.Hour)} // of some it is of a day that is past
	}
	if i%5 == 0 && s.Spent != nil {
		s.Spent.WeekBefore = s.Spent.Week
	}
	if i%11 == 0 && s.Spent != nil {
		s.Spent.Until = now.Add(-time.Hour)
	}
	return s
}

// told has every account told of, and returns how long that took.
func told(t *testing.T, d *daemonRun, n int) time.Duration {
	t.Helper()
	content, err := os.ReadFile("../../../../internal/daemon/web/testdata/plan.json")
	noError(t, err)
	began := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); d.sharing.publisher.Run(ctx) }()
	for i := range n {
		plan := &planview.Document{}
		noError(t, json.Unmarshal(content, plan))
		d.sharing.publisher.Show(statusOf(i, began, plan), plan)
	}
	for late := time.After(time.Minute); ; {
		all, err := d.sharing.server.Views().Since(ctx, began.Add(-time.Hour))
		noError(t, err)
		if len(all) == n {
			break
		}
		select {
		case <-late:
			t.Fatalf("after a minute %d of %d accounts were told of", len(all), n)
		case <-time.After(50 * time.Millisecond): // the database's clock runs by itself
		}
	}
	took := time.Since(began)
	cancel()
	<-ended
	return took
}

// lived gives an account a history: runs, possible spend over time, approvals.
func lived(t *testing.T, d *daemonRun, id string) {
	t.Helper()
	ctx := t.Context()
	store, err := d.sharing.server.Open(ctx, id, state.Options{})
	noError(t, err)
	large := make([]byte, 128<<10) // of a run of many changes, compressed
	_, _ = rand.Read(large)
	for i := range 100 {
		at := time.Now().Add(time.Duration(i-100) * time.Hour)
		run := fmt.Sprintf("run-%06d", i+1)
		noError(t, store.RecordRun(ctx, state.Run{ID: run, Started: at, Finished: at.Add(time.Minute)}))
		noError(t, store.RecordReport(ctx, run, []byte(`{}`), func(w io.Writer) error {
			_, err := w.Write(large)
			return err
		}))
	}
	noError(t, store.Close())
	beside := d.sharing.server.Beside(id)
	var points []byte
	for i := range 2000 {
		line, err := json.Marshal(daemon.Point{Time: time.Now().Add(time.Duration(i-2000) * time.Hour),
			Exposure: daemon.Exposure{Daily: int64(i%50) * 1_000_000}})
		noError(t, err)
		points = append(append(points, line...), '\n')
	}
	noError(t, beside.Put("exposure.ndjson", points))
}

// viewMost is how long a view may take on a machine that does much else; docs/operate/database.md says what was
// measured on one that does not. viewBytes is how large one may be.
const (
	viewMost  = 3 * time.Second
	viewBytes = 512 << 10
	pageBytes = 100 << 10 // of the page of all accounts
)

// TestViewsOfManyAccountsAreQuick: a page, a list, a search and one account of 3,000 cost what is shown, and not what
// there is.
func TestViewsOfManyAccountsAreQuick(t *testing.T) {
	const accounts, times = 3000, 40
	d, server := manyAccounts(t, accounts)
	t.Logf("%d accounts were told of in %s", accounts, told(t, d, accounts).Round(time.Millisecond))
	lived(t, d, "adacct_0000")
	listsAgree(t, d, accounts)
	for _, row := range []struct{ name, path, has string }{
		{"page of all accounts", "/", "3000 accounts: 0 want a person, 300 wait, 2700 are well."},
		{"its page by spend", "/?sort=spend", `<a href="/accounts/shop-0699">`},
		{"its 30th part", "/?after=shop-1391", "shop-1392"},
		{"searched page", "/?q=SHOP-29&mood=wait", "100 accounts with “SHOP-29”: 0 want a person, 10 wait,"},
		{"one account", "/accounts/shop-0000", "run-000100"},
		{"its history", "/accounts/shop-0000/runs", "run-000001"},
		{"account of the API", "/api/v1/accounts/shop-0000", `"name":"shop-0000"`},
		{"list of the API", "/api/v1/accounts?limit=100", `"total":3000`},
		{"longest list", "/api/v1/accounts?limit=500&after=shop-1000", `"next":"shop-1500"`},
		{"searched list", "/api/v1/accounts?q=shop-2999", `"total":1,`},
		{"its plan", "/api/v1/accounts/shop-2999/plan", `"plan_hash"`},
	} {
		var took []time.Duration
		size := 0
		for range times {
			r := httptest.NewRequest(http.MethodGet, row.path, nil)
			r.Host = "localhost"
			answer, began := httptest.NewRecorder(), time.Now()
			server.ServeHTTP(answer, r)
			took = append(took, time.Since(began))
			body := answer.Body.String()
			if size = len(body); answer.Code != http.StatusOK || !strings.Contains(body, row.has) {
				t.Fatalf("%s: %d without %q: %.2000s", row.name, answer.Code, row.has, body)
			}
		}
		slices.Sort(took)
		p95 := took[len(took)*95/100]
		t.Logf("%-22s half within %6.1f ms, 95 %% within %6.1f ms, %4d KiB", row.name,
			float64(took[len(took)/2].Microseconds())/1e3, float64(p95.Microseconds())/1e3, size>>10)
		most := viewBytes
		if strings.HasPrefix(row.path, "/?") || row.path == "/" {
			most = pageBytes
		}
		if p95 > viewMost || size > most {
			t.Errorf("%s: 95 %% within %s, %d bytes; want %s and %d", row.name, p95, size, viewMost, most)
		}
	}
}

// listsAgree holds that the database chooses, sorts, cuts and adds up accounts as a daemon does that has all in memory.
func listsAgree(t *testing.T, d *daemonRun, n int) {
	t.Helper()
	content, err := os.ReadFile("../../../../internal/daemon/web/testdata/plan.json")
	noError(t, err)
	plan := &planview.Document{}
	noError(t, json.Unmarshal(content, plan))
	now := time.Now()
	var all []daemon.Status
	for i := range n {
		s := statusOf(i, now, plan)
		s.Account.ID = fmt.Sprintf("adacct_%04d", i)
		all = append(all, s)
	}
	said := func(l daemon.List) string {
		var names []string
		for _, s := range l.Accounts {
			names = append(names, s.Name)
		}
		return fmt.Sprintf("%q next %q counts %v totals %+v", names, l.Next, l.Counts, l.Totals)
	}
	for _, q := range []daemon.Query{
		{Most: 5},
		{Most: 5, BySpend: true},
		{Most: n, BySpend: true},
		{Most: 40, BySpend: true, After: "shop-1301"},
		{Most: 40, BySpend: true, After: "shop-0000", States: []daemon.Class{daemon.Held}},
		{Most: 40, After: "shop-1301", Words: "SHOP-1"},
		{Most: 5, States: []daemon.Class{daemon.Held}, Words: "adacct_29"},
		{Most: 5, Words: "nothing"},
	} {
		q.Now = now
		if got, want := said(d.desk.List(t.Context(), q)), said(q.Choose(all)); got != want {
			t.Errorf("%+v: %.3000s\nwant %.3000s", q, got, want)
		}
	}
}
