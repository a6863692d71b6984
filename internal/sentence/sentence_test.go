package sentence

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/golden"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// teller names what the changes of a test name.
func teller(changes ...plan.ChangeDocument) *Teller {
	changes = append([]plan.ChangeDocument{{Address: "campaign/spring", Name: "Spring Sale"},
		{Address: "ad_group/spring/r", Name: "Runners"}}, changes...)
	return &Teller{kinds.All(), words.NamesOf(kinds.All(), changes), "USD"}
}

func changes(at string, fields ...plan.FieldDocument) plan.ChangeDocument {
	a, _ := resource.ParseAddress(at)
	return plan.ChangeDocument{Address: at, Kind: a.Kind, Action: plan.Update, Fields: fields}
}

func field(name string, live, desired resource.Value) plan.FieldDocument {
	return plan.FieldDocument{Name: name, Live: &live, Last: &live, Desired: &desired}
}

func act(action plan.Action, c plan.ChangeDocument) plan.ChangeDocument {
	c.Action = action
	return c
}

func usd(units int64) resource.Value { return resource.Number(units * resource.MicrosPerUnit) }

func list(items ...string) resource.Value { return resource.List(items) }

func text(s string) resource.Value { return resource.Text(s) }

func TestAChangeIsASentence(t *testing.T) {
	none := resource.Value{}
	const spring, hero = "campaign/spring", "ad/spring/r/hero"
	named := func(c plan.ChangeDocument, name string) plan.ChangeDocument {
		c.Name = name
		return c
	}
	long := strings.Repeat("x", 70)
	for _, tt := range []struct {
		name   string
		change plan.ChangeDocument
		want   string
		whole  bool
	}{
		{"a budget rises", changes(spring, field("budget.daily", usd(80), usd(1200))),
			"Raise the daily budget of “Spring Sale” from 80 to 1,200 USD", true},
		{"a bid falls", changes("ad_group/spring/r", field("bid.max", resource.Number(1_500_000), usd(1))),
			"Lower the max bid of the ad group “Runners” of Spring Sale from 1.50 to 1 USD", true},
		{"it is paused", changes(spring, field("status", text("active"), text("paused"))), "Pause “Spring Sale”", true},
		{"it starts", changes(spring, field("status", text("paused"), text("active"))), "Start “Spring Sale”", true},
		{"it ends by its status", changes(spring, field("status", text("paused"), text("archived"))),
			"End “Spring Sale” for good", true},
		{"it gets another name", named(changes(spring, field("name", text("Spring"), text("Summer"))), "Summer"),
			"Rename “Spring” to “Summer”", true},
		{"what matters most comes first", changes(spring, field("description", none, text("ours")),
			field("status", text("active"), text("paused")), field("budget.daily", usd(80), usd(20))),
			"Pause “Spring Sale”, lower its daily budget from 80 to 20 USD and set its description to “ours”", true},
		{"of many values the first is said", changes(hero, field("title", text("a"), text("b")),
			field("body", text("a"), text("b")), field("price", none, text("5")), field("target_url", none, text("x")),
			field("status", text("active"), text("paused"))),
			"Pause the ad “hero” of Runners, Spring Sale and change its title, body, price and target URL", false},
		{"one budget in the place of another", changes(spring, field("budget.daily", usd(80), resource.Null()),
			field("budget.lifetime", none, usd(500))),
			"Remove the daily budget of “Spring Sale” (it was 80 USD) and set its lifetime budget to 500 USD", true},
		{"a list gains and loses", changes(spring, field("targeting.countries", list("US", "DE"), list("US", "CA"))),
			"Change the countries of “Spring Sale” (add CA; take out DE)", true},
		{"a list gains much", changes(spring,
			field("targeting.countries", list("US"), list("US", "A", "B", "C", "D", "E", "F"))),
			"Add A, B, C, D and 2 more to the countries of “Spring Sale”", false},
		{"a long text is cut", changes(hero, field("title", text("a"), text(long))),
			"Change the title of the ad “hero” of Runners, Spring Sale from “a” to “" + long[:60] + "…”", false},
		{"a picture", changes(hero, field("image", text("sha256:1"), text("sha256:2"))),
			"Replace the image of the ad “hero” of Runners, Spring Sale", false},
		{"it is new", named(act(plan.Create, changes(hero, field("title", none, text("a")),
			field("status", none, text("paused")))), "Summer"),
			"Create the ad “Summer” of Runners, Spring Sale, paused", false},
		{"it is new and spends", act(plan.Create, changes("campaign/x", field("budget.daily", none, usd(50)))),
			"Create the campaign “x” with a daily budget of 50 USD", false},
		{"it ends", act(plan.Archive, changes(spring)), "End “Spring Sale” for good", true},
		{"it is taken over", act(plan.Adopt, changes(spring)), "Take over “Spring Sale”, which is already live", true},
		{"it is taken over and changes", act(plan.Adopt, changes(spring, field("budget.daily", usd(80), usd(90)))),
			"Take over “Spring Sale”, which is already live, and raise its daily budget from 80 to 90 USD", true},
		{"it has to be another one", act(plan.Replace, changes(spring)),
			"End “Spring Sale” for good and make it anew", false},
		{"people join", plan.ChangeDocument{Address: "audience/vip", Kind: "audience", Action: plan.Update,
			Fields: []plan.FieldDocument{{Name: "members.file", Desired: new(resource.Number(120)),
				Counted: &plan.Counted{Does: "add"}}}}, "Let the audience “vip” get 120 people more", false},
		{"nobody knows its kind", act("mend", changes("thing/x")), "Mend “thing/x”", false},
		{"a name is no markup of a terminal", named(changes(spring, field("status", text("active"), text("paused"))),
			"a\x1b[2J\u202eb"), `Pause “a\x1b[2J\u202eb”`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := teller(tt.change).Of(&tt.change)
			if got.Text != tt.want || got.Whole != tt.whole {
				t.Errorf("it says %q, whole %v; want %q, whole %v", got.Text, got.Whole, tt.want, tt.whole)
			}
		})
	}
}

