package sources_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"

	"github.com/xuri/excelize/v2"
)

const (
	amountSuch = "an amount such as 25.00 USD"
	leave      = "leave the cell blank (in YAML: leave the line out), and adsync leaves the setting as it is"
	twoWays    = "which can be read in more than one way; want a decimal point and nothing between thousands (ADS1004)"
)

// slip is what somebody typed, with what is said of it and what to type.
type slip struct{ attribute, text, message, hint string }

var typedValues = []slip{
	{attribute: "budget.daily", text: "5k", message: `amount is "5k", a short form; want all of its digits (ADS1004)`,
		hint: "write 5000"},
	{attribute: "budget.daily",
		text: "1.5K", message: `amount is "1.5K", a short form; want all of its digits (ADS1004)`, hint: "write 1500"},
	{attribute: "budget.daily", text: "2,5 Mio",
		message: `amount is "2,5 Mio", a short form; want all of its digits (ADS1004)`, hint: "write 2500000"},
	{attribute: "budget.daily", text: "$5k", message: `amount is "$5k", a short form; want all of its digits (ADS1004)`,
		hint: "write 5000"},
	{attribute: "budget.daily", text: "50/day",
		message: `amount is "50/day", with what it is for; want the amount alone (ADS1004)`, hint: "write 50"},
	{attribute: "budget.daily", text: "$50 per day",
		message: `amount is "$50 per day", with what it is for; want the amount alone (ADS1004)`,
		hint:    "write 50"},
	{attribute: "budget.daily", text: "12,50 pro Tag",
		message: `amount is "12,50 pro Tag", with what it is for; want the amount alone (ADS1004)`,
		hint:    "write 12.50"},
	{attribute: "budget.daily", text: "~50",
		message: `amount is "~50", with a word or a sign; want the amount alone (ADS1004)`, hint: "write 50"},
	{attribute: "budget.daily",
		text: "max 50", message: `amount is "max 50", with a word or a sign; want the amount alone (ADS1004)`,
		hint: "write 50"},
	{attribute: "budget.daily", text: "50-60", message: `amount is "50-60", which are two; want one amount (ADS1004)`,
		hint: "write the higher one: it is the most that is spent"},
	{attribute: "budget.daily", text: "n/a", message: `amount is "n/a"; want ` + amountSuch + `, or nothing (ADS1004)`,
		hint: leave},
	{attribute: "budget.daily", text: "TBD", message: `amount is "TBD"; want ` + amountSuch + `, or nothing (ADS1004)`,
		hint: leave},
	{attribute: "budget.daily", text: "no limit", message: `amount is "no limit"; want ` +
		amountSuch + `, or nothing (ADS1004)`, hint: leave},
	{attribute: "budget.daily", text: "10%", message: `amount is "10%", a percentage; want ` +
		amountSuch + ` (ADS1004)`,
		hint: "write what it comes to"},
	{attribute: "budget.daily", text: "-5", message: `amount is "-5", which is below zero; want ` +
		amountSuch + ` (ADS1004)`,
		hint: "take the minus or the brackets away if the amount is meant"},
	{attribute: "budget.daily", text: "(5.00)", message: `amount is "(5.00)", which is below zero; want ` +
		amountSuch + ` (ADS1004)`,
		hint: "take the minus or the brackets away if the amount is meant"},
	{attribute: "budget.daily", text: "12,50", message: `amount is "12,50", ` + twoWays, hint: "write 12.50"},
	{attribute: "budget.daily", text: "1,234", message: `amount is "1,234", ` + twoWays, hint: "write 1234 or 1.234"},
	{attribute: "budget.daily", text: "1.234,50", message: `amount is "1.234,50", ` + twoWays, hint: "write 1234.50"},
	{attribute: "budget.daily", text: "1 234", message: `amount is "1 234", ` + twoWays, hint: "write 1234"},
	{attribute: "budget.daily", text: "50,-", message: `amount is "50,-", ` + twoWays, hint: "write 50.00"},
	{attribute: "budget.daily", text: "50 €", message: `amount is "50 €"; want the account's currency USD (ADS1004)`,
		hint: "write what it comes to in USD"},
	{attribute: "budget.daily",
		text: "EUR 50", message: `amount is "EUR 50"; want the account's currency USD (ADS1004)`,
		hint: "write what it comes to in USD"},
	{attribute: "budget.daily", text: "5O",
		message: `amount is "5O"; want units of the account's currency such as 25.00 USD (ADS1004)`, hint: ""},

	{attribute: "start", text: "01/02/2027", message: `date is "01/02/2027", which can be read ` +
		`as 2 January 2027 or 1 February 2027; want it as year-month-day (ADS1009)`,
		hint: "write 2027-01-02 or 2027-02-01"},
	{attribute: "end", text: "1-2-27", message: `date is "1-2-27", which can be read ` +
		`as 2 January 2027 or 1 February 2027; want it as year-month-day (ADS1009)`,
		hint: "write 2027-01-02 or 2027-02-01"},
	{attribute: "start", text: "13/02/2027", message: `date is "13/02/2027"; want a day such as 2026-12-01 (ADS1009)`,
		hint: "write 2027-02-13"},
	{attribute: "start", text: "02/02/2027", message: `date is "02/02/2027"; want a day such as 2026-12-01 (ADS1009)`,
		hint: "write 2027-02-02"},
	{attribute: "start", text: "01.02.2027", message: `date is "01.02.2027"; want a day such as 2026-12-01 (ADS1009)`,
		hint: "write 2027-02-01"},
	{attribute: "start", text: "1 Feb 2027", message: `date is "1 Feb 2027"; want a day such as 2026-12-01 (ADS1009)`,
		hint: "write 2027-02-01"},
	{attribute: "start", text: "n/a", message: `date is "n/a"; want a day such as 2026-12-01, or nothing (ADS1009)`,
		hint: leave},
	{attribute: "start", text: "asap", message: `date is "asap"; want a day such as 2026-12-01 (ADS1009)`, hint: ""},
	{attribute: "start", text: "2027-02-30",
		message: `date is "2027-02-30", which no calendar has; want a day such as 2026-12-01 (ADS1009)`, hint: ""},
	{attribute: "start", text: "2027-13-01",
		message: `date is "2027-13-01", which no calendar has; want a day such as 2026-12-01 (ADS1009)`,
		hint:    "write 2027-01-13 if day and month are swapped"},

	{attribute: "targeting.countries", text: "Narnia",
		message: `country is "Narnia"; want a two-letter code such as US, or the country's name (ADS1007)`, hint: ""},
	{attribute: "targeting.countries", text: "Germny", message: `country is "Germny"; ` +
		`want a two-letter code such as US, or the country's name (ADS1007)`, hint: `did you mean "DE"?`},
	{attribute: "targeting.countries", text: "worldwide", message: `country is "worldwide"; ` +
		`want a two-letter code such as US, or the country's name (ADS1007)`, hint: "a new campaign without " +
		"countries runs in all of them: leave the cell blank; [clear] (in YAML: null) takes away those one has"},
	{attribute: "targeting.countries", text: "EU",
		message: `country is "EU"; want a two-letter code such as US, or the country's name (ADS1007)`,
		hint:    "list its countries"},

	{attribute: "description", text: "SchÃ¶ne Schuhe", message: `value is "SchÃ¶ne Schuhe", ` +
		`which is "Schöne Schuhe" read in the wrong encoding; want "Schöne Schuhe" (ADS1011)`, hint: "write Schöne " +
		"Schuhe, or take the text again from where it came, and save that as UTF-8 (of a CSV file: CSV UTF-8)"},
}

