package sources_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/tidy"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// keptOnes are last ready versions in memory.
type keptOnes struct {
	contents map[string][]byte
	paused   map[string][]string
	broken   error
}

func (k keptOnes) Version(file string) (config.Version, bool, error) {
	content, known := k.contents[file]
	sum := sha256.Sum256(content)
	return config.Version{
		Sum: hex.EncodeToString(sum[:]), At: time.Date(2026, 11, 27, 9, 14, 0, 0, time.UTC), Paused: k.paused[file],
	}, known, nil
}

func (k keptOnes) Content(v config.Version) ([]byte, error) {
	for _, content := range k.contents {
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) == v.Sum {
			return content, k.broken
		}
	}
	return nil, errors.New("not there")
}

// plannedBook is a workbook with campaigns, and what its cell on Start here says; "" for no such cell.
func plannedBook(t testing.TB, says string, rows ...[]any) []byte {
	start := sheetOf{"Start here", [][]any{{"Ads workbook"}}}
	if says != "" {
		start.rows = append(start.rows, []any{"This workbook is", says})
	}
	return bookOf(t, start, sheetOf{"Campaigns", append([][]any{
		{"Campaign*", "Status", "Bidding*", "Daily budget (USD)", "Key"},
	}, rows...)})
}

func campaignRow(key, status string, budget any) []any {
	return []any{"Campaign " + key, status, "clicks", budget, key}
}

func loadDraft(t testing.TB, dir string, kept config.Kept) sources.Desired {
	t.Helper()
	p, problems := config.ReadProject(dir)
	if len(problems) > 0 {
		t.Fatalf("ReadProject = %v, want no problem", problems)
	}
	p.Kept = kept
	return sources.Load(context.Background(), p, kinds.All())
}

func draftFolder(t testing.TB, content []byte) string {
	return folder(t, map[string]string{
		"q4.xlsx": string(content), "adsync.yaml": "account: {id: a, currency: USD, timezone: UTC}\n",
	})
}

// wants holds what counts to lines of address, status and budget.
func wants(t *testing.T, d sources.Desired, want ...string) {
	t.Helper()
	var got []string
	for r := range d.Snapshot.All() {
		got = append(got, fmt.Sprintf("%s %s %s", r.Address, r.Value("status").Text(), r.Value("budget.daily")))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what counts (-want +got):\n%s%s", diff, printed(d.Problems))
	}
}

func TestADraftCountsAsItWasReady(t *testing.T) {
	ready := plannedBook(t, "ready", campaignRow("a", "active", 10), campaignRow("b", "active", 20),
		campaignRow("gone", "active", 5))
	kept := keptOnes{contents: map[string][]byte{"q4.xlsx": ready}}
	drafted := plannedBook(t, " DRAFT ", campaignRow("new", "active", 7), campaignRow("a", "paused", 99),
		campaignRow("b", "active", 20))
	d := loadDraft(t, draftFolder(t, drafted), kept)
	wants(t, d, "campaign/a paused 10000000", "campaign/b active 20000000", "campaign/gone active 5000000")
	want := []sources.InDraft{{
		File: "q4.xlsx", At: diag.Cell("q4.xlsx", "Start here", 2, 2), Ready: d.Drafts[0].Ready,
		Changes: 2, Gone: 1, Paused: []string{"campaign/a"},
	}}
	if diff := cmp.Diff(want, d.Drafts, cmp.Comparer(func(a, b diag.Position) bool { return a == b })); diff != "" {
		t.Errorf("drafts (-want +got):\n%s", diff)
	}
	for address, at := range map[string]string{
		"campaign/a":    "last ready version of q4.xlsx:Campaigns!2", // another row by now
		"campaign/b":    "q4.xlsx:Campaigns!4",                       // as it was, where the draft has it
		"campaign/gone": "last ready version of q4.xlsx:Campaigns!4",
	} {
		parsed, _ := resource.ParseAddress(address)
		if got := d.Snapshot.Get(parsed).Position.String(); got != at {
			t.Errorf("%s stands at %s; want %s", address, got, at)
		}
	}

	// What an earlier draft paused stays so until the workbook is ready.
	kept.paused = map[string][]string{"q4.xlsx": {"campaign/b"}}
	d = loadDraft(t, draftFolder(t, drafted), kept)
	wants(t, d, "campaign/a paused 10000000", "campaign/b paused 20000000", "campaign/gone active 5000000")

	// Its bytes are watched: their sum is that of the draft, and moves with it.
	again := loadDraft(t, draftFolder(t, plannedBook(t, "draft", campaignRow("a", "paused", 98))), kept)
	if again.Hash == d.Hash || d.Sources[0].File != "q4.xlsx" {
		t.Errorf("the sums of two drafts are %s and %s of %v; want two of q4.xlsx", d.Hash, again.Hash, d.Sources)
	}
}

