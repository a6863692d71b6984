package sources_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/workbook"
)

// wholeCampaign is a row with a value in every column people rename.
var wholeCampaign = [][]any{
	{"Campaign", "Status", "Bidding", "Daily budget (USD)", "Start date", "Last day", "Countries", "Tracking", "Key"},
	{"Spring", "active", "clicks", 50, "2026-12-01", "2026-12-31", "US, CA", "utm_source=chat", "spring"},
	{"Summer", "paused", "clicks", 60, "2027-06-01", "2027-06-30", "NO", "utm_source=chat", "summer"},
}

// strangeWords are headers nobody told adsync of, in three languages.
var strangeWords = []string{
	"Ultimo", "Over by", "Nations", "Selling in", "Spend per 24 h",
	"Landing", "Switch", "Wert", "Enddatum", "Laufzeit bis", "Länder", "Zielmarkt", "Tagesbudget",
	"Zustand", "Fin", "Date de fin", "Pays", "Budget quotidien", "État", "Suivi",
}

// TestARenamedColumnIsNeverDroppedUnsaid renames each column of a sheet to words
// adsync does not know: nothing of it goes unread without a word.
func TestARenamedColumnIsNeverDroppedUnsaid(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	asErrors := []string{"Status", "Daily budget (USD)", "Start date", "Last day", "Countries", "Tracking"}
	for number, header := range wholeCampaign[0] {
		for _, word := range strangeWords {
			sheet := slices.Clone(wholeCampaign)
			sheet[0] = slices.Clone(sheet[0])
			sheet[0][number] = word
			for _, file := range []map[string]string{
				{"q4.xlsx": string(bookOf(t, sheetOf{name: "Campaigns", rows: sheet}))},
				{"campaigns.csv": asCSV(sheet)},
			} {
				d := load(t, folder(t, file))
				named := slices.ContainsFunc(d.Unread, func(u diag.Unread) bool {
					return u.Column == word && u.Values == 2
				})
				if said := printed(d.Problems); !named &&
					!strings.Contains(said, word) && !strings.Contains(said, "has no") {
					t.Errorf("%s renamed %s: not in the report:\n%s%v", header, word, said, d.Unread)
				}
				if slices.Contains(asErrors, header.(string)) && !diag.HasErrors(d.Problems) {
					t.Errorf("%s renamed %s is no error:\n%s", header, word, printed(d.Problems))
				}
			}
		}
	}
}

