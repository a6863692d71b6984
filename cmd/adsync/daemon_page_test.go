package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/emulator"
	"adsync/internal/runview"
	"adsync/plan"

	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"
)

// watchman is a daemon in a process of its own, of one account against an
// emulator, and who asks it.
type watchman struct {
	*testing.T
	dir, root string
	log       *sharedText
}

// sharedText is written by one goroutine and read by another.
type sharedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *sharedText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sharedText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

const watchmansToken = "watchman-0123456789abcdef"

// springAt is one campaign that may spend so much a day.
func springAt(budget string) string {
	return "kind: campaign\nkey: spring\nname: Spring\nstatus: active\nbidding_type: clicks\nbudget: {daily: " +
		budget + "}\n"
}

// allowsRises is a policy of the operator under which possible spend may rise by itself.
const allowsRises = "policy: {max_daily_exposure: 1000, exposure: {percent: 1000000}}\n"

// hire starts a daemon on a folder, under a policy of the operator and with more flags, and waits until it answers.
func hire(t *testing.T, policy string, flags ...string) *watchman {
	t.Helper()
	return hireFor(t, policy, func(dir string) []string {
		return append(append([]string{"--listen", "127.0.0.1:0", "--settle", "200ms", "--every", "30s"}, flags...), dir)
	})
}

// hireFor starts one with the arguments for its folder.
func hireFor(t *testing.T, policy string, arguments func(dir string) []string) *watchman {
	t.Helper()
	service, err := emulator.Open(emulator.Options{
		Accounts: []emulator.Account{{ID: "adacct_page", Name: "Test",
			Currency: "USD", TimeZone: "America/New_York", Key: "sk-page-key", Features: emulator.AllFeatures()}},
	})
	noError(t, err)
	line := httptest.NewServer(service)
	folder := t.TempDir()
	w := &watchman{T: t, dir: filepath.Join(folder, "shoes"), log: &sharedText{}}
	noError(t, os.Mkdir(w.dir, 0o755))
	w.save("adsync.yaml", "account: {id: adacct_page, currency: USD, timezone: America/New_York}\n")
	w.save("spring.yaml", springAt("50.00"))
	operator := filepath.Join(folder, "operator.yaml")
	noError(t, os.WriteFile(operator, []byte(policy), 0o600))
	c := asAdsync(append([]string{"daemon", "--log-format", "json"}, arguments(w.dir)...)...)
	c.Env = append(c.Env, session.EnvBaseURL+"="+line.URL+"/v1",
		session.EnvKey+"=sk-page-key", keysAtOnce,
		session.EnvOperator+"="+operator, daemoncmd.EnvDaemonToken+"="+watchmansToken)
	said, err := c.StderrPipe()
	noError(t, err)
	noError(t, c.Start())
	address, read := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			var entry struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Address != "" {
				address <- entry.Address
			}
			fmt.Fprintf(w.log, "%s\n", lines.Bytes())
		}
	}()
	t.Cleanup(func() {
		noError(t, c.Process.Signal(syscall.SIGTERM))
		<-read
		if err := c.Wait(); err != nil && c.ProcessState.ExitCode() != console.ExitInterrupted {
			t.Errorf("the daemon ended with %v", err)
		}
		if t.Failed() {
			t.Logf("%s", w.log)
		}
		line.Close()
		service.Close()
	})
	select {
	case at := <-address:
		w.root = "http://" + at
	case <-time.After(patience):
		t.Fatal("the daemon answers nobody")
	}
	return w
}

func (w *watchman) save(name, text string) {
	w.Helper()
	noError(w.T, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644))
}

// ask asks the API, and reads the answer.
func ask[T any](w *watchman, method, path string, body io.Reader) (answer T) {
	w.Helper()
	r, err := http.NewRequest(method, w.root+"/api/v1/accounts/shoes"+path, body)
	noError(w.T, err)
	r.Header.Set("Authorization", "Bearer "+watchmansToken)
	got, err := http.DefaultClient.Do(r)
	noError(w.T, err)
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	noError(w.T, err)
	if got.StatusCode != http.StatusOK {
		w.Fatalf("%s %s: %s %s", method, path, got.Status, content)
	}
	noError(w.T, json.Unmarshal(content, &answer))
	return answer
}

