package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/files"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/testing/coverage"
	"adsync/internal/testing/golden"
	"adsync/internal/testing/pgtest"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// profilesRun are those that the scripts are run in.
var profilesRun = flag.String("profiles", openpoint.Published, "profiles of the emulator to run the scripts in")

// withoutWaits are the points that only take time: a script waits by the wall clock. The
// tests of package reconcile run the profiles with them, on a simulated one.
const withoutWaits = "audience_duration=0s,bulk_duration=0s," +
	"bulk_complete_lag=0s,list_visibility_lag=0s,key_visibility_lag=0s,audit_log_lag=0s,audience_operation_stalls=never"

// TestScripts runs what a user types, in each profile of the service. Each file is
// a story; the commands it has beyond those of testscript are below.
func TestScripts(t *testing.T) {
	watch := newWatch(t)
	for profile := range strings.SplitSeq(*profilesRun, ",") {
		t.Run(profile, func(t *testing.T) { runScripts(t, profile, watch, testscript.Params{Dir: scriptsDir}) })
	}
	by := coverage.Shown()
	if golden.Updating() {
		golden.File(t, "../../internal/testing/coverage/shown.txt", watch.File(by))
		return
	}
	for _, line := range watch.Missed(by) {
		t.Errorf("internal/testing/coverage/shown.txt: %s; make coverage writes it anew", line)
	}
}

// newWatch returns a watch of what docs/develop/openapi.json says the emulator takes.
func newWatch(t *testing.T) *coverage.Watch {
	document, err := os.ReadFile("../../docs/develop/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := coverage.Inputs(document)
	if err != nil {
		t.Fatal(err)
	}
	return coverage.NewWatch(inputs)
}

// watched returns a handler that notes what requests carry before they are answered.
func watched(watch *coverage.Watch, script string, next http.Handler) http.Handler {
	watch.Started(script)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		if _, err := body.ReadFrom(r.Body); err == nil {
			watch.Note(script, coverage.Request{
				Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header, Body: body.Bytes(),
			})
			r.Body = io.NopCloser(&body)
		}
		next.ServeHTTP(w, r)
	})
}

const scriptsDir = "testdata/script"

// runScripts runs the scripts that params name, with what they need put around params.Setup.
func runScripts(t *testing.T, profile string, watch *coverage.Watch, params testscript.Params) {
	condition, err := lacks(profile)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := places()
	if err != nil {
		t.Fatal(err)
	}
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	setup := params.Setup
	testscript.RunT(&watchedT{T: t, places: rows}, testscript.Params{
		Dir: params.Dir, Files: params.Files,
		Condition:           condition,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			watched := e.T().(*watchedT)
			watched.dir, e.Values[watchedKey{}] = e.WorkDir, watched.secrets
			quickstart, err := filepath.Abs("../../examples/quickstart")
			if err != nil {
				return err
			}
			e.Setenv("QUICKSTART", quickstart)
			e.Setenv("DOCS", filepath.Join(filepath.Dir(filepath.Dir(quickstart)), "docs"))
			e.Setenv("PICTURES", filepath.Join(filepath.Dir(filepath.Dir(quickstart)), "sources/testdata/workbook"))
			e.Setenv("PATH", program+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("NO_COLOR", "1")
			e.Setenv("PROFILE", profile)
			if setup != nil {
				if err := setup(e); err != nil {
					return err
				}
			}
			e.Setenv(session.EnvOpenPoints, "profile:"+profile+","+withoutWaits)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"quickstart": copyQuickstart,
			"emulator": func(ts *testscript.TestScript, _ bool, args []string) {
				startEmulator(ts, args, watch)
			},
			"database": func(ts *testscript.TestScript, _ bool, sql []string) {
				if len(sql) == 0 {
					ts.Setenv("ADSYNC_DATABASE", pgtest.Database(t))
					return
				}
				ts.Check(pgtest.Exec(ts.Getenv("ADSYNC_DATABASE"), strings.Join(sql, " ")))
			},
			"setcell":   setCell,
			"cell":      cellHolds,
			"within":    pageShows,
			"picture":   pastePicture,
			"cells":     printCells,
			"hides":     hideCanaries,
			"grid":      printGrid,
			"truncate":  truncateFile,
			"unpack":    unpack,
			"damage":    damageMember,
			"awaitheld": awaitHeld,
			"release":   releaseAnswer,
			"request":   sendRequest,
			"served":    awaitServed,
			"whole":     wholeJSON,
			"tell":      tellID,
		},
	})
}

// exits CODE COMMAND...: the command ends with exactly this code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	switch {
	case err == nil && want == 0:
	case errors.As(err, &ended) && ended.ExitCode() == want:
	default:
		ts.Fatalf("%s: %v; want exit code %d", strings.Join(args[1:], " "), err, want)
	}
}

// quickstart FOLDER: a copy of the example.
func copyQuickstart(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.CopyFS(dir, os.DirFS(ts.Getenv("QUICKSTART"))))
	ts.Check(os.RemoveAll(filepath.Join(dir, ".adsync")))
}

