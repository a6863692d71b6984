package resource

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
)

var env = Env{Currency: "USD", Zone: time.UTC}

func TestScalarsBecomeCanonical(t *testing.T) {
	status := Attribute{
		Name: "status", Type: TypeChoice,
		Choices: []Choice{{Value: "active", Synonyms: []string{"enabled"}}, {Value: "paused"}},
	}
	title := Attribute{Name: "title", Type: TypeText, Min: 3, Max: 5}
	for _, row := range []struct {
		name      string
		attribute Attribute
		text      string
		want      Value
	}{
		{"nothing", title, " \u00a0\u200b\t", Value{}},
		{"trimmed", title, "\u00a0abc ", Text("abc")},
		{"characters are counted, not bytes", title, "äöüßé", Text("äöüßé")},
		{"a choice without case and space", status, " Act ive", Text("active")},
		{"a synonym", status, "Enabled", Text("active")},
		{"money", Attribute{Type: TypeMoney}, "1.25", Number(1_250_000)},
		{"a day", Attribute{Type: TypeDay}, "2027-03-01", Text("2027-03-01")},
		{"an address", Attribute{Type: TypeURL}, "https://e.example/a?b=c", Text("https://e.example/a?b=c")},
		{"a template", Attribute{Type: TypeQuery}, "a={campaign_id}&b={ad_id}", Text("a={campaign_id}&b={ad_id}")},
		{"a path", Attribute{Type: TypeImage}, "images/a.png", Text("images/a.png")},
		{"an object in any order", Attribute{Type: TypeObject}, `{"b": 1.50, "a": [1]}`, Text(`{"a":[1],"b":1.5}`)},
	} {
		got, finding := row.attribute.Parse(row.text, env)
		if finding != nil || !got.Equal(row.want) {
			t.Errorf("%s: Parse(%q) = %v, %v; want %v", row.name, row.text, got, finding, row.want)
		}
	}
}

func TestScalarsThatCannotBeTakenSayWhatIsWanted(t *testing.T) {
	status := Attribute{
		Name: "status", Type: TypeChoice, Choices: []Choice{{Value: "active"}, {Value: "paused"}, {Value: "archived"}},
	}
	for _, row := range []struct {
		attribute Attribute
		text      string
		code      diag.Code
		words     string
	}{
		{status, "actve", diag.BadChoice, `status is "actve"; want active, paused or archived`},
		{Attribute{Name: "title", Max: 3}, "abcd", diag.TooLong, "title has 4 characters; want at most 3"},
		{Attribute{Name: "name", Min: 3}, "ab", diag.TooLong, "name has 2 characters; want at least 3"},
		{Attribute{Name: "b", Type: TypeMoney, Min: 1_000_000}, "0.5", diag.BadMoney, "b is 0.50; want at least 1.00"},
		{Attribute{Type: TypeDay}, "03/04/2027", diag.BadDate,
			`date is "03/04/2027", which can be read as 4 March 2027 or 3 April 2027; want it as year-month-day`},
		{Attribute{Type: TypeDay}, "2027-02-30", diag.BadDate, "want a day"},
		{Attribute{Type: TypeDay}, "1999-12-31", diag.BadDate, "2000-01-01"},
		{Attribute{Name: "u", Type: TypeURL}, "javascript:alert(1)", diag.BadURL, "want an http or https address"},
		{Attribute{Name: "u", Type: TypeURL}, "shop.example", diag.BadURL, "want an http or https address"},
		{Attribute{Name: "i", Type: TypeImage}, "ftp://e.example/a.png", diag.BadURL, "want an http or https address"},
		{Attribute{Type: TypeQuery}, "a=b#c", diag.BadValue, "want key=value"},
		{Attribute{Type: TypeQuery}, "a=b\nc=d", diag.BadValue, "line break"},
		{Attribute{Type: TypeQuery}, "a={campain_id}", diag.BadValue, "{campaign_id}"},
		{Attribute{Type: TypeID}, "cmpn 1", diag.BadValue, "want an id"},
		{Attribute{Type: TypeObject}, "[1]", diag.BadValue, "want a JSON object"},
	} {
		got, finding := row.attribute.Parse(row.text, env)
		if finding == nil || finding.Code != row.code ||
			!strings.Contains(finding.Message, row.words) || !got.IsAbsent() {
			t.Errorf("Parse(%q) = %v, %+v; want %s with %q", row.text, got, finding, row.code, row.words)
		}
	}
}