// until looks at the account until it is as wanted.
func (w *watchman) until(what string, is func(daemon.Status) bool) daemon.Status {
	w.Helper()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	var s daemon.Status
	for began := time.Now(); time.Since(began) < time.Minute; <-look.C {
		if s = ask[daemon.Status](w, "GET", "", nil); is(s) && !s.Running {
			return s
		}
	}
	w.Fatalf("never %s: %+v", what, s)
	return s
}

// spends wants the account to have what the files say, so much a day.
func (w *watchman) spends(daily int64) daemon.Status {
	return w.until(fmt.Sprint("at ", daily), func(s daemon.Status) bool {
		return (s.State == daemon.InSync || s.State == daemon.Applied) && s.Exposure.Daily == daily*1_000_000
	})
}

// approves has somebody log in with a browser of their own, and say yes to the first
// that waits for one.
func (w *watchman) approves(name, note string) {
	w.Helper()
	browser, cancel := chromedp.NewExecAllocator(w.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath("chromium-headless-shell"))...)
	defer cancel()
	tab, end := chromedp.NewContext(browser)
	defer end()
	tab, end = context.WithTimeout(tab, time.Minute)
	defer end()
	noError(w.T, chromedp.Do(tab,
		chromedp.Navigate(w.root+"/login?back=/accounts/shoes"),
		chromedp.SendKeys(chromedp.CSS("#name"), name),
		chromedp.SendKeys(chromedp.CSS("#token"), watchmansToken+"\r"),
		chromedp.WaitVisible(chromedp.CSS("#allow0")),
		chromedp.Click(chromedp.CSS("#allow0")),
		chromedp.SendKeys(chromedp.CSS("#note"), note),
	))
	answer, err := chromedp.RunResponse(tab, chromedp.Click(chromedp.CSS("form.approve button")))
	noError(w.T, err)
	if !strings.HasSuffix(answer.URL, "?done=approved") {
		w.Fatalf("after the approval of %s the page is %s, %d; want it to say that it is approved",
			name, answer.URL, answer.Status)
	}
}

// TestTwoPeopleApproveTwoGuardsInThePage has a raise held by two guards, and two people
// who each say yes to one of them, one box after the other: it goes once both have.
func TestTwoPeopleApproveTwoGuardsInThePage(t *testing.T) {
	t.Parallel()
	w := hire(t, "policy: {max_daily_exposure: 1000}\n")
	w.spends(50)
	w.save("spring.yaml", springAt("120.00"))
	waits := func(s daemon.Status) bool { return s.State == daemon.Held && s.Exposure.Daily == 50_000_000 }
	w.until("held", waits)
	w.approves("Ann Example", "the client asked for it")
	one := w.until("held by what is left", func(s daemon.Status) bool {
		return waits(s) && len(ask[struct{ Approvals []daemon.Approval }](w, "GET", "/approvals", nil).Approvals) == 1
	})
	if one.Held != 1 {
		t.Errorf("after one yes %d changes are held; want the raise still", one.Held)
	}
	w.approves("Bob Example", "seen in the pacing report")
	now := w.spends(120)
	run := ask[runview.Document](w, "GET", "/runs/"+now.Run, nil)
	if !strings.Contains(run.By, "Ann Example") || !strings.Contains(run.By, "Bob Example") {
		t.Errorf("the report says by %q; want both names", run.By)
	}
}