func TestADraftThatWasNeverReady(t *testing.T) {
	drafted := plannedBook(t, "draft", campaignRow("a", "paused", 99), campaignRow("b", "active", 20))
	d := loadDraft(t, draftFolder(t, drafted), keptOnes{})
	wants(t, d)
	if diag.HasErrors(d.Problems) {
		t.Errorf("it has the problems %v; want none that stops", printed(d.Problems))
	}
	if len(d.Pauses) != 1 || d.Pauses[0].Address.String() != "campaign/a" || len(d.Pauses[0].Attributes) != 1 {
		t.Errorf("pauses are %v; want the status of campaign/a alone", d.Pauses)
	}
}

func TestWhatTheCellSays(t *testing.T) {
	kept := keptOnes{contents: map[string][]byte{"q4.xlsx": plannedBook(t, "ready", campaignRow("a", "active", 10))}}
	for _, c := range []struct {
		says, publish string
		draft         bool
		told          string
	}{
		{says: "ready"}, {says: "Ready "}, {says: ""}, {says: "ready", publish: "when-ready"},
		{says: "draft", draft: true, told: "q4.xlsx:Start here!B2: note: workbook is a draft, 1 change waiting"},
		{says: "", publish: "when-ready", draft: true, told: "q4.xlsx: note: workbook does not say that it is ready"},
		{says: "Entwurf", draft: true, told: `q4.xlsx:Start here!B2: warning: cell is "entwurf"; want draft or ready`},
		{says: "reddy", draft: true, told: `did you mean "ready"`},
		{says: " ", draft: true, told: `q4.xlsx:Start here!B2: warning: cell is ""`},
	} {
		t.Run(c.says+" "+c.publish, func(t *testing.T) {
			dir := draftFolder(t, plannedBook(t, c.says, campaignRow("a", "active", 11)))
			p, _ := config.ReadProject(dir)
			p.Kept, p.Publish.Value = kept, c.publish
			d := sources.Load(context.Background(), p, kinds.All())
			want := "campaign/a active 11000000"
			if c.draft {
				want = "campaign/a active 10000000"
			}
			wants(t, d, want)
			var b bytes.Buffer
			must(t, diag.Render(&b, d.Problems, nil))
			if text := b.String(); !strings.Contains(text, c.told) || c.told == "" && text != "" {
				t.Errorf("said %q; want %q", text, c.told)
			}
		})
	}
}

// What somebody wants to have in the files is not written where it would not count: a row that is another in the draft
// has no cell there, and one that is the same would say it in vain.
func TestNothingIsWrittenIntoADraft(t *testing.T) {
	kept := keptOnes{contents: map[string][]byte{
		"q4.xlsx": plannedBook(t, "ready", campaignRow("a", "active", 10), campaignRow("b", "active", 10)),
	}}
	dir := draftFolder(t, plannedBook(t, "draft", campaignRow("a", "active", 11), campaignRow("b", "active", 10)))
	d := loadDraft(t, dir, kept)
	p, _ := config.ReadProject(dir)
	p.Kept = kept
	for _, address := range []string{"campaign/a", "campaign/b"} {
		at, _ := resource.ParseAddress(address)
		_, problems, err := tidy.AcceptAll(p, context.Background(), kinds.All(), d.Snapshot,
			[]tidy.Accepted{{Address: at, Attribute: "name", Value: resource.Text("By hand")}})
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, "the workbook is a draft") {
			t.Errorf("AcceptAll of %s = %v, %v; want that it is a draft", address, printed(problems), err)
		}
	}
}

// A version that is there and cannot be read is no version that never was.
func TestAReadyVersionThatCannotBeRead(t *testing.T) {
	kept := keptOnes{
		contents: map[string][]byte{"q4.xlsx": plannedBook(t, "ready", campaignRow("a", "active", 10))},
		broken:   errors.New("the disk is away"),
	}
	d := loadDraft(t, draftFolder(t, plannedBook(t, "draft", campaignRow("a", "active", 11))), kept)
	if !d.Stops() || !strings.Contains(printed(d.Problems), "version cannot be read") {
		t.Errorf("Load has the problems %v; want one that stops", printed(d.Problems))
	}
}

