package authors

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/eyes"
	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/state/kv"
)

const lineage = "of this state"

func campaign(key, daily string) string {
	return fmt.Sprintf("kind: campaign\nkey: %s\nname: %[1]s\nstatus: active\nbidding_type: clicks\n"+
		"budget: {daily: %s}\n", key, daily)
}

// folder is one whose files people change.
type folder struct {
	*testing.T
	dir, state string
	known      Known
	failed     []string
}

func folderOf(t *testing.T, files map[string]string) *folder {
	f := &folder{T: t, dir: t.TempDir(), state: t.TempDir()}
	for name, text := range files {
		f.saves(name, text)
	}
	return f
}

func (f *folder) saves(name, text string) {
	f.Helper()
	err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600)
	if text == "" {
		err = os.Remove(filepath.Join(f.dir, name))
	}
	if err != nil {
		f.Fatal(err)
	}
}

func (f *folder) load() *sources.Desired {
	f.Helper()
	project, _ := config.ReadProject(f.dir)
	d := sources.Load(f.Context(), project, kinds.All())
	return &d
}

// partOf is what is asked of a field, or of a whole resource.
func partOf(address, field string) plan.Part { return plan.Part{Address: address, Field: field} }

func askFor(parts ...plan.Part) []plan.Ask {
	return []plan.Ask{{Hazard: plan.RaisesSpend, Parts: parts}}
}

// sends has somebody send a file, while meanwhile happens; asks are of the files as they are then.
func (f *folder) sends(who, name, text string, asks []plan.Ask, meanwhile func()) {
	f.Helper()
	before := f.load()
	meanwhile()
	f.saves(name, text)
	err := f.known.Write(&Order{Who: eyes.Who{Name: who}, Before: before, After: f.load(), Root: f.dir, Asks: asks,
		Lineage: lineage,
		Files:   map[string]string{name: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}}, func() error { return nil })
	if err != nil {
		f.Fatal(err)
	}
}

// authors are who wrote a part of the files as they are.
func (f *folder) authors(p plan.Part) string {
	f.Helper()
	var who []string
	for _, w := range f.known.Of(f.load().Hash, lineage) {
		if slices.Contains(w.Keys, p.Key(plan.RaisesSpend)) {
			who = append(who, w.By[0].Name)
		}
	}
	return strings.Join(who, ", ")
}

func nothing() {}

// looks has a run read the files.
func (f *folder) looks() {
	f.Helper()
	began, d := time.Now(), f.load()
	f.known.See(f.dir, d, d.Hash, began)
}

// restarts has another process go on.
func (f *folder) restarts() {
	f.Helper()
	f.known = Known{}
	f.keeps()
	f.looks()
}

func (f *folder) keeps() {
	f.known.Keep(kv.Folder{Dir: f.state}, func(err error) { f.failed = append(f.failed, err.Error()) })
}

var daily = partOf("campaign/one", "budget.daily")

// Only what the order changed of the files is its author's. What may be of somebody else by another name is nobody's,
// and so is all of it where not every row was read before, or another file moved meanwhile.
func TestWhatAnOrderWrote(t *testing.T) {
	both := campaign("one", "10.00") + "---\n" + campaign("two", "20.00")
	for _, row := range []struct {
		name, before, after string
		part                plan.Part
		meanwhile           func(*folder)
		is                  string
	}{
		{"it changed the value", both, strings.Replace(both, "10.00", "90.00", 1), daily, nil, "ann"},
		{"the value waited there before", both, strings.Replace(both, "20.00", "90.00", 1), daily, nil, ""},
		{"it changed a value of what waited", both, strings.Replace(both, "name: one", "name: One", 1), daily, nil, ""},
		{"it added the row", campaign("two", "20.00"), both, daily, nil, "ann"},
		{"it added the row, as a whole", campaign("two", "20.00"), both, partOf("campaign/one", ""), nil, "ann"},
		{"it may have renamed a row of somebody's", campaign("other", "10.00"), campaign("one", "10.00"), daily,
			nil, ""},
		{"it removed the row", both, campaign("two", "20.00"), partOf("campaign/one", ""), nil, "ann"},
		{"nobody knows of what it is", both, strings.Replace(both, "10.00", "90.00", 1), partOf("campaign/one", ""),
			nil, ""},
		{"it is no address", both, campaign("one", "1.00"), partOf("<b>", "budget.daily"), nil, ""},
		{"a row could not be read before", campaign("two", "20.00") + "---\n" + campaign("one", "a lot"),
			both, daily, nil, ""},
		{"somebody saved another file meanwhile", campaign("two", "20.00"), both, daily,
			func(f *folder) { f.saves("other.yaml", campaign("three", "90.00")) }, ""},
		{"somebody changed the settings meanwhile", campaign("two", "20.00"), both, daily,
			func(f *folder) { f.saves("adsync.yaml", "policy: {max_archives: 3}\n") }, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := folderOf(t, map[string]string{"adsync.yaml": "account: {currency: USD}\n", "ads.yaml": row.before})
			f.sends("ann", "ads.yaml", row.after, askFor(row.part), func() {
				if row.meanwhile != nil {
					row.meanwhile(f)
				}
			})
			if is := f.authors(row.part); is != row.is {
				t.Errorf("it is by %q; want %q", is, row.is)
			}
		})
	}
}