// What many changes have in common is said without their names and values.
func TestWhatIsAlikeIsSaidOfMany(t *testing.T) {
	none := resource.Value{}
	for _, tt := range []struct {
		change plan.ChangeDocument
		fields []string
		want   string
	}{
		{changes("campaign/spring", field("budget.daily", usd(80), usd(200))), nil,
			"Raise the daily budget of 12 campaigns"},
		{changes("campaign/spring", field("budget.daily", usd(80), usd(200)), field("status", text("paused"),
			text("active")), field("name", text("a"), text("b"))), nil,
			"Start 12 campaigns, raise the daily budget of each and rename each"},
		{changes("campaign/spring", field("budget.daily", usd(80), usd(200)), field("name", text("a"), text("b"))),
			[]string{"budget.daily"}, "Raise the daily budget of 12 campaigns"},
		{changes("campaign/spring", field("budget.daily", usd(80), none)), nil,
			"Remove the daily budget of 12 campaigns"},
		{changes("campaign/spring", field("targeting.countries", list("US", "DE"), list("US", "CA"))), nil,
			"Change the countries of 12 campaigns"},
		{act(plan.Create, changes("ad/spring/runners/hero", field("title", none, text("a")))), nil, "Create 12 ads"},
		{act(plan.Archive, changes("campaign/spring")), nil, "End 12 campaigns for good"},
		{act("mend", changes("thing/x")), nil, "Mend 12 things"},
	} {
		if got := teller(tt.change).Alike("12", &tt.change, tt.fields); got != tt.want {
			t.Errorf("it says %q; want %q", got, tt.want)
		}
	}
}

// samples are two values of each type.
func samples(a *resource.Attribute) (one, other resource.Value) {
	switch {
	case a.Type == resource.TypeMoney:
		return resource.Number(80_000_000), resource.Number(200_000_000)
	case a.Type == resource.TypeCount:
		return resource.Number(8), resource.Number(20)
	case a.Type == resource.TypeSet:
		return resource.List([]string{a.Choices[0].Value}), resource.List([]string{a.Choices[1].Value})
	case a.Type.IsList():
		return resource.List([]string{"one"}), resource.List([]string{"one", "two"})
	case len(a.Choices) > 0:
		return resource.Text(a.Choices[0].Value), resource.Text(a.Choices[len(a.Choices)-1].Value)
	case a.Type == resource.TypeDay || a.Type == resource.TypeLast:
		return resource.Text("2026-11-30"), resource.Text("2026-12-31")
	}
	return resource.Text("one"), resource.Text("two")
}

