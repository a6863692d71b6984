package sources_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/table"
	"adsync/sources/tree"

	"github.com/google/go-cmp/cmp"
)

func readCSVText(name, text string) draft.Result {
	return table.ReadCSV(context.Background(), name, []byte(text), workbookInput())
}

const (
	campaignsCSV = "Campaign,Status,Bidding,Daily budget " +
		"(USD),Start date,Countries,Key\r\nSpring launch,paused,clicks,50,2026-12-01,\"US, CA\",spring\r\n"
	adGroupsCSV = "Campaign,Ad group,Status,Max bid " +
		"(USD),Context hints\r\nSpring launch,Runners,active,1.25,\"people comparing shoes\npeople who run, daily\"\r\n"
	adsCSV = "Campaign,Ad group,Ad,Title,Body,Target URL,Image\r\nSpring launch,Runners,Hero A,Shoes for " +
		"muddy trails,\"Light, grippy.\",https://shop.example/trail,images/hero-a.png\r\n"
)

func TestCSVMakesOneDraftARow(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"campaigns.csv": {campaignsCSV, spring}, "Ad groups.csv": {adGroupsCSV, runners}, "q4 ads.csv": {adsCSV, heroA},
		"campaigns-2026.csv": {campaignsCSV, spring}, "2026/winter.csv": {adsCSV, heroA},
		"adgroups.TSV": {strings.NewReplacer(",", "\t", ", ", ", ").Replace(strings.ReplaceAll(adGroupsCSV,
			", daily", " daily")), strings.ReplaceAll(runners, ", daily", " daily")},
	} {
		t.Run(name, func(t *testing.T) {
			got := readCSVText(name, c.text)
			wantProblems(t, got.Problems)
			wantDrafts(t, got.Drafts, c.want)
			if want := (draft.Rows{Read: 1, Used: 1}); got.Rows != want || got.Stray != nil {
				t.Errorf("rows = %+v, %v, want %+v", got.Rows, got.Stray, want)
			}
		})
	}
}

func TestFieldOfACSVKnowsItsLineAndCharacter(t *testing.T) {
	got := readCSVText("ad groups.csv", adGroupsCSV+"\"Spring\nlaunch\",Läufer,active,1.5\n")
	wantProblems(t, got.Problems)
	for attribute, want := range map[string]diag.Position{
		"name": diag.At("ad groups.csv", 5, 9), "bid.max": diag.At("ad groups.csv", 5, 23),
	} {
		if at := got.Drafts[1].Attributes.Value(attribute).Position; at != want {
			t.Errorf("%s stands at %v, want %v", attribute, at, want)
		}
	}
	if at, want := got.Drafts[1].Position, diag.At("ad groups.csv", 4, 1); at != want {
		t.Errorf("row stands at %v, want %v", at, want)
	}
}

// The whole of formats.md section 3 on CSV in one place: what people save is
// read whatever separates and encodes it.
func TestCSVInEveryDialectSaysTheSame(t *testing.T) {
	semicolons := "Campaign;Bidding;Countries\nHerbstschuhe für alle;clicks;US, CA\n"
	want := `campaign bidding_type="clicks" name="Herbstschuhe für alle" targeting.countries=["CA" "US"]`
	for name, text := range map[string]string{
		"commas":                "Campaign,Bidding,Countries\nHerbstschuhe für alle,clicks,\"US, CA\"\n",
		"semicolons":            semicolons,
		"tabs":                  strings.ReplaceAll(semicolons, ";", "\t"),
		"the line Excel writes": "sep=;\r\n" + semicolons,
		"that line with a mark": "\ufeffSEP=;\r\n" + semicolons,
		"a tab in that line":    "sep=\t\n" + strings.ReplaceAll(semicolons, ";", "\t"),
		"a byte order mark":     "\ufeff" + semicolons,
		"line ends of Windows":  strings.ReplaceAll(semicolons, "\n", "\r\n"),
		"line ends of old Macs": strings.ReplaceAll(semicolons, "\n", "\r"),
		"no last line end":      strings.TrimSuffix(semicolons, "\n"),
		"quotes around everything": `"Campaign","Bidding","Countries"` +
			"\n" + `"Herbstschuhe für alle","clicks","US, CA"` + "\n",
		"notes above, remarks, blanks": "Q4; please fill in\n\n;;;\n# Campaign;Bidding;Countries\n" +
			semicolons + ";;;\n   \n",
		"delimiters of other sorts": "Campaign;Bidding;Countries;Notes\n" +
			"Herbstschuhe für alle;clicks;US, CA;a, b, c, d\n",
		"short rows": "Campaign;Bidding;Countries;Status;Key;Include\n" +
			strings.Split(semicolons, "\n")[1] + "\n",
		"a text kept as text": "Campaign;Bidding;Countries\n" +
			"=\"Herbstschuhe für alle\";clicks;\"=\"\"US, CA\"\"\"\n",
		"an apostrophe before no formula": "Campaign;Bidding;Countries;Note\nHerbstschuhe für alle;clicks;US, CA;'=x\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := readCSVText("campaigns.csv", text)
			wantProblems(t, got.Problems)
			wantDrafts(t, got.Drafts, want)
		})
	}
}