var typedHeaders = map[string]string{
	"budget.daily": "Daily budget", "start": "Start date",
	"end": "Last day", "targeting.countries": "Countries", "description": "Description",
}

func (c slip) yaml() string {
	if group, name, nested := strings.Cut(c.attribute, "."); nested {
		return fmt.Sprintf("%s: {%s: %q}\n", group, name, c.text)
	}
	return fmt.Sprintf("%s: %q\n", c.attribute, c.text)
}

// TestEachSlipSaysWhatToType has what people type in place of a value, in every format
// with the same words.
func TestEachSlipSaysWhatToType(t *testing.T) {
	for _, c := range typedValues {
		for format, files := range map[string]map[string]string{
			"workbook": {"q4.xlsx": string(bookOf(t, sheetOf{name: "Campaigns",
				rows: [][]any{{"Campaign", "Bidding", typedHeaders[c.attribute]}, {"Spring", "clicks", c.text}}}))},
			"CSV": {"campaigns.csv": "Campaign,Bidding," +
				typedHeaders[c.attribute] + "\nSpring,clicks,\"" + c.text + "\"\n"},
			"YAML": {"ads.yaml": springCampaign + c.yaml()},
		} {
			files["adsync.yaml"] = "account: {id: acct_1, currency: USD, timezone: UTC}\n"
			t.Run(c.text+" in "+format, func(t *testing.T) {
				d := load(t, folder(t, files))
				if len(d.Problems) != 1 || !strings.HasSuffix(d.Problems[0].String(), ": "+c.message) ||
					d.Problems[0].Hint != c.hint {
					t.Errorf("Load found\n%shint %q\nwant   %s\nhint %q",
						printed(d.Problems), d.Problems[0].Hint, c.message, c.hint)
				}
			})
		}
	}
}