// TestEverySentence says what each action does to each kind, and what each of its attributes does on each way.
func TestEverySentence(t *testing.T) {
	var b strings.Builder
	for _, s := range kinds.All() {
		at := string(s.Kind)
		for range kinds.All().Depth(s.Kind) + 1 {
			at += "/k"
		}
		fmt.Fprintf(&b, "# %s\n", s.Kind)
		say := func(c plan.ChangeDocument) {
			got := teller(c).Of(&c)
			if got.Text == "" || got.Text[0] < 'A' || got.Text[0] > 'Z' || strings.HasSuffix(got.Text, ".") {
				t.Errorf("%s says %q; want a verb first, and no full stop", s.Kind, got.Text)
			}
			fmt.Fprintln(&b, got.Text)
		}
		for _, action := range []plan.Action{plan.Create,
			plan.Replace, plan.Archive, plan.Adopt, plan.Forget, plan.Record} {
			c := changes(at)
			c.Action = action
			say(c)
			fmt.Fprintln(&b, teller().Several("57", action, s.Kind))
		}
		for _, a := range s.Attributes {
			one, other := samples(&a)
			for _, way := range [][2]resource.Value{{{}, one}, {one, other}, {other, one}, {one, resource.Null()}} {
				say(changes(at, field(a.Name, way[0], way[1])))
			}
		}
	}
	golden.File(t, "testdata/every.txt", []byte(b.String()))
}

// TestASentenceIsBounded whatever people and service wrote.
func TestASentenceIsBounded(t *testing.T) {
	huge := strings.Repeat("界\u202e", 100_000)
	for _, s := range kinds.All() {
		at := string(s.Kind) + "/" + strings.Repeat("k", 200)
		var fields []plan.FieldDocument
		for _, a := range s.Attributes {
			one := resource.Text(huge)
			if a.Type.IsList() {
				one = resource.List([]string{huge, huge + "1", huge + "2", huge + "3", huge + "4"})
			}
			fields = append(fields, field(a.Name, resource.Value{}, one))
		}
		c := changes(at, fields...)
		c.Name = huge
		for _, c := range append([]plan.ChangeDocument{c}, single(at, huge, fields)...) {
			if got := teller(c).Of(&c); len(got.Text) > 5000 || !utf8.ValidString(got.Text) ||
				diag.HasHidden(got.Text) {
				t.Errorf("%s: %d bytes, %.100q; want few, and printable", s.Kind, len(got.Text), got.Text)
			}
		}
	}
}

func single(at, name string, fields []plan.FieldDocument) (all []plan.ChangeDocument) {
	for _, f := range fields {
		c := changes(at, f)
		c.Name = name
		all = append(all, c)
	}
	return all
}

// A clause has a text for each way that it is said in.
func TestEveryClauseHasItsTexts(t *testing.T) {
	for _, does := range []string{"start", "pause", "end", "rename", "set", "set-to", "remove", "remove-was", "replace",
		"raise", "lower", "move", "change", "add", "take-out", "exchange", "reorder", "gain", "lose"} {
		alike := cmp.Or(alikes[does], does)
		for _, text := range []string{does, does + ".its", alike + ".many", alike + ".each"} {
			if said := (clause{}).say(text, ""); strings.HasPrefix(said, "[") {
				t.Errorf("%s has no text", said)
			}
		}
	}
}

// Another language has its own order of words, its own quotes and its own forms of a count.
func TestASentenceInAnotherOrder(t *testing.T) {
	english, err := os.ReadFile("../words/catalogue/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	german := string(english)
	for key, text := range map[string]string{
		"language": "de", "name.quoted": "„{name}“",
		"change.raise":      "{what} von {whose} von {from} auf {to} erhöhen",
		"change.raise.many": "{what} von {whose} erhöhen", "several.all": "{n}-mal {kind}",
	} {
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(key) + ` = .*$`)
		german = line.ReplaceAllLiteralString(german, key+" = "+text)
	}
	other, err := catalogue.Read("german.txt", german)
	if err != nil {
		t.Fatal(err)
	}
	defer catalogue.Use(other)()
	rises := changes("campaign/spring", field("budget.daily", usd(80), usd(200)))
	if got, want := teller().Alike("12", &rises, nil),
		"Daily budget von 12-mal campaign erhöhen"; got != want {
		t.Errorf("of several it says %q; want %q", got, want)
	}
	if got, want := teller().Of(&rises).Text, "Daily budget von „Spring Sale“ von 80 auf 200 USD erhöhen"; got != want {
		t.Errorf("it says %q; want %q", got, want)
	}
}