// A new file is its sender's as well. What the next order leaves as it was stays its author's, as long as it is asked
// for, and what adsync writes itself changes nobody's.
func TestAuthorsStay(t *testing.T) {
	f := folderOf(t, map[string]string{"ads.yaml": campaign("two", "20.00")})
	f.sends("ann", "new.yaml", campaign("one", "10.00"), askFor(daily), nothing)
	other := partOf("campaign/two", "budget.daily")
	f.sends("ben", "ads.yaml", campaign("two", "90.00"), askFor(daily, other), nothing)
	if one, two := f.authors(daily), f.authors(other); one != "ann" || two != "ben" {
		t.Errorf("they are by %q and %q; want ann's and ben's", one, two)
	}
	before := f.load().Hash
	f.saves("ads.yaml", campaign("two", "90.00")+"# results\n")
	f.known.Moved(before, f.load())
	if is := f.authors(other); is != "ben" {
		t.Errorf("with results in the file it is by %q; want ben's", is)
	}
	f.known.Moved("of others", f.load())
	f.sends("cleo", "ads.yaml", campaign("two", "20.00"), askFor(daily), nothing)
	if one, two := f.authors(daily), f.authors(other); one != "ann" || two != "" {
		t.Errorf("they are by %q and %q; want ann's, and nobody's that is not asked for", one, two)
	}
	if of := f.known.Of(f.load().Hash, "another"); len(of) != 0 {
		t.Errorf("of another state there are %+v", of)
	}
}

// Once files were anything else nobody is known, also where they are the same again, and what is added then is known
// alone. Who looked before an order was carried out has seen nothing of it.
func TestFilesThatWereTouchedHaveNoAuthor(t *testing.T) {
	text := campaign("one", "90.00")
	f := folderOf(t, map[string]string{"ads.yaml": campaign("one", "10.00"), "other.yaml": campaign("two", "20.00")})
	began := time.Now()
	f.sends("ann", "ads.yaml", text, askFor(daily), nothing)
	f.known.See(f.dir, f.load(), "what was there before", began)
	f.looks()
	if is := f.authors(daily); is != "ann" {
		t.Fatalf("it is by %q; want ann's", is)
	}
	failed := errors.New("no space")
	if err := f.known.Write(&Order{Before: f.load(), After: f.load()}, func() error { return failed }); err != failed {
		t.Errorf("what cannot be written ends with %v", err)
	}
	if is := f.authors(daily); is != "ann" {
		t.Errorf("after what was not written it is by %q; want ann's", is)
	}
	f.saves("ads.yaml", "# touched\n"+text)
	if is := f.authors(daily); is != "" {
		t.Errorf("touched it is by %q; want nobody's", is)
	}
	f.looks()
	f.saves("ads.yaml", text)
	f.looks()
	if is := f.authors(daily); is != "" {
		t.Errorf("the same again is by %q; want nobody's", is)
	}
	other := partOf("campaign/two", "budget.daily")
	f.sends("ben", "other.yaml", campaign("two", "90.00"), askFor(daily, other), nothing)
	if one, two := f.authors(daily), f.authors(other); one != "" || two != "ben" {
		t.Errorf("they are by %q and %q; want nobody's, and ben's", one, two)
	}
}