func asCSV(rows [][]any) string {
	var b strings.Builder
	for _, row := range rows {
		for i, value := range row {
			if i > 0 {
				b.WriteString(",")
			}
			if text, ok := value.(string); ok {
				b.WriteString(`"` + text + `"`)
			} else {
				b.WriteString("50.00")
			}
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

func TestColumnsOfTheUsersOwn(t *testing.T) {
	sheet := sheetOf{name: "Campaigns", rows: [][]any{
		{"Campaign", "Bidding", "Daily budget", "#Ends", "Fällig", "Owner", "Notes"},
		{"Spring", "clicks", 50, "2026-12-31", "2026-12-31", "Ann", "a note"},
	}}
	d := load(t, folder(t, map[string]string{"q4.xlsx": string(bookOf(t, sheet))}))
	wantProblem(t, d, `q4.xlsx:Campaigns!E1: header `+
		`is "Fällig", and 1 value under it could be Last day or Start date; want one adsync knows (ADS1005)`)
	wantProblem(t, d, `q4.xlsx:Campaigns!F1: warning: `+
		`header is "Owner", which adsync does not know: 1 value is not read (ADS1023)`)
	for i, line := range []string{`own_columns: ["Fällig", "Owner"]`, `own_columns: ["Owner"]`} {
		if hint := d.Problems[i].Hint; !strings.HasSuffix(hint, "or write in adsync.yaml: "+line) {
			t.Errorf("hint = %q, want the line to paste: %s", hint, line)
		}
	}
	d = wantClean(t, load(t, folder(t, map[string]string{
		"q4.xlsx": string(bookOf(t, sheet)), "adsync.yaml": "own_columns: [\"Fällig\", \"Owner\"]\n",
	})))
	want := []string{`q4.xlsx: Campaigns: not read: ` +
		`"#Ends" (1 value), "Fällig" (1 value), "Owner" (1 value), "Notes" (1 value)`}
	if got := diag.UnreadLines(d.Unread); !slices.Equal(got, want) {
		t.Errorf("UnreadLines = %q, want %q", got, want)
	}
}

// TestASheetOfAnotherNameIsNeverDroppedUnsaid renames the sheet of ads.
func TestASheetOfAnotherNameIsNeverDroppedUnsaid(t *testing.T) {
	ads := [][]any{
		{"Campaign", "Ad group", "Title", "Body", "Target URL", "Image"},
		{"Spring launch", "Runners", "Shoes", "Light.", "https://shop.example", "https://i.example/a.png"},
	}
	for _, name := range []string{"Ads Q1", "Ads (2)", "Copy of Ads", "Anzeigen", "Sheet1", "Annonces", "IDs"} {
		d := load(t, folder(t, map[string]string{
			"q4.xlsx": string(bookOf(t, campaignsSheet, adGroupsSheet, sheetOf{name: name, rows: ads})),
		}))
		wantProblem(t, d, "q4.xlsx:"+name)
		wantProblem(t, d, "looks like Ads and is not read: 1 row")
		if !strings.Contains(d.Problems[0].Hint, `sheets: {ads: ["`+name+`"]}`) {
			t.Errorf("%s: hint = %q, want the line for adsync.yaml", name, d.Problems[0].Hint)
		}
		own := load(t, folder(t, map[string]string{
			"q4.xlsx": string(bookOf(t, campaignsSheet, adGroupsSheet, sheetOf{name: "#" + name, rows: ads})),
		}))
		wantClean(t, own)
		if !slices.Contains(diag.UnreadLines(own.Unread), "q4.xlsx: #"+name+": sheet is not read (2 rows)") {
			t.Errorf("#%s: %q, want the sheet among what is not read", name, diag.UnreadLines(own.Unread))
		}
	}
	second := slices.Clone(ads)
	second[1] = []any{"Spring launch", "Runners", "Boots", "Light.", "https://shop.example", "https://i.example/b.png"}
	d := wantClean(t, load(t, folder(t, map[string]string{
		"q4.xlsx": string(bookOf(t, campaignsSheet,
			adGroupsSheet, sheetOf{name: "Ads Q1", rows: ads}, sheetOf{name: "Ads Q2", rows: second})),
		"adsync.yaml": "sheets: {ads: [Ads Q1, Ads Q2]}\n",
	})))
	if n := d.Snapshot.Len(); n != 4 {
		t.Errorf("two sheets of ads give %d resources in all, want 4", n)
	}
}

func TestASheetWithASimilarNameAloneIsTheUsers(t *testing.T) {
	for _, name := range []string{"IDs", "Campaign plan", "Add"} {
		for _, header := range [][]any{{"Who", "What"}, {"Name", "Phone"},
			{"Task", "Status"}, {"Name", "Status", "Until"}, {"Status", "URL"}, {"Amount", "From", "To"}} {
			sheet := sheetOf{name: name, rows: [][]any{header, {"Ann", "x"}}}
			d := wantClean(t, load(t, folder(t, map[string]string{
				"q4.xlsx": string(bookOf(t, campaignsSheet, sheet)),
			})))
			if len(diag.UnreadLines(d.Unread)) != 1 {
				t.Errorf("%s, %v: %q, want one line", name, header, diag.UnreadLines(d.Unread))
			}
		}
	}
}

func TestTheWordsOfSheetsAreThoseOfTheForms(t *testing.T) {
	for _, f := range append(catalog.FormsOf(kinds.All()), catalog.Form{Title: config.HintListsTab}) {
		if !slices.Contains(config.SheetKinds, config.SheetKind(f.Title)) {
			t.Errorf("sheets in adsync.yaml takes no %s", config.SheetKind(f.Title))
		}
	}
}

// TestAWorkbookOfAnotherAccountIsRefused writes a template for one account and
// reads it as that of another.
func TestAWorkbookOfAnotherAccountIsRefused(t *testing.T) {
	ofAccount := func(id string) string {
		return string(writtenBy(t, func(w io.Writer) error {
			return workbook.WriteTemplate(w, kinds.All(), config.Account{ID: id, Currency: "USD", TimeZone: "UTC"})
		}))
	}
	files := map[string]string{
		"q4.xlsx": ofAccount("adacct_2"), "ads.yaml": springCampaign,
		"adsync.yaml": "account: {id: adacct_1, currency: USD}\n",
	}
	wantRefused(t, load(t, folder(t, files)),
		"q4.xlsx: workbook was written for the account adacct_2; want one of adacct_1, as adsync.yaml says (ADS2006)")
	files["q4.xlsx"] = ofAccount("adacct_1")
	wantClean(t, load(t, folder(t, files)))
	files["adsync.yaml"] = "account: {currency: USD}\n"
	if d := wantClean(t, load(t, folder(t, files))); d.WrittenFor != "adacct_1" {
		t.Errorf("WrittenFor = %q, want adacct_1, which is held against the service", d.WrittenFor)
	}
	files["q5.xlsx"] = ofAccount("adacct_2")
	wantRefused(t, load(t, folder(t, files)),
		"q5.xlsx: workbook was written for the account adacct_2, and another for adacct_1")
}