func TestWindowsTextIsReadAndSaid(t *testing.T) {
	got := readCSVText("campaigns.csv", "Campaign;Bidding\nSch\xf6ne Schuhe \x96 20 \x80;clicks\n")
	wantDrafts(t, got.Drafts, `campaign bidding_type="clicks" name="Schöne Schuhe – 20 €"`)
	wantProblems(t, got.Problems, "campaigns.csv: warning: file is not UTF-8 and is read as Windows-1252; want UTF-8")
}

func TestValuesOfACSV(t *testing.T) {
	for _, c := range []struct{ name, header, cell, want, problem string }{
		{"an amount", "Daily budget", "1234.5", "1234500000", ""},
		{"an amount with the own symbol", "Daily budget", "$50.00", "50000000", ""},
		{"an amount with a decimal comma", "Daily budget",
			`"12,50"`, "", `2:15: amount is "12,50", which can be read in more than one way`},
		{"an amount with thousands", "Daily budget",
			`"1,234"`, "", `amount is "1,234", which can be read in more than one way`},
		{"a mangled amount", "Daily budget", "1.2E+05", "", `amount is "1.2E+05"`},
		{"a formula", "Daily budget", "=10*10", "",
			"value is a formula, of which a CSV file keeps no result; want the amount itself"},
		{"a formula as text", "Description", "=A1",
			"", "value is a formula, of which a CSV file keeps no result; want text itself"},
		{"a formula that is none", "Description", "'=A1", `"=A1"`, ""},
		{"an apostrophe of its own", "Description", "'tis", `"'tis"`, ""},
		{"an apostrophe before one", "Description", "''=A1", `"'=A1"`, ""},
		{"a minus", "Description", "-5", `"-5"`, ""},
		{"a key with zeros", "Key", `="00123"`, "", ""},
		{"a key with zeros, plain", "Key", "00123", "", ""},
		{"W14 a key that was a number", "Key", "1.2E+05",
			"", `value is "1.2E+05", a number in which a spreadsheet program has lost digits; want the key as it was`},
		{"W14 a key kept as text", "Key", `="1.2E05"`, "", ""},
		{"W14 an id that lost its end", "Locations", "2000043; 123456789012340000", "", "want the id as it was"},
		{"W14 a name that was a number", "Description", "1E+15", "", "want text as it was"},
		{"mojibake", "Description", "GrÃ¼ne Schuhe â€“ jetzt", "", `want "Grüne Schuhe – jetzt"`},
		{"a character that was lost", "Description", "Gr\ufffdn", "", "stands for a character that was lost"},
		{"a day in another order", "Start date", "01.12.2026", "", "ADS1009"},
		{"a day", "Start date", "2026-12-01", `"2026-12-01"`, ""},
		{"cleared", "Description", "[clear]", "null", ""},
		{"a status nobody knows", "Status", "actve", "", "ADS1007"},
		{"JSON with curly quotes", "Countries", `"[“US”, „CA“]"`, `["CA" "US"]`, ""},
		{"a line break", "Description", "\"one\r\ntwo\"", `"one\ntwo"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readCSVText("campaigns.csv", "Campaign,Bidding,"+c.header+"\nSpring,clicks,"+c.cell+"\n")
			value := ""
			for _, a := range got.Drafts[0].Attributes {
				if a.Value.Position.Column() == 15 {
					value = a.Value.String()
				}
			}
			if value != c.want {
				t.Errorf("value = %s, want %s", value, c.want)
			}
			if c.problem == "" {
				wantProblems(t, got.Problems)
				return
			}
			wantProblems(t, got.Problems, c.problem)
			if got.Rows.Failed != 1 {
				t.Errorf("rows = %+v, want one failed", got.Rows)
			}
		})
	}
}

func TestAddressOfAPictureInItsFormula(t *testing.T) {
	got := readCSVText("ads.csv",
		strings.ReplaceAll(adsCSV, "images/hero-a.png", `"=IMAGE(""https://img.example/a.png"")"`))
	wantProblems(t, got.Problems)
	if v := got.Drafts[0].Attributes.Value("image"); v.Text() != "https://img.example/a.png" {
		t.Errorf("image = %v, want the address of the formula", v)
	}
}

func TestAmountsThatReadTwoWaysSayHowToWriteThem(t *testing.T) {
	for _, c := range []struct{ delimiter, amount, want string }{
		{";", "12,50", "write 12.50"}, {";", "1.000,50", "write 1000.50"}, {";", "1.000", "write 1000.00 or 1.0000"},
		{";", "1.000.000", "write 1000000.00"}, {";", "1.25", ""}, {";", "0.125", ""},
		{",", `"1,234"`, "write 1234 or 1.234"}, {",", `"1,234,567.50"`, "write 1234567.50"},
		{",", "1.000", ""}, {"\t", "12,5", "write 12.5"},
	} {
		got := readCSVText("campaigns.csv",
			strings.ReplaceAll("Campaign,Bidding,Daily budget\nSpring,clicks,", ",", c.delimiter)+c.amount+"\n")
		hint := ""
		for _, p := range got.Problems {
			hint += p.Hint
		}
		if hint != c.want {
			t.Errorf("%s after %q: hint = %q, want %q", c.amount, c.delimiter, hint, c.want)
		}
	}
}

func TestRowsOfACSVThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"W18 a delimiter too many", "campaigns.csv", "Campaign,Bidding\nSpring, for all,clicks\nMay,clicks\n",
			[]string{"campaigns.csv:2:17: row has 3 values where the header has 2; want one for each header"}},
		{"W18 a value beyond the header, and nothing else", "campaigns.csv",
			"Campaign,Bidding\n,,x\n", []string{"campaigns.csv:2:3: row has 3 values where the header has 2"}},
		{"a quote never closed", "campaigns.csv", "Campaign,Bidding\nMay,clicks\n\"Spring,clicks\nJune,clicks\n",
			[]string{"campaigns.csv:3:1: a quote is opened here and never closed"}},
		{"a stray quote", "campaigns.csv", "Campaign,Bidding\n10\" shoes,clicks\n",
			[]string{"campaigns.csv:2:3: a quote stands inside a value"}},
		{"cut short", "campaigns.csv", "Campaign,Bidding,Status\nMay,clicks,active\nJune,cli",
			[]string{"campaigns.csv:3:9: last row ends after 2 values where the row before has 3"}},
		{"a misspelt header", "campaigns.csv", "Campaign,Bidding,Daily budgett\nMay,clicks,5\n",
			[]string{`campaigns.csv:1:18: header is "Daily budgett"; want one adsync knows`}},
		{"a header twice", "campaigns.csv", "Campaign,Bidding,Objective\nMay,clicks,views\n",
			[]string{`campaigns.csv:1:18: header "Objective" means "Bidding", as does column B`}},
		{"another currency", "campaigns.csv", "Campaign,Bidding,Daily budget (EUR)\nMay,clicks,5\n",
			[]string{`campaigns.csv:1:18: header says the currency is "EUR"`}},
		{"a parent column missing", "ads.csv", "Ad group,Title,Body\nRunners,Shoes,Light\n",
			[]string{`ads.csv:1:1: file has no column "Campaign"; want one`}},
		{"a parent missing", "ad groups.csv", "Campaign,Ad group\n,Runners\n",
			[]string{"ad groups.csv:2:1: Campaign is missing; want its name"}},
		{"a parent missing in a short row", "ad groups.csv", "Ad group,Status,Campaign\nRunners\nWalkers,,Spring\n",
			[]string{"ad groups.csv:2:8: Campaign is missing; want its name"}},
		{"an Include that is neither", "campaigns.csv", "Campaign,Bidding,Include\nMay,clicks,maybe\n",
			[]string{`campaigns.csv:2:12: Include is "maybe"; want yes or no`}},
		{"zero bytes", "campaigns.csv", "Campaign,Bidding\nM\x00y,clicks,\n",
			[]string{"campaigns.csv:2: file holds a zero byte"}},
		{"a workbook", "campaigns.csv", "PK\x03\x04",
			[]string{"campaigns.csv: file is a workbook (.xlsx) or another zip archive under the name of a CSV"}},
		{"too many columns", "campaigns.csv", "Campaign,Bidding\n" + strings.Repeat(",", 1_001) + "\n",
			[]string{"campaigns.csv:2:1001: row has over 1000 columns"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readCSVText(c.file, c.text)
			wantProblems(t, got.Problems, c.want...)
			if r := got.Rows; r.Read != r.Used+r.Ignored+r.Failed {
				t.Errorf("rows = %+v do not add up", r)
			}
		})
	}
}

func TestWhichSheetACSVIs(t *testing.T) {
	for _, c := range []struct{ name, file, text, problem string }{
		{"by its header", "winter.csv", campaignsCSV, ""},
		{"by its header where the name says two", "campaign ads.csv", campaignsCSV, ""},
		{"the name says it and the header does not", "ads.csv",
			"a,b\nc,d\n", "file has no header of Ads in its first 20 rows; want a row with Campaign, Ad group, Title"},
		{"nothing says it", "winter.csv", "a,b\nc,d\n", "neither the name nor " +
			"the header of the file says what it holds; want a name such as campaigns.csv, ad-groups.csv, ads.csv"},
		{"what separates it may be two things", "campaigns.csv", "Campaign,Status,Bidding;Key;Tracking\n",
			"what separates the values may be a comma or a semicolon; want it clear"},
		{"another separator", "campaigns.csv", "sep=|\nCampaign|Bidding\n",
			`first line says that "|" separates the fields`},
		{"separated by something else", "campaigns.csv",
			"Campaign|Bidding\nMay|clicks\n", "file has no header of Campaigns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readCSVText(c.file, c.text)
			wantProblems(t, got.Problems)
			switch {
			case c.problem == "" && (got.Stray != nil || len(got.Drafts) != 1):
				t.Errorf("drafts = %q, %v, want one", drafted(got.Drafts), got.Stray)
			case c.problem != "" && (got.Stray == nil || !strings.Contains(got.Stray.Message, c.problem)):
				t.Errorf("stray = %+v, want %s", got.Stray, c.problem)
			}
		})
	}
}

func TestRowsOfEveryKindInOneFile(t *testing.T) {
	got := readCSVText("everything.csv", `Kind,Campaign,Ad group,Ad,Bidding,Daily budget,Max bid,Title,Body,Target URL,Image,Key,Hint,Use,Amount,First day,Last day
Campaign,Spring launch,,,clicks,50,,,,,,spring
ad_group,Spring launch,Runners,,,,1.25
Ad,Spring launch,Runners,Hero A,,,,Shoes,Light.,https://shop.example/trail,images/hero-a.png
context hint,Spring launch,Runners,,,,,,,,,,people who run,
# Ad,later
DATE RANGE,,,,,,,,,,,,,,5000,2026-12-01,2026-12-31
daily_spend_limit,,,,,,,,,,,,,,400,2026-12-01,
`)
	wantProblems(t, got.Problems)
	wantDrafts(t, got.Drafts,
		`campaign key=spring bidding_type="clicks" budget.daily=50000000 name="Spring launch"`,
		`ad_group in Spring launch bid.max=1250000 name="Runners"`,
		`ad in Spring launch in Runners body="Light." `+
			`image="images/hero-a.png" name="Hero A" target_url="https://shop.example/trail" title="Shoes"`,
		`spend_limit_window amount=5000000000 end="2026-12-31" start="2026-12-01"`,
		`daily_spend_limit amount=400000000 start="2026-12-01"`)
	if len(got.Items) != 1 || got.Items[0].Text.Text != "people who run" {
		t.Errorf("items = %+v, want one hint", got.Items)
	}
	if want := (draft.Rows{Read: 7, Used: 6, Ignored: 1}); got.Rows != want {
		t.Errorf("rows = %+v, want %+v", got.Rows, want)
	}
}

func TestRowsThatDoNotFitTheirKind(t *testing.T) {
	const head = "Kind;Campaign;Ad group;Name;Bidding;Daily budget;Title\n"
	for _, c := range []struct{ name, row, want string }{
		{"a value its kind has not", "ad group;Spring;Runners;;;50;",
			`2:27: a row of kind ad group has a value under "Daily budget", which it does not take; want a blank cell`},
		{"no kind", ";Spring;;;clicks;;", "2:1: Kind is missing; want one of campaign, ad group, ad,"},
		{"a kind nobody has", "campain;Spring;;;clicks;;", `2:1: Kind is "campain"; want one of campaign, ad group`},
		{"two names", "campaign;Spring;;Summer;clicks;;",
			"2:18: name is something else at e.csv:2:10; want it once, or the same"},
		{"the same name twice", "campaign;Spring;;Spring;clicks;;", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readCSVText("e.csv", head+c.row+"\n")
			if c.want == "" {
				wantProblems(t, got.Problems)
				return
			}
			wantProblems(t, got.Problems, c.want)
			if got.Rows != (draft.Rows{Read: 1, Failed: 1}) {
				t.Errorf("rows = %+v, want one failed", got.Rows)
			}
		})
	}
}

// One file a sheet is one account, and rows of a workbook and of YAML may
// belong to the same.
func TestSheetsInFilesOfTheirOwnBelongTogether(t *testing.T) {
	dir := folder(t, map[string]string{
		"campaigns.csv": campaignsCSV,
		"adgroups.yaml": "kind: ad_group\ncampaign: spring\nkey: runners\nname: Runners\n" +
			"---\nkind: ad_group\ncampaign: spring\nkey: hikers\nname: Hikers\ncontext_hints: [{list: basics}]\n",
		"ads.csv": strings.ReplaceAll(adsCSV, "images/hero-a.png", "https://img.example/a.png"),
		"context hints.csv": "Campaign,Ad group,Hint\nspring,Runners,people " +
			"who run\nspring,Hikers,\"people who hike, daily\"\nSpring launch,runners,people in mud\n",
		"hint-lists.csv": "basics;mud\ntrail maps;boots, dirty\n",
	})
	d := wantClean(t, load(t, dir))
	for key, want := range map[string]string{
		"spring/runners": `["people who run" "people in mud"]`,
		"spring/hikers":  `["people who hike, daily" "trail maps"]`,
	} {
		if got := d.Snapshot.Get(resource.Address{Kind: "ad_group",
			Key: key}).Value("context_hints").String(); got != want {
			t.Errorf("hints of %s = %s, want %s", key, got, want)
		}
	}
	if d.Snapshot.Len() != 4 {
		t.Errorf("%d resources, want 4", d.Snapshot.Len())
	}
}

func TestEntriesOfOneListInTwoFiles(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.csv": campaignsCSV, "b.csv": adGroupsCSV,
		"hints 1.csv": "Campaign,Ad group,Hint,Use\nspring,Runners,boots,avoid\nspring,Walkers,x,\nspring,Walkers,y,\n",
		"hints 2.csv": "Campaign,Ad group,Hint,Use\nspring,Runners,heels,avoid\n",
	})
	d := load(t, dir)
	wantProblems(t, d.Problems,
		"hints 1.csv:2:16: exclusion hints of ad_group/spring/runners "+
			"are here and at hints 2.csv:2:16; want them in one place",
		`hints 1.csv:3:8: ad_group is "Walkers", and no source has such an ad group of campaign/spring`)
	for _, s := range d.Sources {
		if s.Rows.Read != s.Rows.Used+s.Rows.Ignored+s.Rows.Failed {
			t.Errorf("rows of %s = %+v do not add up", s.File, s.Rows)
		}
	}
}

func TestATableThatIsNoSource(t *testing.T) {
	files := map[string]string{"campaigns.csv": campaignsCSV, "figures.csv": "day,clicks\n1,2\n"}
	d := load(t, folder(t, files))
	wantProblems(t, d.Problems, "figures.csv: warning: file is not read: neither the name nor the header")
	if d.Snapshot.Len() != 1 {
		t.Errorf("%d resources, want 1", d.Snapshot.Len())
	}
	files["adsync.yaml"] = "sources: ['*.csv']\n"
	wantProblems(t, load(t, folder(t, files)).Problems, "figures.csv: neither the name nor the header")
	files["groups.yaml"] = "kind: ad_group\ncampaign: spring\nname: Runners\ncontext_hints: [{file: figures.csv}]\n"
	files["adsync.yaml"] = "sources: ['*.csv', '*.yaml']\n"
	wantClean(t, load(t, folder(t, files)))
}

func TestProblemsOfACSVPrintWithTheirLine(t *testing.T) {
	dir := folder(t, map[string]string{"campaigns.csv": "Campaign\tBidding\tStatus\nGrün\tclicks\tactve\n"})
	content, err := os.ReadFile(filepath.Join(dir, "campaigns.csv"))
	must(t, err)
	write(t, filepath.Join(dir, "campaigns.csv"), "\xff\xfe"+utf16le(string(content)))
	p, _ := config.ReadProject(dir)
	var out strings.Builder
	must(t, diag.Render(&out, load(t, dir).Problems, tree.SourceLine(p)))
	const want = `campaigns.csv:2:13: status is "actve"; want active, paused or archived (ADS1007)
        2 | Grün clicks actve
          |             ^
    hint: did you mean "active"?
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

func utf16le(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// FuzzReadCSV holds that no bytes make the reader panic, stand outside the file
// or lose a row.
func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{campaignsCSV, adGroupsCSV, adsCSV, "sep=;\nKind;Campaign\nad;x\n",
		"\xff\xfea\x00", "Hint,Campaign,Ad group\na,b,c\n", "basics;mud\na\n", "Kind\tCampaign\tHint\n\"\n"} {
		for name := range 4 {
			f.Add(name, []byte(seed))
		}
	}
	names := []string{"campaigns.csv", "x.csv", "hint-lists.csv", "spend limits.tsv"}
	f.Fuzz(func(t *testing.T, name int, content []byte) {
		got := table.ReadCSV(context.Background(), names[uint(name)%4], content, workbookInput())
		if r := got.Rows; r.Read != r.Used+r.Ignored+r.Failed {
			t.Fatalf("rows do not add up: %+v", r)
		}
		if got.Rows.Failed > 0 && !diag.HasErrors(got.Problems) {
			t.Fatalf("%d rows failed without an error", got.Rows.Failed)
		}
		lines := 1 + strings.Count(string(content), "\n") + strings.Count(string(content), "\r")
		for _, p := range got.Problems {
			if p.Position.Line() < 0 || p.Position.Line() > lines ||
				p.Position.Column() > len(content)+1 || p.Position.Line() == 0 && p.Position.Column() > 0 {
				t.Fatalf("problem stands at %v of %d lines", p.Position, lines)
			}
		}
	})
}
