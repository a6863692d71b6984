package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"adsync/internal/daemon/web/shown"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// foreign is what a page says that is none of its own words.
type foreign struct {
	whole map[string]bool
	in    []string     // the longest first
	names *words.Names // of the plan that is looked through
}

func (f *foreign) add(texts ...string) {
	for _, text := range texts {
		if text = strings.TrimSpace(text); letters.MatchString(text) {
			f.whole[text] = true
			if len(text) > 5 && strings.ContainsAny(text, " ._-/“0123456789") {
				f.in = append(f.in, text)
			}
		}
	}
}

// of adds the names and texts of the fixture: each string in it.
func (f *foreign) of(v reflect.Value, depth int) {
	if depth > 12 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		f.add(v.String(), shown.Text(v.String(), 500), shown.Name(v.String()))
		if f.names != nil {
			f.add(f.names.In(v.String()))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			f.of(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			f.of(v.Index(i), depth+1)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			f.of(key, depth+1)
			f.of(v.MapIndex(key), depth+1)
		}
	case reflect.Struct:
		if v.CanInterface() {
			if at, is := v.Interface().(diag.Position); is {
				f.add(at.String())
				return
			}
		}
		for i := range v.NumField() {
			f.of(v.Field(i), depth+1)
		}
	}
}

// foreignOf is what the fixture has, and what the engine says of it: on the command line it says the same.
func foreignOf(t *testing.T, a *asker) *foreign {
	t.Helper()
	d := a.desk
	f := &foreign{whole: map[string]bool{}}
	for _, v := range []any{d.accounts, d.approvals, d.accepted, d.settings, d.draft, d.edited, d.upload, d.ordered} {
		f.of(reflect.ValueOf(v), 0)
	}
	said, _ := d.comments.All()
	f.of(reflect.ValueOf(said), 0)
	plans := slices.Collect(maps.Values(d.plans))
	for _, p := range append(plans, d.upload.Plan, d.draft.Plan) {
		if p != nil {
			f.plan(a, p)
		}
	}
	for _, runs := range d.runs {
		for _, run := range runs {
			f.run(a, run)
		}
	}
	for i := range d.accounts {
		s := &d.accounts[i]
		for k := range s.Drafts {
			f.add(s.Drafts[k].File + ": " + s.Drafts[k].Words)
		}
	}
	names := words.NamesOf(a.server.Schemas, nil)
	for i := range d.approvals {
		for _, allow := range d.approvals[i].Allow {
			f.add(names.Allowance(allow))
		}
	}
	slices.SortFunc(f.in, func(a, b string) int { return len(b) - len(a) })
	f.in = slices.Compact(f.in)
	return f
}

// run adds what the fixture has of a run, and the messages of what became of its changes.
func (f *foreign) run(a *asker, run *runview.Document) {
	f.names = words.NamesOf(a.server.Schemas, nil)
	defer func() { f.names = nil }()
	has := []any{run.Run, run.Reverts, run.By, run.Approved, run.Account, run.Service, run.Revision, run.Error,
		run.Undecided, run.Decided, run.Problems}
	for i := range run.Outcomes {
		o := &run.Outcomes[i]
		has = append(has, o.Name, o.ID, o.Message, o.Position, o.Cell, o.Fields, o.Held)
	}
	for _, v := range has {
		f.of(reflect.ValueOf(v), 0)
	}
}

func (f *foreign) plan(a *asker, p *planview.Document) {
	f.of(reflect.ValueOf(p.Account), 0)
	f.of(reflect.ValueOf(p.Drawn), 0)
	names := words.NamesOf(a.server.Schemas, p.Changes)
	f.names = names
	for i := range p.Changes[:min(len(p.Changes), 1000)] { // a page shows no more
		c := &p.Changes[i]
		f.add(names.Of(c.Address), words.Upper(names.Of(c.Address)), c.Name, c.ID, c.Address)
		for k := range c.Fields {
			one := c.Fields[k]
			one.Held = nil // what holds it is in the catalogue
			f.of(reflect.ValueOf(one), 0)
			label := names.Label(c.Kind, c.Fields[k].Name)
			f.add(label, words.Lower(label))
		}
	}
	f.names = nil
	for i := range p.Asks {
		f.add(words.Upper(words.Because(p.Asks[i].Hazard)))
	}
	for _, r := range planview.Releases(p) {
		f.add(r.Allow, names.Allowance(r.Allow))
	}
}

// english is what is left of a text without that.
func (f *foreign) english(said string) string {
	said = strings.TrimSpace(said)
	if f.whole[said] {
		return ""
	}
	for _, text := range f.in {
		said = strings.ReplaceAll(said, text, "")
	}
	for _, p := range nobodys {
		said = p.ReplaceAllString(said, "")
	}
	return strings.TrimSpace(said)
}