func TestListsBecomeCanonical(t *testing.T) {
	countries, hints := Attribute{Name: "countries", Type: TypeRegion},
		Attribute{Name: "hints", Type: TypeHints, Max: 3}
	got, findings := countries.ParseList(countries.Split("us, Norway;NO|Côte d’Ivoire"))
	if want := List([]string{"CI", "NO", "US"}); len(findings) != 0 || !got.Equal(want) {
		t.Errorf("countries = %v, %v; want %v", got, findings, want)
	}
	got, findings = hints.ParseList(hints.Split("people, who run\n\n people who hike \npeople, who run"))
	if want := List([]string{"people, who run", "people who hike"}); len(findings) != 0 || !got.Equal(want) {
		t.Errorf("hints = %v, %v; want %v", got, findings, want)
	}
	if _, findings = hints.ParseList([]string{"a", "b", "c", "d"}); len(findings) != 1 || findings[0].Index != -1 {
		t.Errorf("four hints of at most three: %v; want one finding of the list", findings)
	}
	if _, findings = countries.ParseList([]string{"US", "XX", "Germny"}); len(findings) != 2 ||
		findings[1].Hint != `did you mean "DE"?` {
		t.Errorf("two bad countries: %+v; want both, and a hint", findings)
	}
}

func TestEveryCountryIsKnownByCodeAndName(t *testing.T) {
	if n := len(countryCodes()); n != 250 {
		t.Errorf("%d countries; want the 249 of ISO 3166-1 and Kosovo", n)
	}
	names := maps.Clone(foreignNames())
	maps.Copy(names, englishNames()) // what is English counts first
	for name, code := range names {
		if got, finding := parseCountry(name); finding != nil || got != code {
			t.Errorf("ParseCountry(%q) = %q, %v; want %q", name, got, finding, code)
		}
	}
}

// Days are the account's: the edges move with its time zone and its summer time.
func TestDaysAreTheAccounts(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range []string{"2027-03-14", "2027-11-07", "2027-01-01"} { // the clocks change on the first two
		start, err := StartSeconds(day, zone)
		if err != nil {
			t.Fatal(err)
		}
		end, err := EndSeconds(day, zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayOf(start, zone); got != day {
			t.Errorf("DayOf(StartSeconds(%s)) = %s", day, got)
		}
		if got := LastDayOf(end, zone); got != day {
			t.Errorf("LastDayOf(EndSeconds(%s)) = %s", day, got)
		}
		if hours := (end - start) / 3600; hours < 23 || hours > 25 {
			t.Errorf("%s has %d hours", day, hours)
		}
	}
	if got := DayOf(1806033600+3600, zone); got != "2027-03-26T05:00:00Z" {
		t.Errorf("a moment between midnights is %s; want the moment itself", got)
	}
}

func TestAbsentNullAndAValueStayThreeThings(t *testing.T) {
	if Null().Equal(Value{}) || Null().Equal(Text("")) || List(nil).Equal(Value{}) {
		t.Error("null, absent, an empty text and an empty list are taken for one another")
	}
	for _, v := range []Value{Null(), Text(""), Text("a\"b"),
		Number(-1), Number(1 << 62), List(nil), List([]string{"a", ""})} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var again Value
		if err := json.Unmarshal(raw, &again); err != nil || !again.Equal(v) {
			t.Errorf("%v came back from %s as %v, %v", v, raw, again, err)
		}
	}
	if _, err := json.Marshal(Value{}); err == nil {
		t.Error("an absent value was written as JSON")
	}
}

func TestParentsStandBeforeTheirChildrenAndTreesTogether(t *testing.T) {
	var s Snapshot
	for _, a := range []string{"ad/a/g/x", "campaign/a-b", "ad_group/a/g", "campaign/a", "ad_group/a-b/g"} {
		address, _ := ParseAddress(a)
		s.Add(&Resource{Address: address})
	}
	var got []string
	for _, a := range s.Addresses() {
		got = append(got, a.String())
	}
	if want := "campaign/a ad_group/a/g ad/a/g/x campaign/a-b ad_group/a-b/g"; strings.Join(got, " ") != want {
		t.Errorf("order is %q; want %q", strings.Join(got, " "), want)
	}
}

func TestSlugsAreStableAndApart(t *testing.T) {
	for name, want := range map[string]string{
		"Spring launch": "spring-launch", "  Été à Paris! ": "ete-a-paris",
		"Größe 42": "grosse-42", "---": "", "a_b": "a-b",
	} {
		if got := Slug(name); got != want {
			t.Errorf("Slug(%q) = %q; want %q", name, got, want)
		}
	}
	if a, b := Slug("春の新作"), Slug("夏の新作"); a == b || !ValidKey(a) || !ValidKey(b) {
		t.Errorf("names without Latin letters are %q and %q; want two keys", a, b)
	}
	for _, key := range []string{"", "a/b", "a b", "é", strings.Repeat("a", 201)} {
		if ValidKey(key) {
			t.Errorf("%q passes for a key", key)
		}
	}
}

func TestHintsStandOnceInListsOfAnyLength(t *testing.T) {
	a := &Attribute{Name: "hints", Type: TypeHints}
	for _, length := range []int{3, 31, 32, 500} {
		items := []string{"again"}
		for i := range length - 2 {
			items = append(items, fmt.Sprint(i))
		}
		v, findings := a.ParseList(append(items, " again"))
		if len(findings) > 0 || len(v.Items()) != length-1 || v.Items()[0] != "again" {
			t.Errorf("ParseList of %d items with one twice gives %d, %v; want %d in their order",
				length, len(v.Items()), findings, length-1)
		}
	}
}