// Whatever a draft holds, what counts is its ready version with some rows paused, and nothing else.
func TestADraftChangesNothingButPauses(t *testing.T) {
	statuses := rapid.SampledFrom([]string{"active", "paused", "archived", "", "actve"})
	rows := rapid.Custom(func(r *rapid.T) [][]any {
		var rows [][]any
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}),
			1, 5, rapid.ID[string]).Draw(r, "keys") {
			budget := rapid.SampledFrom([]any{10, 20, 0.001, "", "10,5,2", "[clear]"}).Draw(r, "budget")
			rows = append(rows, campaignRow(key, statuses.Draw(r, "status"), budget))
		}
		return rows
	})
	dir := draftFolder(t, nil)
	name := filepath.Join(dir, "q4.xlsx")
	rapid.Check(t, func(r *rapid.T) {
		before, after := rows.Draw(r, "ready"), rows.Draw(r, "draft")
		ready := plannedBook(t, "ready", before...)
		write(t, name, string(ready))
		was := loadDraft(t, dir, nil)
		write(t, name, string(plannedBook(t, "draft", after...)))
		is := loadDraft(t, dir, keptOnes{contents: map[string][]byte{"q4.xlsx": ready}})
		paused := map[string]bool{}
		for _, row := range after {
			paused["campaign/"+row[4].(string)] = row[1] == "paused"
		}
		if was.Stops() != is.Stops() || was.Snapshot.Len() != is.Snapshot.Len() {
			r.Fatalf("%d rows count; want the %d of the ready version\n%v", is.Snapshot.Len(), was.Snapshot.Len(),
				printed(is.Problems))
		}
		for one := range was.Snapshot.All() {
			other := is.Snapshot.Get(one.Address)
			for _, a := range kinds.All().Of(one.Address.Kind).Attributes {
				old, now := one.Value(a.Name), other.Value(a.Name)
				pauses := a.Name == "status" && now.Text() == "paused" && paused[one.Address.String()] &&
					(!old.IsSet() || old.Text() == "active")
				if !old.Equal(now) && !pauses {
					r.Fatalf("%s: %s counts as %s; want %s", one.Address, a.Name, now, old)
				}
			}
		}
		for _, p := range is.Pauses {
			if !paused[p.Address.String()] || len(p.Attributes) != 1 {
				r.Fatalf("%s is paused by %v; want what the draft pauses", p.Address, p.Attributes)
			}
		}
	})
}

// The cell of a new workbook outlives every program, and says what people chose in it.
func TestTheCellOutlivesPrograms(t *testing.T) {
	var b bytes.Buffer
	must(t, workbook.WriteExport(&b, kinds.All(), shopSnapshot(t), workbook.Export{Account: dollars}))
	f := opened(t, b.Bytes())
	must(t, f.SetCellStr("Start here", "B4", "draft"))
	if checks, err := f.GetDataValidations("Start here"); err != nil || len(checks) != 1 || checks[0].Sqref != "B4" ||
		checks[0].Formula1 != `"draft,ready"` {
		t.Errorf("Start here has the checks %+v, %v; want the choices draft and ready at B4", checks, err)
	}
	var drafted bytes.Buffer
	must(t, f.Write(&drafted))
	saved := map[string][]byte{"excelize": drafted.Bytes()}
	if !testing.Short() {
		maps.Copy(saved, savedByEach(t, drafted.Bytes()))
	}
	for program, content := range saved {
		if said := readBytes(content).Publishing; said.Word != "draft" ||
			said.At != diag.Cell("q4.xlsx", "Start here", 4, 2) {
			t.Errorf("%s: the cell says %q at %s; want draft at B4", program, said.Word, said.At)
		}
	}
	if said := readBytes(b.Bytes()).Publishing; said.Word != "ready" {
		t.Errorf("a new workbook says %q; want ready", said.Word)
	}
}

func savedByOpenpyxl(t *testing.T, content []byte) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "book.xlsx")
	write(t, name, string(content))
	program := "import openpyxl,sys; b=openpyxl.load_workbook(sys.argv[1]); b.save(sys.argv[1])"
	saves := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", program, name)
	if out, err := saves.CombinedOutput(); err != nil {
		t.Fatalf("openpyxl: %v\n%s", err, out)
	}
	return fileBytes(t, name)
}

// A picture that lies in a draft's ready version is read out of that.
func TestThePictureOfAReadyVersion(t *testing.T) {
	picture := fileBytes(t, "testdata/workbook/picture.png")
	book := func(says string, with bool) []byte {
		return bookWith(t, func(f *excelize.File) {
			if with {
				must(t, f.AddPictureFromBytes("Ads", "F2", &excelize.Picture{
					Extension: ".png", File: picture, Format: &excelize.GraphicOptions{AutoFit: true},
				}))
			}
		}, sheetOf{"Start here", [][]any{{"This workbook is", says}}},
			sheetOf{"Campaigns", [][]any{{"Campaign*", "Bidding*", "Daily budget"}, {"Sale", "clicks", 10}}},
			sheetOf{"Ad groups", [][]any{{"Campaign*", "Ad group*", "Max bid"}, {"Sale", "Group", 1}}},
			sheetOf{"Ads", [][]any{{"Campaign*", "Ad group*", "Title*", "Body*", "Target URL*", "Image*"},
				{"Sale", "Group", "Hello", "Body of it", "https://shop.example/"}}})
	}
	dir := draftFolder(t, book("draft", false))
	kept := keptOnes{contents: map[string][]byte{"q4.xlsx": book("ready", true)}}
	d := loadDraft(t, dir, kept)
	p, _ := config.ReadProject(dir)
	p.Kept = kept
	if len(d.Images) != 1 {
		t.Fatalf("images are %v; want the one of the ready version\n%v", d.Images, printed(d.Problems))
	}
	for source := range d.Images {
		if _, content, err := d.ReadImage(p, source); err != nil || !bytes.Equal(content, picture) {
			t.Errorf("ReadImage = %d bytes, %v; want the picture", len(content), err)
		}
	}
}
