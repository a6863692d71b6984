package main

import (
	"bytes"
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/office"
	"adsync/internal/testing/syscalls"
)

// merged is a daemon of the quickstart into whose folder people send workbooks, each by a name of their own.
type merged struct {
	*testing.T
	s         *service
	dir, home string
	p         *process
	anna      *guest
}

func newMerged(t *testing.T, account string, before ...func(dir string)) *merged {
	m := &merged{T: t, s: serveAccount(t), home: t.TempDir()}
	dir, operator := ownQuickstart(t)
	m.dir = dir
	for _, do := range before {
		do(dir)
	}
	saveFile(t, filepath.Join(m.home, "the.hash"), hashOf(t, annasPassword))
	saveFile(t, filepath.Join(m.home, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
state: %s
operator: %s
every: 2s
settle: 200ms
people:
  anna: {role: editor, password: {file: the.hash}}
  ben: {role: approver, password: {file: the.hash}}
accounts: [{name: shop, folder: %s, %s}]
`, filepath.Join(m.home, "states"), operator, dir, account))
	m.start()
	m.p.until("msg", "run ended", "class", "applied")
	return m
}

// start starts the daemon, where anna logs in if she is not.
func (m *merged) start() {
	m.Helper()
	m.enter(startDaemonWith(m.T, m.s.environment(), "--config", filepath.Join(m.home, "daemon.yaml")))
}

func (m *merged) enter(p *process) {
	m.Helper()
	m.p = p
	at := fmt.Sprint(m.p.until("msg", "the daemon answers")["address"])
	if m.anna != nil {
		m.anna.moves(at)
		return
	}
	m.anna = m.enters(at, "anna")
}

// moves is for a daemon that came back at another port: the cookie goes along, as it does in a browser.
func (g *guest) moves(at string) {
	from, to := &url.URL{Scheme: "http", Host: g.at}, &url.URL{Scheme: "http", Host: at}
	g.client.Jar.SetCookies(to, g.client.Jar.Cookies(from))
	g.at = at
}

func (m *merged) enters(at, name string) *guest {
	m.Helper()
	jar, err := cookiejar.New(nil)
	noError(m.T, err)
	g := &guest{T: m.T, client: http.Client{Jar: jar}, at: at}
	if status, page := g.post("/login", url.Values{"name": {name}, "password": {annasPassword}}); status != 200 {
		m.Fatalf("%s does not get in: %d %s", name, status, page)
	}
	return g
}

// downloads has somebody download a file, and returns where it is.
func (g *guest) downloads(file string) string {
	g.Helper()
	status, content := g.get("/accounts/shop/file?" + url.Values{"name": {file}}.Encode())
	if status != 200 {
		g.Fatalf("%s is not given: %d %s", file, status, content)
	}
	at := filepath.Join(g.TempDir(), file)
	noError(g.T, os.WriteFile(at, []byte(content), 0o600))
	return at
}

// drops looks at a file in the page.
func (g *guest) drops(at string) string {
	g.Helper()
	content, err := os.ReadFile(at)
	noError(g.T, err)
	_, page := g.get("/accounts/shop")
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	noError(g.T, form.WriteField("form", formOfPage.FindStringSubmatch(page)[1]))
	part, err := form.CreateFormFile("file", filepath.Base(at))
	noError(g.T, err)
	_, err = part.Write(content)
	noError(g.T, err)
	noError(g.T, form.Close())
	answer, err := g.client.Post("http://"+g.at+"/accounts/shop/look", form.FormDataContentType(), &b)
	noError(g.T, err)
	status, page := g.read(answer)
	if status != 200 {
		g.Fatalf("%s is not looked at: %d %s", at, status, page)
	}
	return html.UnescapeString(page)
}

var (
	settlePath = regexp.MustCompile(`action="(/accounts/shop/looks/[0-9a-f]{64}/merge)"`)
	commitPath = regexp.MustCompile(`action="(/accounts/shop/looks/[0-9a-f]{64}/commit)"`)
	clashNames = regexp.MustCompile(`<legend>([^<]*)</legend>(?s:.*?)name="(clash-[0-9a-f]+)"`)
	knownValue = regexp.MustCompile(`name="known" value="([0-9a-f]+)"`)
)

// settles answers a page on which something is to be settled.
func (g *guest) settles(page string, fields url.Values) string {
	g.Helper()
	found := settlePath.FindStringSubmatch(page)
	if found == nil {
		g.Fatalf("nothing is to be settled:\n%s", page)
	}
	if known := knownValue.FindStringSubmatch(page); known != nil && fields.Has("known") {
		fields.Set("known", known[1])
	}
	status, page := g.post(found[1], fields)
	if status != 200 {
		g.Fatalf("%d %s", status, page)
	}
	return html.UnescapeString(page)
}

func (g *guest) sends(page string) string {
	g.Helper()
	found := commitPath.FindStringSubmatch(page)
	if found == nil {
		g.Fatalf("it cannot be sent:\n%s", page)
	}
	status, page := g.post(found[1], url.Values{"note": {"the client asked"}})
	if status != 200 {
		g.Fatalf("%d %s", status, page)
	}
	return html.UnescapeString(page)
}

// python runs a script that edits or reads a workbook as b.
func python(t *testing.T, at, script string) string {
	t.Helper()
	c := exec.Command("/usr/bin/python3", "-c",
		"import sys, openpyxl\nb = openpyxl.load_workbook(sys.argv[1])\n"+script, at)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("python3-openpyxl: %v\n%s", err, said.String())
	}
	return strings.TrimSpace(string(out))
}

func textOf(t *testing.T, at string) string {
	t.Helper()
	content, err := os.ReadFile(at)
	noError(t, err)
	return string(content)
}

// TestAFileThatMovedIsMerged: a colleague edits the workbook in the folder with LibreOffice, while anna has the one of
// before open in another program. What she sends is put into that of today: what only she changed goes along, what only
// the colleague changed stays, and what both changed waits for her word, as does what no merge understands.
func TestAFileThatMovedIsMerged(t *testing.T) {
	t.Parallel()
	m := newMerged(t, "uploads: folder")
	today := filepath.Join(m.dir, "winter.xlsx")
	hers := m.anna.downloads("winter.xlsx")
	m.p.end()
	noError(t, office.Type(today, "Ad groups", map[string]string{"D4": "1.40"}))
	noError(t, office.Type(today, "Ads",
		map[string]string{"E2": "Sledges for the big family", "F4": "Gift cards by mail."}))
	m.start()
	m.p.until("msg", "run ended", "class", "applied")
	python(t, hers, `
b["Ad groups"]["D2"] = 0.70
b["Ads"]["E2"] = "Sledges <b>for</b> everybody"
b["Ads"].delete_rows(4)
b.create_sheet("Mine")["A1"] = "only mine"
b.save(sys.argv[1])`)

	page := m.anna.drops(hers)
	for _, want := range []string{"Somebody changed this file since you downloaded it",
		"Ad groups!D2 [sledges] Max bid (USD): <b>0.7</b>, in the place of 0.8",
		`Today's: "Sledges for the big family"`, `Yours: "Sledges <b>for</b> everybody"`,
		"yours removed the row and today's file changed it<", "Yours: (removed)",
		`sheet "Mine": `, "only yours has it, and a sheet cannot be added by a merge",
		"Nothing can be sent before each of these has its choice"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	clashes := clashNames.FindAllStringSubmatch(page, -1)
	if len(clashes) != 2 || commitPath.MatchString(page) {
		t.Fatalf("%q wait, and it can be sent: %t; want two, and that it cannot:\n%s",
			clashes, commitPath.MatchString(page), page)
	}
	for _, fields := range []url.Values{{}, {"all": {"today"}}, {"known": {"x"}, clashes[0][2]: {"yours"}},
		{"known": {"x"}, clashes[0][2]: {"yours"}, clashes[1][2]: {"nobody's"}}} {
		if page := m.anna.settles(page, fields); commitPath.MatchString(page) {
			t.Errorf("after %v it can be sent; want each settled first", fields)
		}
	}
	choices := url.Values{"known": {"x"}}
	for _, clash := range clashes {
		choices.Set(clash[2], map[bool]string{true: "yours", false: "today"}[strings.Contains(clash[1], "E2")])
	}
	page = m.anna.settles(page, choices)
	if !strings.Contains(page, "No problems.") || !strings.Contains(page, "0.70") {
		t.Errorf("it is not planned:\n%s", page)
	}
	if sent := m.anna.sends(page); !strings.Contains(sent, "winter (before ") {
		t.Errorf("sent: %s", sent)
	}
	m.p.until("msg", "run ended", "class", "applied")
	const shows = `
groups, ads = b["Ad groups"], b["Ads"]
print(groups["D2"].value, groups["D4"].value, ads["E2"].value, ads["F4"].value, b.sheetnames[-1])`
	if is := python(t, today, shows); is != "0.7 1.4 Sledges <b>for</b> everybody Gift cards by mail. Ads" {
		t.Errorf("today's file has %s", is)
	}
	if bid := bidOf(t, m.s, "Sledges"); bid != 700_000 {
		t.Errorf("the bid of Sledges is %d; want hers", bid)
	}
	if bid := bidOf(t, m.s, "Last minute"); bid != 1_400_000 {
		t.Errorf("the bid of Last minute is %d; want that of her colleague", bid)
	}
	former, err := filepath.Glob(filepath.Join(m.dir, "winter (before *).xlsx"))
	noError(t, err)
	if len(former) != 1 || python(t, former[0], shows) != "0.8 1.4 Sledges for the big family Gift cards by mail. Ads" {
		t.Errorf("beside it: %q; want the file of before the merge", former)
	}

	python(t, hers, `
b["Ad groups"]["D3"] = 1.00
b.save(sys.argv[1])`)
	page = m.anna.settles(m.anna.drops(hers), url.Values{"known": {"x"}, "all": {"today"}})
	m.anna.sends(page)
	m.p.until("msg", "run ended", "class", "applied")
	if is := python(t, today, `
print(*[b["Ad groups"][c].value for c in ("D2", "D3", "D4")])`); is != "0.7 1 1.4" {
		t.Errorf("after her next file the bids are %s; want both of hers, and the colleague's", is)
	}
	noError(t, os.Remove(today))
	if page := m.anna.drops(hers); commitPath.MatchString(page) || settlePath.MatchString(page) ||
		!strings.Contains(page, "It is not merged: somebody removed the file") {
		t.Errorf("what somebody removed can be sent again, or nobody says why not:\n%s", page)
	}
	m.p.end()
}

// TestTextThatMovedIsMerged: a colleague changes a CSV file of Excel's and a YAML file, while anna has those of before.
// What she sends is put into those of today, of which nothing else changes by a byte.
func TestTextThatMovedIsMerged(t *testing.T) {
	t.Parallel()
	table := strings.ReplaceAll("\ufeffCampaign;Ad group;Status;Max bid (USD);My note;Key\n"+
		"Spring launch;Swimmers;paused;0.80;\"mine, \"\"of course\"\"\";swimmers\n"+
		"Spring launch;Cyclists;paused;1.50;;cyclists\n", "\n", "\r\n")
	m := newMerged(t, "uploads: folder", func(dir string) { saveFile(t, filepath.Join(dir, "ad-groups.csv"), table) })
	hers, herText := m.anna.downloads("ad-groups.csv"), m.anna.downloads("spring.yaml")
	spring := textOf(t, filepath.Join(m.dir, "spring.yaml"))
	replace := func(text string, changes ...string) string {
		t.Helper()
		for i := 0; i < len(changes); i += 2 {
			if strings.Count(text, changes[i]) != 1 {
				t.Fatalf("%q stands %d times in\n%s", changes[i], strings.Count(text, changes[i]), text)
			}
			text = strings.Replace(text, changes[i], changes[i+1], 1)
		}
		return text
	}
	his := replace(table, "1.50", "1.20")
	hisText := replace(spring, "max: 0.90}", "max: 0.80}  # the client said so", "name: Hero B", "name: Hero Bee")
	saveFile(t, filepath.Join(m.dir, "ad-groups.csv"), his)
	saveFile(t, filepath.Join(m.dir, "spring.yaml"), hisText)
	m.p.until("msg", "run ended", "class", "applied")

	out, err := exec.Command("/usr/bin/python3", "-c", `
import csv, sys
rows = list(csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), delimiter=";"))
rows[1][3] = "0.70"
csv.writer(open(sys.argv[1], "w", newline="")).writerows(rows)`, hers).CombinedOutput()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, out)
	}
	page := m.anna.drops(hers)
	if !strings.Contains(page, "line 2 [swimmers] Max bid (USD): <b>0.70</b>, in the place of 0.80") ||
		!strings.Contains(page, "Yours, that goes along (1)") {
		t.Fatalf("the page does not say what is merged:\n%s", page)
	}
	m.anna.sends(page)
	if is, want := textOf(t, filepath.Join(m.dir, "ad-groups.csv")), replace(his, "0.80", "0.70"); is != want {
		t.Errorf("the CSV file is\n%q\nwant\n%q", is, want)
	}
	m.p.until("msg", "run ended", "class", "applied")

	saveFile(t, herText, replace(spring, "max: 1.25", "max: 1.10", "name: Hero B", "name: Hero Two",
		"name: Day hikers", "name: All hikers"))
	page = m.anna.drops(herText)
	clashes := clashNames.FindAllStringSubmatch(page, -1)
	if len(clashes) != 1 || !strings.Contains(clashes[0][1], "[hero-b] Ad") || commitPath.MatchString(page) {
		t.Fatalf("%q wait; want the name of Hero B alone:\n%s", clashes, page)
	}
	page = m.anna.settles(page, url.Values{clashes[0][2]: {"yours"}})
	if sent := m.anna.sends(page); !strings.Contains(sent, "spring (before ") {
		t.Errorf("sent: %s", sent)
	}
	want := replace(hisText, "max: 1.25", "max: 1.10", "name: Hero Bee", "name: Hero Two",
		"name: Day hikers", "name: All hikers")
	if is := textOf(t, filepath.Join(m.dir, "spring.yaml")); is != want {
		t.Errorf("the YAML file is\n%s\nwant\n%s", is, want)
	}
	m.p.until("msg", "run ended", "class", "applied")
	if bid := bidOf(t, m.s, "Trail runners"); bid != 1_100_000 {
		t.Errorf("the bid of Trail runners is %d; want hers", bid)
	}

	saveFile(t, filepath.Join(m.dir, "spring.yaml"), "defaults: &x {a: 1}\n"+want)
	page = m.anna.drops(herText)
	if commitPath.MatchString(page) ||
		!strings.Contains(page, "It is not merged: today's file: line 1: an anchor or alias") {
		t.Errorf("what cannot be followed can be sent, or nobody says why not:\n%s", page)
	}
	m.p.end()
}