// TestAHeldRaiseIsApprovedInThePage goes the whole way: a file asks for more than
// a run may raise, a person says yes in the browser, and the account has it.
func TestAHeldRaiseIsApprovedInThePage(t *testing.T) {
	t.Parallel()
	w := hire(t, allowsRises)
	w.spends(50)
	// the name goes, and what is left is another plan
	w.save("spring.yaml", strings.Replace(springAt("120.00"), "name: Spring", "name: Spring sale", 1))
	var plans []string
	held := w.until("held, and planned anew after the apply", func(s daemon.Status) bool {
		if s.Held == 1 && !slices.Contains(plans, s.PlanHash) {
			plans = append(plans, s.PlanHash)
		}
		return s.State == daemon.Held && s.Pending == 0 && len(plans) == 2
	})
	w.approves("Ann Example", "agreed with Bob")
	now := w.spends(120)
	approvals := ask[struct{ Approvals []daemon.Approval }](w, "GET", "/approvals", nil).Approvals
	if len(approvals) != 1 || approvals[0].By != "Ann Example" ||
		approvals[0].Note != "agreed with Bob" || approvals[0].PlanHash != held.PlanHash ||
		strings.Join(approvals[0].Allow, " ") != "raises-spend=campaign/spring" {
		t.Errorf("approvals: %+v; want Ann's, for the plan %s", approvals, held.PlanHash)
	}
	if run := ask[runview.Document](w, "GET", "/runs/"+now.Run, nil); !strings.HasSuffix(run.By,
		", approved by Ann Example") || run.Summary["applied"] != 1 || run.Money.Reached.DailyAfter != 120_000_000 {
		t.Errorf("the report: by %q, %v, %+v; want Ann's yes in it, and the raise", run.By, run.Summary, run.Money)
	}
	for _, name := range []string{"run-999999", "last", "..%2f..%2fstate.db"} { // anybody may ask for any
		answer, err := http.Get(w.root + "/accounts/shoes/runs/" + name)
		noError(t, err)
		if answer.Body.Close(); answer.StatusCode != http.StatusNotFound {
			t.Errorf("the run %s: %s; want 404", name, answer.Status)
		}
	}
	if strings.Contains(w.log.String(), "a request failed") {
		t.Error("what nobody has is logged as a mistake")
	}
	if strings.Contains(w.log.String(), watchmansToken) || strings.Contains(w.log.String(), "sk-page-key") {
		t.Error("a secret is in the log")
	}
}

// TestALookAtAFileChangesNothing drops files at the daemon: in the place of one
// of the account, beside them, and with a mistake.
func TestALookAtAFileChangesNothing(t *testing.T) {
	t.Parallel()
	w := hire(t, allowsRises)
	before := w.spends(50)
	type look struct {
		Problems []string
		Marked   string
		Plan     *struct{ Summary plan.Summary }
	}
	seen := ask[look](w, "POST", "/look?name=spring.yaml", strings.NewReader(springAt("300.00")))
	if len(seen.Problems) != 0 || seen.Plan == nil || seen.Plan.Summary.Held != 1 || seen.Plan.Summary.Create != 0 {
		t.Errorf("in the place of spring.yaml: %+v", seen)
	}
	seen = ask[look](w, "POST", "/look?name=summer.yaml",
		strings.NewReader(strings.NewReplacer("spring", "summer", "Spring", "Summer").Replace(springAt("20.00"))))
	if len(seen.Problems) != 0 || seen.Plan == nil || seen.Plan.Summary.Create != 1 {
		t.Errorf("beside spring.yaml: %+v", seen)
	}
	seen = ask[look](w, "POST", "/look?name=spring.txt", strings.NewReader("x"))
	if len(seen.Problems) != 1 || seen.Plan != nil {
		t.Errorf("no source: %+v", seen)
	}
	book := excelize.NewFile()
	noError(t, book.SetSheetName("Sheet1", "Campaigns"))
	noError(t, book.SetSheetRow("Campaigns", "A1",
		&[]string{"Key", "Campaign", "Status", "Bidding type", "Daily budget"}))
	noError(t, book.SetSheetRow("Campaigns", "A2", &[]string{"autumn", "Autumn", "paused", "clicks", "a lot"}))
	content, err := book.WriteToBuffer()
	noError(t, err)
	seen = ask[look](w, "POST", "/look?name=autumn.xlsx", content)
	if len(seen.Problems) != 1 || !strings.HasPrefix(seen.Problems[0], "autumn.xlsx:Campaigns!E2: ") ||
		seen.Plan != nil || seen.Marked == "" {
		t.Errorf("with a mistake: %+v", seen)
	}
	files, err := filepath.Glob(filepath.Join(w.dir, ".adsync", "look-*"))
	if err != nil || len(files) > 0 {
		t.Errorf("left behind: %q %v", files, err)
	}
	if now := w.spends(50); now.Run != before.Run || now.Revision.Content != before.Revision.Content {
		t.Errorf("a look changed something: %+v", now)
	}
}