// What stands in a file that nobody touched stays its author's, whatever becomes of the others and of adsync. What
// stands in none, or came to stand elsewhere, does not.
func TestAuthorsOutliveWhatOthersDo(t *testing.T) {
	text, other := campaign("one", "90.00"), campaign("two", "20.00")
	gone := partOf("campaign/three", "")
	for _, row := range []struct {
		name string
		part plan.Part
		does func(*folder)
		is   string
	}{
		{"another file is touched", daily, func(f *folder) { f.saves("other.yaml", "# touched\n"+other) }, "ann"},
		{"another file is added", daily, func(f *folder) { f.saves("more.yaml", campaign("four", "1.00")) }, "ann"},
		{"another file is removed", daily, func(f *folder) { f.saves("other.yaml", "") }, "ann"},
		{"another file cannot be read", daily, func(f *folder) { f.saves("other.yaml", "kind: [") }, "ann"},
		{"another is touched, and the same again", daily, func(f *folder) {
			f.saves("other.yaml", "# touched\n"+other)
			f.looks()
			f.saves("other.yaml", other)
		}, "ann"},
		{"hers is touched", daily, func(f *folder) { f.saves("ads.yaml", text+"# touched\n") }, ""},
		{"hers is removed, and another has the row", daily, func(f *folder) {
			f.saves("ads.yaml", "")
			f.saves("other.yaml", other+"---\n"+text)
		}, ""},
		{"another has the row, too", daily, func(f *folder) { f.saves("a.yaml", text) }, ""},
		{"the settings are others", daily,
			func(f *folder) { f.saves("adsync.yaml", "policy: {max_archives: 3}\n") }, ""},
		{"what she removed, and nothing is touched", gone, func(*folder) {}, "ann"},
		{"what she removed, and another file is touched", gone,
			func(f *folder) { f.saves("other.yaml", "# touched\n"+other) }, ""},
	} {
		for _, restarted := range []bool{false, true} {
			f := folderOf(t, map[string]string{"adsync.yaml": "account: {currency: USD}\n", "other.yaml": other,
				"ads.yaml": campaign("one", "10.00") + "---\n" + campaign("three", "10.00")})
			f.keeps()
			f.looks()
			f.sends("ann", "ads.yaml", text, askFor(daily, gone), nothing)
			f.looks()
			row.does(f)
			if restarted {
				f.restarts()
			}
			f.looks()
			if is := f.authors(row.part); is != row.is || len(f.failed) > 0 {
				t.Errorf("%s, restarted %t: it is by %q, %q; want %q", row.name, restarted, is, f.failed, row.is)
			}
		}
	}
}

// What adsync wrote into a file itself leaves it its author's, also when others save theirs then, and adsync restarts.
func TestAuthorsOutliveResults(t *testing.T) {
	f := folderOf(t, map[string]string{"ads.yaml": campaign("one", "10.00"), "other.yaml": campaign("two", "20.00")})
	f.keeps()
	f.sends("ann", "ads.yaml", campaign("one", "90.00"), askFor(daily), nothing)
	f.looks()
	before := f.load().Hash
	f.saves("ads.yaml", campaign("one", "90.00")+"# results\n")
	f.known.Moved(before, f.load())
	f.saves("other.yaml", campaign("two", "21.00"))
	f.restarts()
	if is := f.authors(daily); is != "ann" {
		t.Errorf("with results in the file it is by %q; want ann's", is)
	}
}

// After a restart nobody is named for a file that was written meanwhile, though its bytes are the same; nor for what
// was kept too long, or cannot be read.
func TestAuthorsThatARestartCannotProve(t *testing.T) {
	text := campaign("one", "90.00")
	sent := func() *folder {
		f := folderOf(t, map[string]string{"ads.yaml": campaign("one", "10.00")})
		f.keeps()
		f.sends("ann", "ads.yaml", text, askFor(daily), nothing)
		return f
	}
	f := sent()
	if f.restarts(); f.authors(daily) != "ann" {
		t.Fatal("a restart alone has it be nobody's")
	}
	at := filepath.Join(f.dir, "ads.yaml")
	f.saves("ads.yaml", text)
	if err := os.Chtimes(at, time.Time{}, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if f.restarts(); f.authors(daily) != "" {
		t.Error("what was written while adsync was gone is somebody's")
	}
	f = sent()
	f.known.wrote[0].Time = time.Now().Add(-32 * 24 * time.Hour)
	if f.authors(daily) != "" {
		t.Error("what was sent 32 days ago is somebody's")
	}
	f.known.save()
	if f.restarts(); f.authors(daily) != "" {
		t.Error("what was sent 32 days ago is somebody's")
	}
	f = sent()
	if err := os.WriteFile(filepath.Join(f.state, name), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f.restarts(); f.authors(daily) != "" || len(f.failed) != 1 {
		t.Errorf("what cannot be read: by %q, said %q", f.authors(daily), f.failed)
	}
	f = sent()
	f.state = filepath.Join(at, "no folder")
	f.keeps()
	f.sends("ann", "ads.yaml", campaign("one", "91.00"), askFor(daily), nothing)
	if f.looks(); f.authors(daily) != "" || len(f.failed) == 0 {
		t.Errorf("what cannot be kept: by %q, said %q; want nobody's", f.authors(daily), f.failed)
	}
	f = sent()
	f.saves("ads.yaml", text)
	if err := os.Chtimes(filepath.Join(f.dir, "ads.yaml"), time.Time{}, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if f.looks(); f.authors(daily) != "" {
		t.Error("what was written between two looks, the same, is somebody's")
	}
	f = sent()
	second := &folder{T: t, dir: f.dir, state: f.state} // another daemon that takes over, and loses it again
	second.keeps()
	second.looks()
	f.saves("ads.yaml", "# touched\n"+text)
	f.looks()
	f.saves("ads.yaml", text)
	if second.looks(); second.authors(daily) != "" {
		t.Error("what the daemon before saw touched is somebody's to the next")
	}
}