// nobodys is what stands in no language, and what of the fixture and the engine is not found as above.
var nobodys = []*regexp.Regexp{
	// The engine's: the kinds of resources by their names.
	regexp.MustCompile(`campaign/none|\b[Cc]ampaign\b|⟦Status οζ`),
	// Codes, and what became of a change, with a name in it.
	regexp.MustCompile(`\bADS\d{4}\b|stays paused: | beneath it is not confirmed`),
	// The service's: whether an ad is active.
	regexp.MustCompile(`\bactive\b`),
	// Places of a text, moments, amounts, commits, commands, settings, files.
	regexp.MustCompile(`\{(n|all)\}|\d (EST|UTC)\b|\dT\d\d\b|\bUSD\b|\b[0-9a-f]{7,40}\b|\b5a2b3\b|--[a-z-]+|` +
		`\bpause-all\b|\breconcile\b|daemon FOLDER|figures: false|\bpasskeys\b|daemon\.yaml|/api/v1/sessions|` +
		`\bSTOP\b|max_daily_exposure|\bads/|adsync/u[a-z]+|north/"<b>\\u202e\\n\.yaml`),
	// Names: of people, accounts, branches, hosts and what is advertised.
	regexp.MustCompile(`\b(adsync|login\.example\.com|cdn\.example|ann@desk|root@vm|Ann|ann|Eve|Bob|Example|` +
		`in the console|shop\.example|shoes|hats|main|Street|Brand|Dark|Hero|Sale|zzz|spring-launch|d0000\d|Spring|` +
		`Shouts|Second|Runners|Socks|Hiking|Boots|Trail & Shoes|host-1|` +
		`ad(_group)? of|A1|a, b|x)\b|› +of\b|=HYPERLINK\("x"\)|<b>|\(removed\)|: why|(averylongword)+[a-z]*…?(\.example)?`),
	// Kinds, columns and values as sheets have them; after the names, which have such words.
	regexp.MustCompile(`\b(Body|Image|Target URL|[Dd]escription|[Tt]itle|max( bid)?|ad( group)?|1 entry)\b|` +
		`\[clear\]|"ours"|“[ab]”`),
}

// TestEveryWordOfThePageIsInTheCatalogue looks at the page in another language: what is English in it is not in the
// catalogue.
func TestEveryWordOfThePageIsInTheCatalogue(t *testing.T) {
	inAnotherLanguage(t)
	found := map[string]string{}
	eachView(t, func(a *asker, name, page string) {
		all := sayings(t, page)
		if len(all) < 4 {
			t.Errorf("%s says %q alone; want a page", name, all)
		}
		f := foreignOf(t, a)
		for _, said := range all {
			if left := f.english(said); letters.MatchString(left) {
				found[left] = name + ": " + said
			}
		}
		for _, ours := range []string{"Approve", "Waits for approval", "Look at a file", "Campaigns", "by Ann",
			"Raise the daily budget of “Spring” from 80 to 200 USD", "drawn by adsync", "Spend", "1 rejected",
			"Show only", "Plan: 3 to change.", "waits for approval", "Possible spend a day", "Changes",
			"Read back as sent", "finished", "Apply"} {
			if !letters.MatchString(f.english(ours)) {
				t.Errorf("%s: %q is taken for a word of the engine or of the fixture", name, ours)
			}
		}
	})
	for left, where := range found {
		t.Errorf("%.400s: %q is English; want it in the catalogue", where, left)
	}
}

var letters = regexp.MustCompile(`[A-Za-z]`)

// What the script says comes before it, from the catalogue: it shows no text of its own.
func TestTheScriptSaysWordsOfTheCatalogue(t *testing.T) {
	inAnotherLanguage(t)
	script := text(t, ask(t, nil).get("/page.js"))
	said, rest, _ := strings.Cut(script, "\n")
	var all map[string]string
	err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(said, "const words = "), ";")), &all)
	if err != nil || len(all) < 7 {
		t.Fatalf("%v: its words are %s", err, said)
	}
	for name, text := range all {
		if letters.MatchString(strings.ReplaceAll(text, "{why}", "")) {
			t.Errorf("%s is %q; want no English", name, text)
		}
		if !strings.Contains(rest, "words."+name) {
			t.Errorf("nothing says %s", name)
		}
	}
	if own := regexp.MustCompile(`(\bsay\(|textContent = |new Error\()["` + "`" + `].*`).FindString(pageScript); own != "" {
		t.Errorf("it shows %s; want a text of the catalogue", own)
	}
}

// Each answer that refuses has a heading.
func TestEveryStatusHasItsName(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(content)
	}
	found := 0
	for status := 400; status < 600; status++ {
		name := "http.Status" + strings.ReplaceAll(http.StatusText(status), " ", "")
		if name == "http.Status" || !strings.Contains(code.String(), name+",") {
			continue
		}
		found++
		if said := catalogue.Say("status." + strconv.Itoa(status)); said != http.StatusText(status) {
			t.Errorf("%d is called %q; want %q", status, said, http.StatusText(status))
		}
	}
	if found < 10 {
		t.Errorf("%d statuses are answered; want ten and more", found)
	}
}
