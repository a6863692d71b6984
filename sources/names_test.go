package sources_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsNamedByKeyIsThere: a key that names nothing, or what is archived, is
// found without the service, at its place.
func TestWhatIsNamedByKeyIsThere(t *testing.T) {
	const campaign = "kind: campaign\nkey: spring\nname: Spring\nbidding_type: conversions\nbudget: {daily: 10}\n"
	for _, row := range []struct{ name, campaign, others, want string }{
		{"all there", "conversion_goal: event_setting/orders", "kind: pixel\nname: Shop\n" +
			"---\nkind: event_setting\nkey: orders\nname: Orders\nevent_type: order_created\nsource: pixel/shop", ""},
		{"an id nobody gives", "conversion_goal: ces_1", "kind: pixel\nname: Shop", ""},
		{"a key of no file", "conversion_goal: event_setting/order",
			"kind: event_setting\nkey: orders\nname: Orders\nevent_type: order_created\nsource: p1",
			`a.yaml:6:18: conversion_goal is "event_setting/order", ` +
				`which no file has; want an id, or event_setting/ and a key of your files (ADS1036)`},
		{"a key of another kind", "conversion_goal: audience/orders", "kind: pixel\nname: Shop",
			`a.yaml:6:18: id is "audience/orders"; ` +
				`want an id as the service gives it, or event_setting/ and a key of your files (ADS1011)`},
		{"a custom event", "conversion_goal: event_setting/read",
			"kind: event_setting\nkey: read\nname: Read\nevent_type: custom\ncustom_event_name: read\nsource: p1",
			"a.yaml:6:18: conversion_goal is event_setting/read, " +
				"whose event_type is custom (b.yaml:4:13); want an event setting of a standard event (ADS1014)"},
		{"a custom event by its id", "conversion_goal: ces_1", "kind: event_setting\n" +
			"id: ces_1\nkey: read\nname: Read\nevent_type: custom\ncustom_event_name: read\nsource: p1",
			"a.yaml:6:18: conversion_goal is ces_1, whose event_type is custom (b.yaml:5:13)"},
		{"a source of no file", "conversion_goal: event_setting/orders",
			"kind: event_setting\nkey: orders\nname: Orders\nevent_type: order_created\nsource: pixel/shop",
			`b.yaml:5:9: source is "pixel/shop", which no file has`},
		{"an audience of no file", "conversion_goal: ces_1\ntargeting: {audiences: [caud_1, audience/custmers]}",
			"kind: audience\nkey: customers\nname: Customers",
			`a.yaml:7:24: targeting.audiences is "audience/custmers", which no file has`},
		{"an archived audience", "conversion_goal: ces_1\ntargeting: {excluded_audiences: [audience/customers]}",
			"kind: audience\nkey: customers\nname: Customers\nstatus: archived",
			`a.yaml:7:34: targeting.excluded_audiences ` +
				`is "audience/customers", which is archived (b.yaml:4:9); want one that is not (ADS1036)`},
		{"of what is archived nothing is asked", "conversion_goal: event_setting/none\nstatus: archived",
			"kind: pixel\nname: Shop", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := problemsOf(t, map[string]string{
				"a.yaml": campaign + row.campaign + "\n", "b.yaml": row.others + "\n",
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("problems are\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// TestNamesInACellAreNames: the same in a workbook's cells.
func TestNamesInACellAreNames(t *testing.T) {
	got := problemsOf(t, map[string]string{
		"Campaigns.csv": "Campaign,Bidding,Daily budget,Conversion " +
			"goal\nSpring,conversions,10,event_setting/order\n",
		"Event settings.csv": "Event setting,Event,Source,Key\nOrders,order_created,p1,orders\n",
	})
	if want := `Campaigns.csv:2:23: conversion_goal ` +
		`is "event_setting/order", which no file has`; !strings.Contains(got, want) {
		t.Errorf("problems are\n%s\nwant\n%s", got, want)
	}
}

// TestAMisspeltNameIsAnsweredWithTheNearest: the key that is near where there is
// one, and the kind as it is written, but never something that only has the
// kind in common.
func TestAMisspeltNameIsAnsweredWithTheNearest(t *testing.T) {
	const settings = "kind: event_setting\nkey: orders\nname: Orders\nevent_type: order_created\n" +
		"source: p1\n---\nkind: event_setting\nkey: leads\nname: Leads\nevent_type: lead_created\nsource: p1\n"
	for _, row := range []struct{ goal, problem, hint string }{
		{"event_setting/order", "which no file has", `did you mean "event_setting/orders"?`},
		{"event_setting/Leads", "which no file has", `did you mean "event_setting/leads"?`},
		{"event_setting/zebra", "which no file has", ""},
		{"event_settings/orders", `id is "event_settings/orders"`, `did you mean "event_setting/orders"?`},
		{"Event-Setting/orders", `id is "Event-Setting/orders"`, `did you mean "event_setting/orders"?`},
		{"pixel/orders", `id is "pixel/orders"`, ""},
		{"event_setting/or ders", `id is "event_setting/or ` +
			`ders"; want an id as the service gives it, or event_setting/ and a key of your files`, ""},
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("kind: campaign\nkey: spring\n"+
			"name: Spring\nbidding_type: conversions\nbudget: {daily: 10}\nconversion_goal: "+row.goal+"\n"), 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "b.yaml"), []byte(settings), 0o600))
		got := load(t, dir).Problems
		if len(got) != 1 || !strings.Contains(got[0].Message, row.problem) || got[0].Hint != row.hint {
			t.Errorf("%s: problems are %+v; want one with %q and the hint %q", row.goal, got, row.problem, row.hint)
		}
	}
}