// holder is what an emulator that keeps an answer back shares with the script.
type holder struct {
	held    chan struct{}
	release chan struct{}
	once    sync.Once
	path    string // end of the path of the request whose answer is kept back
}

func (h *holder) free() { h.once.Do(func() { close(h.release) }) }

// emulator [hold-submit [PATH]]: serves an emulator and points the environment at
// it. With hold-submit the first submission of a real job, or the first request
// whose path ends so, is carried out, and its answer kept back until release.
func startEmulator(ts *testscript.TestScript, args []string, watch *coverage.Watch) {
	points, err := openpoint.Parse(ts.Getenv(session.EnvOpenPoints))
	ts.Check(err)
	features := emulator.AllFeatures()
	features.ProductFeeds = []string{"fd_hotel_quickstart"}
	server, err := emulator.Open(emulator.Options{OpenPoints: points, Accounts: []emulator.Account{{
		ID: "adacct_quickstart", Name: "Test", Currency: "USD",
		TimeZone: "America/New_York", Key: "sk-script-key", Features: features,
	}}})
	ts.Check(err)
	h := &holder{held: make(chan struct{}), release: make(chan struct{}), path: "/bulk_mutation_jobs"}
	if len(args) > 1 {
		h.path = args[1]
	}
	var handler http.Handler = server
	if len(args) > 0 && args[0] == "hold-submit" {
		handler = h.holding(server)
	}
	known := ts.Value(watchedKey{}).(*secrets)
	line := httptest.NewServer(known.listening(watched(watch, ts.Name(), handler)))
	ts.Defer(func() { h.free(); line.CloseClientConnections(); line.Close(); server.Close() })
	ts.Setenv(session.EnvBaseURL, line.URL+"/v1")
	ts.Setenv(session.EnvKeyLag, "0s") // it knows keys at once, and these processes wait by the wall clock
	ts.Setenv(session.EnvKey, "sk-script-key")
	holders.Store(ts, h)
}

// holders finds the holder of a script.
var holders sync.Map // scripts run side by side

func holderOf(ts *testscript.TestScript) *holder {
	h, _ := holders.Load(ts)
	return h.(*holder)
}

func (h *holder) holding(next http.Handler) http.Handler {
	first := true
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, h.path) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !first || bytes.Contains(body, []byte(`"validate_only":true`)) {
			next.ServeHTTP(w, r)
			return
		}
		first = false
		next.ServeHTTP(httptest.NewRecorder(), r)
		close(h.held)
		<-h.release
	})
}

func awaitHeld(ts *testscript.TestScript, _ bool, _ []string) {
	select {
	case <-holderOf(ts).held:
	case <-time.After(patience):
		ts.Fatalf("no job was submitted")
	}
}

func releaseAnswer(ts *testscript.TestScript, _ bool, _ []string) { holderOf(ts).free() }

// setcell WORKBOOK SHEET CELL VALUE: as somebody types it.
func setCell(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	f, err := excelize.OpenFile(name)
	ts.Check(err)
	defer f.Close()
	var value any = args[3]
	if number, err := strconv.ParseFloat(args[3], 64); err == nil {
		value = number
	}
	if args[3] == "" {
		value = nil
	}
	ts.Check(f.SetCellValue(args[1], args[2], value))
	ts.Check(f.Save())
}