// TestCountriesByTheirNames has the forms of names people write.
func TestCountriesByTheirNames(t *testing.T) {
	for _, c := range []struct{ text, want string }{{"UK", `["GB"]`}, {"U.K., USA", `["GB" "US"]`},
		{"Deutschland; España; 中国; Россия", `["CN" "DE" "ES" "RU"]`}, {"Espan\u0303a", `["ES"]`}, {"DEU", `["DE"]`}} {
		for format, files := range map[string]map[string]string{
			"workbook": {"q4.xlsx": string(bookOf(t,
				sheetOf{
					name: "Campaigns", rows: [][]any{{"Campaign", "Bidding", "Countries"},
						{"Spring", "clicks", c.text}},
				}))},
			"CSV":  {"campaigns.csv": "Campaign,Bidding,Countries\nSpring,clicks,\"" + c.text + "\"\n"},
			"YAML": {"ads.yaml": springCampaign + "targeting: {countries: \"" + c.text + "\"}\n"},
		} {
			if got := valueOf(t, wantClean(t, load(t, folder(t, files))),
				"campaign/spring", "targeting.countries").String(); got != c.want {
				t.Errorf("%s in %s = %s, want %s", c.text, format, got, c.want)
			}
		}
	}
}

func TestANegativeNumberIsShownAsItIs(t *testing.T) {
	runCellCases(t, []cellCase{
		{name: "a number below zero", header: "Daily budget", set: storedNumber("-5", "0.00"),
			want: "", problem: `Campaigns!C2: amount is "-5", which is below zero; want ` + amountSuch + " (ADS1004)"},
		{name: "with decimals", header: "Daily budget",
			set: storedNumber("-5.25", "0.00"), want: "", problem: `amount is "-5.25", which is below zero`},
		{name: "a percentage", header: "Daily budget", set: storedNumber("0.1", "0%"),
			want: "", problem: "cell holds a percentage (the number 0.1); want an amount such as 25.00"},
	})
}

