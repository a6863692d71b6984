package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"
	"adsync/internal/testing/bench"
)

// measuredService is an emulator that counts, with the published limits of requests
// and none of an account's size.
type measuredService struct {
	counting
	url, root string
	server    *emulator.Server
	stop      func()
}

func startMeasured(t *testing.T, resources int) *measuredService {
	t.Helper()
	features := emulator.AllFeatures()
	features.MaxCampaigns, features.MaxAdGroups, features.MaxAds = 1<<30, 1<<30, 1<<30
	var limits emulator.RateLimits // zero: the published ones
	if resources > 15_000 {        // one process after the other, each within the limits, would be refused
		limits = emulator.RateLimits{EndpointPerMinute: 6_000, OverallPerMinute: 12_000}
	}
	server, err := emulator.Open(emulator.Options{
		Accounts: []emulator.Account{{ID: bench.Account, Name: "Measured",
			Currency: "USD", TimeZone: "America/New_York", Key: bench.Key, Features: features}}, Limits: limits,
	})
	noError(t, err)
	s := &measuredService{server: server}
	counted := s.before(server)
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			s.control(w, r)
			return
		}
		counted.ServeHTTP(w, r)
	}))
	s.root, s.url = line.URL, line.URL+"/v1"
	stopped := false
	s.stop = func() {
		if !stopped {
			stopped = true
			line.CloseClientConnections()
			line.Close()
			noError(t, server.Close())
		}
	}
	t.Cleanup(s.stop)
	return s
}

// control answers what is not the service's own. Its clock is not moved while work
// is under way: on a busy machine it would run ahead of large jobs, for longer than
// anybody waits for them.
func (s *measuredService) control(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == clockPath {
		if err := s.server.World().Clock.Idle(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	s.server.ServeHTTP(w, r)
}

// statusOf notes the status of an answer.
type statusOf struct {
	http.ResponseWriter
	code int
}

func (s *statusOf) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// environment is that of a process that speaks to the service; one that counts
// lives by its clock.
func (s *measuredService) environment() []string {
	return append(benchEnvironment(), session.EnvBaseURL+"="+s.url,
		session.EnvKey+"="+bench.Key, keysAtOnce, atClock+"="+s.root+clockPath)
}

// benchEnvironment lets accounts be as large as they are.
func benchEnvironment() []string {
	return []string{session.EnvBounds + "=yaml=1GiB,csv=1GiB,workbook=1GiB," +
		"unzipped=8GiB,total=8GiB,rows=1000000,hints=4000000,entries=40000000,time=30m", "ADSYNC_OPERATOR="}
}

// pages asks for every page of the account, and writes the answers into a file.
func (s *measuredService) pages(t *testing.T, into string) {
	t.Helper()
	out, err := os.Create(into)
	noError(t, err)
	defer out.Close()
	for _, list := range []string{"campaigns", "ad_groups", "ads"} {
		for after := ""; ; {
			path := "/v1/" + list + "?limit=500"
			if after != "" {
				path += "&after=" + after
			}
			content := s.get(t, path)
			var page struct {
				Data    []struct{ ID string }
				HasMore bool `json:"has_more"`
			}
			if err := json.Unmarshal(content, &page); err != nil {
				t.Fatalf("GET %s: %v in %.200s", path, err, content)
			}
			_, err := out.Write(append(content, '\n'))
			noError(t, err)
			if !page.HasMore {
				break
			}
			after = page.Data[len(page.Data)-1].ID
		}
	}
}

func (s *measuredService) get(t *testing.T, path string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.root+path, nil)
	noError(t, err)
	r.Header.Set("Authorization", "Bearer "+bench.Key)
	w, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer w.Body.Close()
	content, err := io.ReadAll(w.Body)
	if err != nil || w.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %s %s, %v", path, w.Status, content, err)
	}
	return content
}

// measuredFiles are the files of one account in every format.
type measuredFiles struct {
	one, many, book, table string // folders
	yaml, parts            []string
	workbook, csv          string
}

// campaignsOfAFile is how many stand together where an account has many files.
const campaignsOfAFile = 100

func writeMeasured(t *testing.T, s bench.Shape) (f measuredFiles) {
	t.Helper()
	dir := t.TempDir()
	f = measuredFiles{
		one: filepath.Join(dir, "one"), many: filepath.Join(dir, "many"),
		book: filepath.Join(dir, "book"), table: filepath.Join(dir, "table"),
	}
	var err error
	f.yaml, err = s.WriteYAML(f.one, 0)
	noError(t, err)
	f.parts, err = s.WriteYAML(f.many, campaignsOfAFile)
	noError(t, err)
	if s.Hints <= 12 { // a sheet of more rows than a workbook holds is another benchmark
		f.workbook, err = s.WriteWorkbook(f.book)
		noError(t, err)
		f.csv, err = s.WriteCSV(f.table)
		noError(t, err)
	}
	return f
}