// cell WORKBOOK SHEET HEADER ROW PATTERN: what stands under a header.
func cellHolds(ts *testscript.TestScript, _ bool, args []string) {
	f, err := excelize.OpenFile(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	rows, err := f.GetRows(args[1])
	ts.Check(err)
	row, err := strconv.Atoi(args[3])
	ts.Check(err)
	column := slices.Index(rows[0], args[2])
	if column < 0 || row > len(rows) {
		ts.Fatalf("%s has no column %q or no row %d", args[1], args[2], row)
	}
	text := ""
	if column < len(rows[row-1]) {
		text = rows[row-1][column]
	}
	if !regexp.MustCompile("^(?:" + args[4] + ")$").MatchString(text) {
		ts.Fatalf("%s of row %d is %q; want %q", args[2], row, text, args[4])
	}
}

// within PAGE LINE: both the page and the last output have the line, to the letter.
func pageShows(ts *testscript.TestScript, _ bool, args []string) {
	for name, text := range map[string]string{args[0]: ts.ReadFile(args[0]), "the output": ts.ReadFile("stdout")} {
		if !slices.Contains(strings.Split(text, "\n"), args[1]) {
			ts.Fatalf("%s has no line %q", name, args[1])
		}
	}
}

// picture WORKBOOK SHEET CELL WIDTH HEIGHT: as somebody pastes it over a cell.
func pastePicture(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	width, err := strconv.Atoi(args[3])
	ts.Check(err)
	height, err := strconv.Atoi(args[4])
	ts.Check(err)
	var picture bytes.Buffer
	ts.Check(png.Encode(&picture, image.NewGray(image.Rect(0, 0, width, height))))
	f, err := excelize.OpenFile(name)
	ts.Check(err)
	defer f.Close()
	ts.Check(f.SetCellValue(args[1], args[2], nil))
	ts.Check(f.DeletePicture(args[1], args[2]))
	ts.Check(f.AddPictureFromBytes(args[1], args[2], &excelize.Picture{
		Extension: ".png", File: picture.Bytes(), Format: &excelize.GraphicOptions{ScaleX: 0.02, ScaleY: 0.02},
	}))
	ts.Check(f.Save())
}

// cells WORKBOOK SHEET ROW: prints the cells of a row.
func printCells(ts *testscript.TestScript, _ bool, args []string) {
	f, err := excelize.OpenFile(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	rows, err := f.GetRows(args[1])
	ts.Check(err)
	number, err := strconv.Atoi(args[2])
	ts.Check(err)
	text := ""
	if number <= len(rows) {
		text = strings.Join(rows[number-1], " | ")
	}
	_, err = fmt.Fprintln(ts.Stdout(), text)
	ts.Check(err)
}

// grid WORKBOOK SHEET: prints the cells of every row, a line break in a cell as a blank.
func printGrid(ts *testscript.TestScript, _ bool, args []string) {
	f, err := excelize.OpenFile(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	rows, err := f.GetRows(args[1])
	ts.Check(err)
	for _, row := range rows {
		_, err = fmt.Fprintln(ts.Stdout(), strings.ReplaceAll(strings.Join(row, " | "), "\n", " "))
		ts.Check(err)
	}
}

// truncate FILE: only its first half is left.
func truncateFile(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	about, err := os.Stat(name)
	ts.Check(err)
	ts.Check(os.Truncate(name, about.Size()/2))
}

// damage WORKBOOK: one byte of a member's compressed data is another.
func damageMember(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	content, err := os.ReadFile(name)
	ts.Check(err)
	at := bytes.Index(content, []byte("xl/worksheets/sheet1.xml"))
	if at < 0 {
		ts.Fatalf("%s has no first sheet", args[0])
	}
	content[at+200] ^= 0x55
	ts.Check(os.WriteFile(name, content, 0o600))
}

// request METHOD PATH [BODY]: somebody else at the service, below /v1, or at the
// emulator's own /_emulator; the answer is answer.json. With ! it must be refused.
func sendRequest(ts *testscript.TestScript, neg bool, args []string) {
	body := io.Reader(nil)
	if len(args) > 2 {
		body = strings.NewReader(args[2])
	}
	base := ts.Getenv(session.EnvBaseURL)
	if strings.HasPrefix(args[1], "/_emulator/") {
		base = strings.TrimSuffix(base, "/v1")
	}
	request, err := http.NewRequest(args[0], base+args[1], body)
	ts.Check(err)
	request.Header.Set("Authorization", "Bearer "+ts.Getenv(session.EnvKey))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	ts.Check(err)
	if refused := response.StatusCode >= 300; refused != neg {
		ts.Fatalf("%s %s: %d %s", args[0], args[1], response.StatusCode, content)
	}
	ts.Check(os.WriteFile(ts.MkAbs("answer.json"), content, 0o600))
}

// served FILE: waits until adsync emulator has written there where it
// serves, and points the environment at it.
func awaitServed(ts *testscript.TestScript, _ bool, args []string) {
	var text []byte
	for deadline := time.After(patience); bytes.Count(text, []byte("\n")) < 2; {
		select {
		case <-deadline:
			ts.Fatalf("%s is %q after 30 s; want the address and the key", args[0], text)
		case <-time.After(5 * time.Millisecond):
			text, _ = os.ReadFile(ts.MkAbs(args[0])) // it may not be there yet
		}
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		ts.Setenv(name, value)
	}
	ts.Value(watchedKey{}).(*secrets).learn("the key of the emulator", ts.Getenv(session.EnvKey))
}

// whole FILE [SCHEMA]: one JSON document with a format_version, and nothing after it; or what fits the schema.
func wholeJSON(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) > 1 {
		at := slices.IndexFunc(files.Described, func(d files.Description) bool { return d.Name == args[1] })
		if at < 0 {
			ts.Fatalf("no schema is called %s", args[1])
		}
		text := ts.ReadFile(args[0])
		if err := unfit(files.Described[at], text); err != nil || text == "" {
			ts.Fatalf("%s: %v; want what fits the schema %s", args[0], err, args[1])
		}
		if files.Described[at].Form == "-o ndjson" {
			return
		}
	}
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	var document struct {
		FormatVersion int `json:"format_version"`
	}
	if err := decoder.Decode(&document); err != nil || document.FormatVersion != console.FormatVersion {
		ts.Fatalf("%s: version %d, %v; want a document of version %d",
			args[0], document.FormatVersion, err, console.FormatVersion)
	}
	if _, err := decoder.Token(); err != io.EOF {
		ts.Fatalf("%s goes on after its document", args[0])
	}
}

// tell NAME FILE [CALLED]: the environment gets the first id of a list, or that of what is called so.
func tellID(ts *testscript.TestScript, _ bool, args []string) {
	var list struct{ Data []struct{ ID, Name string } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &list))
	for _, each := range list.Data {
		if len(args) < 3 || each.Name == args[2] {
			ts.Setenv(args[0], each.ID)
			return
		}
	}
	ts.Fatalf("%s lists no such thing", args[1])
}