// TestAMergeThatIsWrittenIsKilled: a daemon is killed in the middle of writing a merged file. The file is whole then,
// the colleague's or with hers in it, and she sends hers again, where anything of it is left.
func TestAMergeThatIsWrittenIsKilled(t *testing.T) {
	t.Parallel()
	if !syscalls.Available() {
		return
	}
	for _, row := range momentsOfAWrite {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m := newMerged(t, "uploads: folder")
			at := filepath.Join(m.dir, "spring.yaml")
			hers, spring := m.anna.downloads("spring.yaml"), textOf(t, at)
			m.p.end()
			his := strings.Replace(spring, "max: 0.90", "max: 0.80", 1)
			want := strings.Replace(his, "max: 1.25", "max: 1.10", 1)
			saveFile(t, at, his)
			saveFile(t, hers, strings.Replace(spring, "max: 1.25", "max: 1.10", 1))

			m.enter(startDaemonOf(t, underStrace(t, row.kills(m.dir, "spring.yaml")...), m.s.environment(),
				"--config", filepath.Join(m.home, "daemon.yaml")))
			m.p.until("msg", "run ended", "class", "applied")
			page := m.anna.drops(hers)
			form := formOfPage.FindStringSubmatch(page)[1]
			answer, err := m.anna.client.PostForm("http://"+m.anna.at+commitPath.FindStringSubmatch(page)[1],
				url.Values{"form": {form}})
			if err == nil {
				answer.Body.Close()
			}
			select {
			case <-m.p.ended:
			case <-time.After(patience):
				t.Fatal("the daemon was not killed")
			}
			if is := textOf(t, at); is != map[bool]string{true: want, false: his}[row.written] {
				t.Fatalf("the file is\n%s\nwant it as it was, or as it was to be", is)
			}

			m.start()
			m.p.until("msg", "run ended")
			if page = m.anna.drops(hers); commitPath.MatchString(page) == row.written {
				t.Fatalf("something is left to send: %t; want %t:\n%s", !row.written, !row.written, page)
			}
			if !row.written {
				m.anna.sends(page)
			}
			if is := textOf(t, at); is != want {
				t.Errorf("in the end the file is\n%s", is)
			}
			kept, err := filepath.Glob(filepath.Join(m.dir, "spring (before *).yaml"))
			noError(t, err)
			for _, one := range kept {
				if former := textOf(t, one); former != his {
					t.Errorf("%s is\n%s\nwant the colleague's", one, former)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(m.dir, ".*.tmp")); len(kept) == 0 || len(left) > 0 {
				t.Errorf("beside it are %q and %q; want the former file alone", kept, left)
			}
			m.p.end()
		})
	}
}