// TestAddressesThatWereTyped has addresses with a slip, and what to type.
func TestAddressesThatWereTyped(t *testing.T) {
	for _, c := range []struct{ address, want, hint string }{
		{"https://shop.example/my page", `target_url is ` +
			`"https://shop.example/my page", which has a space in it; want one http or https address without (ADS1010)`,
			"write https://shop.example/my%20page, or https://shop.example/mypage if the space slipped in"},
		{"https://a.example https://b.example", `target_url is "https://a.example ` +
			`https://b.example", which has a space in it; want one http or https address without (ADS1010)`,
			"write one address, and the others in rows of their own"},
		{"shop.example/trail", `target_url is "shop.example/trail"; want an http or https address (ADS1010)`,
			"write https://shop.example/trail"},
		{"see brief", `target_url is "see brief", ` +
			`which has a space in it; want one http or https address without (ADS1010)`, ""},
	} {
		ad := fmt.Sprintf("    ads:\n      - {key: "+
			"a, title: Shoes, body: Light., target_url: %q, image: \"https://i.example/a.png\"}\n", c.address)
		sheet := sheetOf{name: "Ads", rows: [][]any{{"Campaign", "Ad group", "Title", "Body", "Target URL", "Image"},
			{"Spring", "Runners", "Shoes", "Light.", c.address, "https://i.example/a.png"}}}
		group := springCampaign + "ad_groups:\n  - name: Runners\n    bid: {max: 1}\n"
		for format, files := range map[string]map[string]string{
			"YAML": {"a.yaml": group + ad}, "workbook": {"a.yaml": group, "q4.xlsx": string(bookOf(t, sheet))},
		} {
			d := load(t, folder(t, files))
			if len(d.Problems) != 1 || !strings.HasSuffix(d.Problems[0].String(), c.want) ||
				d.Problems[0].Hint != c.hint {
				t.Errorf("%s in %s: Load found\n%shint %q", c.address, format, printed(d.Problems), d.Problems[0].Hint)
			}
		}
	}
}

// TestRowsThatAreNoResources has what people keep around their data.
func TestRowsThatAreNoResources(t *testing.T) {
	header := []any{"Campaign", "Bidding", "Daily budget", "Start date"}
	spring, summer := []any{"Spring", "clicks", 50, "2026-12-01"}, []any{"Summer", "clicks", 60, "2027-06-01"}
	const total, again = "row is taken for a total and not read (ADS1023)",
		"row is the header again and not read (ADS1023)"
	for _, c := range []struct {
		name string
		rows [][]any
		want string
		read bool // both campaigns are
	}{
		{"a total", [][]any{header, spring, summer, {"Total", nil, 110}}, "Campaigns!4: warning: " + total, true},
		{"a total in German", [][]any{header, spring, summer, {"Gesamtsumme:", nil, 110}},
			"Campaigns!4: warning: " + total, true},
		{"a total below a blank row", [][]any{header, spring, summer, {nil}, {nil, "TOTAL BUDGET", 110}},
			"Campaigns!5: warning: " + total, true},
		{"a campaign called Total", [][]any{header, spring, {"Total", "clicks", 60}}, "", false},
		{"the header twice", [][]any{header, header, spring, summer}, "Campaigns!2: warning: " + again, true},
		{"the header once more below", [][]any{header, spring, header, summer}, "Campaigns!3: warning: " + again, true},
		{"a header of two rows", [][]any{{"Campaign", "Bidding", "Daily budget"}, {nil, nil, "Start date"},
			spring[:3], summer[:3]}, "Campaigns!2: header stands in rows 1 and 2; want it in one row (ADS1011)", true},
		{"another table beneath", [][]any{header, spring, {"Campaign", "Daily budget", "Bidding"}, summer},
			"Campaigns!3: row has headers " +
				"in it, and the header is in row 1; want one header, and below it rows of one table (ADS1011)", true},
		{"a header with a line break",
			[][]any{{"Campaign", "Bidding\ntype", "Daily\nbudget\n(USD)", "Start\ndate"}, spring, summer}, "", true},
		{"an unknown header with a line break", [][]any{{"Campaign", "Bidding", "Daily budget", "Owner of\nit"},
			{"Spring", "clicks", 50, "Anna"}, {"Summer", "clicks", 60, "Boris"}},
			`Campaigns!D1: warning: header is "Owner of it"`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := load(t, folder(t, map[string]string{
				"q4.xlsx": string(bookOf(t, sheetOf{name: "Campaigns", rows: c.rows})),
			}))
			if c.want == "" {
				wantClean(t, d)
			} else if len(d.Problems) != 1 || !strings.Contains(d.Problems[0].String(), c.want) ||
				d.Problems[0].Hint == "" {
				t.Errorf("Load found\n%swant %s with a hint", printed(d.Problems), c.want)
			}
			if c.read && d.Snapshot.Len() != 2 {
				t.Errorf("%d campaigns are read, want 2", d.Snapshot.Len())
			}
		})
	}
	csv := "Campaign,Bidding,Daily budget\nSpring,clicks,50\nTotal,,50\nCampaign,Bidding,Daily budget\n"
	d := load(t, folder(t, map[string]string{"campaigns.csv": csv}))
	wantProblem(t, d, "campaigns.csv:3:1: warning: "+total)
	wantProblem(t, d, "campaigns.csv:4:1: warning: "+again)
	sum := readBytes(rebuild(t, bookOf(t, sheetOf{name: "Campaigns", rows: [][]any{header, spring, {nil, nil, "x"}}}),
		"xl/worksheets/sheet1.xml",
		func(b []byte) []byte { return replaceCell(t, b, "C3", `<c r="C3"><f>SUM(C2:C2)</f><v>50</v></c>`) }))
	wantProblems(t, sum.Problems, "Campaigns!3: warning: "+total)
}

