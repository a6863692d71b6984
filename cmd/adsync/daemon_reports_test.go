package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/errands"
)

// reportBox takes the reports that daemons post.
type reportBox struct {
	url    string
	got    chan postedReport
	silent atomic.Bool // it takes a report and does not answer
}

// postedReport is a report as a program reads it.
type postedReport struct {
	path    string
	ID      string `json:"id"`
	Account string `json:"account"`
	Report  struct {
		Since, Until, Source string
		Gaps                 []string
	} `json:"report"`
}

func openReportBox(t *testing.T) *reportBox {
	t.Helper()
	b := &reportBox{got: make(chan postedReport, 1000)}
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		one := postedReport{path: r.URL.Path}
		if err == nil {
			err = json.Unmarshal(content, &one)
		}
		if err != nil {
			t.Errorf("%v of %s", err, content)
		}
		silent := b.silent.Load()
		b.got <- one
		if silent {
			<-released
		}
	}))
	b.url = server.URL
	t.Cleanup(func() { close(released); server.CloseClientConnections(); server.Close() })
	return b
}

func (b *reportBox) next(t *testing.T) postedReport {
	t.Helper()
	select {
	case one := <-b.got:
		return one
	case <-time.After(patience):
		t.Fatal("no report comes")
		return postedReport{}
	}
}

// dueNow is an hour of a report that has just come in a zone, and that comes again in a week.
func dueNow(t *testing.T, zone string) string {
	t.Helper()
	in, err := time.LoadLocation(zone)
	noError(t, err)
	now := time.Now().In(in)
	return strings.ToLower(now.Weekday().String()) + now.Format(" 15:04")
}

// TestAReportIsSentOnce: by a daemon of a folder, whose hour was before its start; again where it was killed before it
// knew that the report had arrived, under the same id; and not again after that.
func TestAReportIsSentOnce(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	box := openReportBox(t)
	file := filepath.Join(t.TempDir(), "daemon.yaml")
	hour := dueNow(t, "America/New_York")
	start := func(to string) *process {
		saveFile(t, file, fmt.Sprintf(`
listen: none
every: 2s
settle: 200ms
operator: %s
people:
  annabel: {webhook: {url: {env: FIRST_URL}, key: {env: HOOK_KEY}}}
  berthold: {webhook: {url: {env: SECOND_URL}, key: {env: HOOK_KEY}}}
reports:
- {every: "%s", span: yesterday, to: [%s]}
accounts:
- {name: shop, folder: %s}
`, operator, hour, to, dir))
		return startDaemonWith(t, s.environment("FIRST_URL="+box.url+"/first", "SECOND_URL="+box.url+"/second"),
			"--config", file)
	}
	killed := func(p *process) {
		noError(t, p.c.Process.Kill())
		<-p.ended
	}
	box.silent.Store(true)
	p := start("annabel")
	began := box.next(t)
	killed(p)
	zone, err := time.LoadLocation("America/New_York")
	noError(t, err)
	yesterday := time.Now().In(zone).AddDate(0, 0, -1).Format(time.DateOnly)
	if r := began.Report; began.Account != "shop" || r.Since != r.Until || r.Since > yesterday || r.Source != "kept" ||
		len(r.Gaps) > 0 {
		t.Errorf("the report is %+v; want that of %s", began, yesterday)
	}
	box.silent.Store(false)
	p = start("annabel")
	if again := box.next(t); !reflect.DeepEqual(again, began) {
		t.Errorf("sent first %+v, then %+v; want the same with one id", began, again)
	}
	p.until("msg", "a report was sent")
	killed(p)
	p = start("annabel, berthold") // who gets it after the first
	if other := box.next(t); other.path != "/second" || other.ID == began.ID {
		t.Errorf("after a kill %s gets %+v; want the second alone", other.path, other)
	}
	p.until("msg", "a report was sent")
	p.end()
	if n := len(box.got); n > 0 {
		t.Errorf("sent %d times more: %+v", n, <-box.got)
	}
	record, err := os.ReadFile(filepath.Join(dir, ".adsync", "reports.json"))
	noError(t, err)
	for _, secret := range []string{box.url, "annabel", "a key of the webhook"} {
		if strings.Contains(string(record), secret) || strings.Contains(p.said(), secret) {
			t.Errorf("%q is written down", secret)
		}
	}
}

// TestAReportIsSentOnceByManyDaemons: of each account of a database, by whichever daemon; by another where the one that
// sent it was killed before it knew that it had arrived; and by nobody after that.
func TestAReportIsSentOnceByManyDaemons(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 2)
	box := openReportBox(t)
	file := filepath.Join(a.dir, "daemon.yaml")
	settings, err := os.ReadFile(file)
	noError(t, err)
	configured := strings.Replace(string(settings), "figures: false", "figures: true", 1) + `
people:
  annabel: {webhook: {url: {env: FIRST_URL}, key: {env: HOOK_KEY}}}
  berthold: {webhook: {url: {env: SECOND_URL}, key: {env: HOOK_KEY}}}
reports:
- {every: "` + dueNow(t, "UTC") + `", span: yesterday, to: [annabel]}
`
	saveFile(t, file, configured)
	a.more = append(a.more, "FIRST_URL="+box.url+"/first", "SECOND_URL="+box.url+"/second",
		"HOOK_KEY=a key of the webhook")
	pair := func() map[string]postedReport {
		one, other := box.next(t), box.next(t)
		return map[string]postedReport{one.Account: one, other.Account: other}
	}
	killed := func(p *process) {
		noError(t, p.c.Process.Kill())
		<-p.ended
	}
	box.silent.Store(true)
	p := a.start()
	began := pair() // and no answer comes
	running := a.until("two that are under way", func(jobs []errands.Job) bool {
		return len(jobs) == 2 && jobs[0].State == "running" && jobs[1].State == "running"
	})
	if j := running[0]; j.Kind != "report" || strings.Contains(j.Key, box.url) {
		t.Errorf("the job is %+v; want the report of an account", j)
	}
	killed(p)
	box.silent.Store(false)
	p, other := a.start(), a.start()
	if again := pair(); len(again) != 2 || !reflect.DeepEqual(again, began) {
		t.Errorf("sent first %+v, then %+v; want the same with their ids", began, again)
	}
	a.until("none but those that are done", func(jobs []errands.Job) bool { return len(jobs) == 0 })
	killed(p)
	killed(other)
	saveFile(t, file, strings.Replace(configured, "to: [annabel]", "to: [annabel, berthold]", 1))
	p = a.start()
	if second := pair(); second["shop-0"].path != "/second" || second["shop-1"].path != "/second" {
		t.Errorf("after all daemons were killed %+v come; want those of the second alone", second)
	}
	a.until("none but those that are done", func(jobs []errands.Job) bool { return len(jobs) == 0 })
	p.end()
	if n := len(box.got); n > 0 {
		t.Errorf("sent %d times more: %+v", n, <-box.got)
	}
}