// TestAFileThatMovedIsMergedInGit: the pull request has today's file of the branch with hers in it, and takes nothing
// back that others changed since her download. The forge merges no workbooks.
func TestAFileThatMovedIsMergedInGit(t *testing.T) {
	t.Parallel()
	hash := filepath.Join(t.TempDir(), "the.hash")
	saveFile(t, hash, hashOf(t, annasPassword))
	q := newProposed(t, "1s", "approvers: [zoe]}\npeople: {anna: {role: editor, password: {file: "+hash+"}}")
	m := &merged{T: t, s: q.account}
	anna := m.enters(q.at, "anna")
	hers, herText := anna.downloads("winter.xlsx"), anna.downloads("spring.yaml")
	python(t, filepath.Join(q.work, "winter.xlsx"), `
b["Ad groups"]["D4"] = 1.40
b.save(sys.argv[1])`)
	spring := textOf(t, filepath.Join(q.work, "spring.yaml"))
	his := strings.Replace(spring, "max: 0.90}", "max: 0.80}  # the client said so", 1)
	saveFile(t, filepath.Join(q.work, "spring.yaml"), his)
	q.git("commit", "-q", "-a", "-m", "Cheaper")
	q.git("push", "-q", q.upstream, "main")
	push(t, q.at, "refs/heads/main")
	q.p.until("msg", "run ended", "class", "applied")
	python(t, hers, `
b["Ad groups"]["D2"] = 0.70
b.save(sys.argv[1])`)
	page := anna.drops(hers)
	if !strings.Contains(page, "Yours, that goes along (1)") || strings.Contains(page, "Both of you changed it") ||
		!strings.Contains(page, "A pull request into main has the merged file as anna's") {
		t.Fatalf("the page does not say what is merged:\n%s", page)
	}
	if sent := anna.sends(page); !strings.Contains(sent, "Sent as pull request") {
		t.Errorf("sent: %s", sent)
	}
	branch := strings.TrimSpace(strings.TrimPrefix(q.git("-C", q.upstream, "branch", "--list", "adsync/uploads*"), "*"))
	q.git("fetch", "-q", q.upstream, branch)
	q.git("checkout", "-q", "FETCH_HEAD")
	if is := python(t, filepath.Join(q.work, "winter.xlsx"), `
print(*[b["Ad groups"][c].value for c in ("D2", "D4")])`); is != "0.7 1.4" || q.changes(branch) != "winter.xlsx" {
		t.Errorf("%s has the bids %s, and changes %s; want hers beside the one of her colleague",
			branch, is, q.changes(branch))
	}

	saveFile(t, herText, strings.Replace(spring, "max: 1.25", "max: 1.10", 1))
	page = anna.drops(herText)
	if sent := anna.sends(page); !strings.Contains(sent, "Sent as pull request") {
		t.Errorf("sent: %s", sent)
	}
	want, text := strings.Replace(his, "max: 1.25", "max: 1.10", 1), ""
	for line := range strings.Lines(q.git("-C", q.upstream, "branch", "--list", "adsync/uploads*")) {
		branch := strings.TrimSpace(strings.TrimPrefix(line, "*"))
		is := q.git("-C", q.upstream, "show", branch+":spring.yaml")
		if strings.TrimSpace(is) == strings.TrimSpace(want) {
			text = is
		}
	}
	if text == "" {
		t.Errorf("no branch has hers beside the bid and the comment of her colleague")
	}
	q.p.end()
}