func TestWorkbooksOfOtherFormsAreNamed(t *testing.T) {
	for end, what := range map[string]string{
		"xlsm": "a workbook with macros", "xlsb": "a binary workbook",
		"ods": "an OpenDocument file", "xls": "an old workbook", "numbers": "a Numbers document",
	} {
		book := string(bookOf(t, campaignsSheet))
		for glob, want := range map[string]string{
			"sources: [\"*." + end + "\"]\n": "q4." +
				end + ": file is " + what + " and cannot be read; want a workbook (.xlsx) (ADS1001)",
			"": "q4." +
				end + ": warning: file is " + what + " and is not read; want a workbook (.xlsx) (ADS1001)",
		} {
			files := map[string]string{
				"adsync.yaml": glob + "own_columns: [x]\n", "q4." + end: book, "a.yaml": springCampaign,
			}
			d := load(t, folder(t, files))
			if len(d.Problems) != 1 || d.Problems[0].String() != want ||
				!strings.HasPrefix(d.Problems[0].Hint, "save it as .xlsx: File, Save As, Excel Workbook") {
				t.Errorf("Load found\n%swant %s, and how to save it", printed(d.Problems), want)
			}
		}
	}
}

// TestDaysOfAColumnThatShowsDaysAreRead has days whose cells name no style, as
// Gnumeric writes them: the style is the column's.
func TestDaysOfAColumnThatShowsDaysAreRead(t *testing.T) {
	column := func(content []byte) []byte {
		sheet := replaced("<sheetData>", `<cols><col min="3" max="4" style="1" width="12"/></cols><sheetData>`)(content)
		return replaceCell(t, sheet, "C2", `<c r="C2"><v>46357</v></c>`)
	}
	content := bookWith(t, func(f *excelize.File) {
		format := "yyyy-mm-dd"
		_, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		must(t, err)
	}, sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding", "Start date"}, {"Spring", "clicks", "x"}}})
	got := readBytes(rebuild(t, content, "xl/worksheets/sheet1.xml", column))
	wantProblems(t, got.Problems)
	wantDrafts(t, got.Drafts, `campaign bidding_type="clicks" name="Spring" start="2026-12-01"`)
}

// TestMojibakeInAWorkbookIsRefused has a name that went through the wrong encoding.
func TestMojibakeInAWorkbookIsRefused(t *testing.T) {
	d := load(t, folder(t, map[string]string{
		"q4.xlsx": string(bookOf(t, sheetOf{
			name: "Campaigns", rows: [][]any{{"Campaign", "Bidding"}, {"FrÃ¼hling", "clicks"}},
		})),
	}))
	wantRefused(t, d, `q4.xlsx:Campaigns!A2: value is `+
		`"FrÃ¼hling", which is "Frühling" read in the wrong encoding; want "Frühling" (ADS1011)`)
	if !diag.HasErrors(d.Problems) || d.Snapshot.Len() != 0 {
		t.Error("a garbled name is used, want none")
	}
}
