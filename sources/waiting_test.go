package sources_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/sources"
)

// TestWhatWaitsAndWhatStops loads files with something wrong and says what waits for
// it: * after an address is a row whose cells do not say which resource it is, ↓ one
// whose wrong cell could have lowered or stopped something.
func TestWhatWaitsAndWhatStops(t *testing.T) {
	const (
		campaigns = "Kind,Key,Name,Status,Bidding type,Daily budget,Include\n"
		spring    = campaigns + "campaign,spring,Spring,active,clicks,5,\n"
		autumn    = "campaign,autumn,Autumn,active,clicks,5,yes\n"
		left      = campaigns + "campaign,spring,Spring,active,clicks,5,no\n"
		ads       = "Campaign,Ad group,Key,Title,Body,Landing page URL,Image\n"
		ad        = "spring,runners,b,Shoes,Light,https://shop.example/a,https://shop.example/a.png\n"
		hints     = "Campaign,Ad group,Hint\nspring,runners,people who run\n"
		group     = "kind: ad_group\ncampaign: spring\nkey: runners\nname: Runners\nbid: {max: 1}\n"
		other     = "---\nkind: ad_group\ncampaign: spring\nkey: other\nname: Other\n"
	)
	longTitle := strings.Replace(strings.Replace(ad, "Shoes", strings.Repeat("x", 51), 1), ",b,", ",a,", 1)
	type files = map[string]string
	tests := []struct {
		name  string
		files files
		want  string
		rows  string // of the first file
	}{
		{name: "a title", files: files{"a.csv": ads + longTitle + ad, "b.yaml": group, "c.csv": spring},
			want: "ad/spring/runners/a", rows: "{2 1 0 1}"},
		{name: "a budget, with what is beneath it",
			files: files{"a.csv": ads + ad, "b.yaml": group, "c.csv": strings.Replace(spring, ",5,", ",5O,", 1)},
			want:  "campaign/spring↓ ad_group/spring/runners ad/spring/runners/b"},
		{name: "a name that is refused, and rows that say it", want: "campaign/sp* ad_group/sp/runners*↓",
			files: files{"b.yaml": strings.Replace(group, "spring", "Sp", 1),
				"c.csv": strings.Replace(spring, "spring,Spring", ",Sp", 1)}},
		{name: "a parent that is not there", want: "ad_group/sprng/runners*↓",
			files: files{"b.yaml": strings.Replace(group, "spring", "sprng", 1), "c.csv": spring}},
		{name: "a key in YAML that nobody knows may be any", want: "ad_group/spring/runners↓",
			files: files{"b.yaml": group + "nmae: x\n", "c.csv": spring}},
		{name: "defaults hold all of the kind", want: "ad_group/spring/runners↓",
			files: files{"b.yaml": group + "---\nkind: defaults\nad_group: {bid: {max: much}}\n", "c.csv": spring}},
		{name: "a template holds who uses it", want: "ad_group/spring/runners↓",
			files: files{"c.csv": spring,
				"b.yaml": group + "use: [x]\n" + other + "---\nkind: template\nkey: x\nad_group: {status: on}\n"}},
		{name: "a hint list holds who takes it in", want: "ad_group/spring/runners", files: files{"c.csv": spring,
			"b.yaml": group + "context_hints: [{list: x}]\n" +
				other + "---\nkind: hint_list\nkey: x\nhints: [a, {lst: b}]\n"}},
		{name: "a hint with a row of its own holds its ad group", want: "ad_group/spring/runners", files: files{
			"b.yaml": group + other, "c.csv": spring,
			"context-hints.csv": hints + "spring,runners,file: runners.txt\n"}},
		{name: "a hint of nobody knows whom may be missing anywhere", want: "stops", files: files{
			"b.yaml": group, "c.csv": spring, "context-hints.csv": hints + "spring,,people who walk\n"}},
		{name: "two of two rows", files: files{"c.csv": wrongRows(2, 2)}, want: "campaign/c0↓ campaign/c1↓"},
		{name: "three of twenty-nine", files: files{"c.csv": wrongRows(29, 3)},
			want: "stops: 3 of 29 rows are not valid (c.csv, campaign), more than the 2 that may wait while others go"},
		{name: "three of thirty", files: files{"c.csv": wrongRows(30, 3)},
			want: "campaign/c0↓ campaign/c1↓ campaign/c2↓"},
		{name: "twenty-one of three hundred", files: files{"c.csv": wrongRows(300, 21)},
			want: "stops: 21 of 300 rows are not " +
				"valid (c.csv, campaign), more than the 20 that may wait while others go"},
		{name: "a row twice", files: files{"c.csv": spring + "campaign,spring,Spring,active,clicks,5,\n"},
			want: "stops"},
		{name: "a header", files: files{"c.csv": strings.Replace(spring, "Status", "Statsu", 1)}, want: "stops"},
		{name: "a file that is cut", files: files{"b.yaml": group + "bid: {max", "c.csv": spring}, want: "stops"},
		{name: "a wide row", files: files{"c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,,6\n"},
			want: "stops"},
		{name: "Include = no leaves out what is beneath it, whatever is wrong there", rows: "{1 0 1 0}",
			files: files{
				"a.csv": ads + "spring,runners,b,,Light,nowhere,x\n", "b.yaml": group, "c.csv": left + autumn,
			}},
		{name: "also beneath an ad group that no file has", rows: "{1 0 1 0}",
			files: files{"a.csv": ads + ad, "c.csv": left + autumn}},
		{name: "and its entries", rows: "{1 0 1 0}",
			files: files{"b.yaml": group, "c.csv": left + autumn, "context-hints.csv": hints}},
		{name: "Include = no, named by its name",
			files: files{"b.yaml": strings.Replace(group, "spring", "Spring sale", 1),
				"c.csv": campaigns + "campaign,,Spring sale,active,clicks,5,no\n" + autumn}},
		{name: "a row that is read is named before one that is left out",
			files: files{"b.yaml": group, "c.csv": left + "campaign,spring,Spring,active,clicks,6,yes\n"}},
		{name: "nobody knows whether a row is included", want: "campaign/spring↓ ad_group/spring/runners",
			files: files{"b.yaml": group, "c.csv": strings.Replace(left, ",no\n", ",perhaps\n", 1) + autumn}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := load(t, folder(t, tt.files))
			got := waitingOf(&d)
			if d.Stops() {
				got = strings.TrimSuffix("stops: "+d.TooMany, ": ")
			}
			if got != tt.want || tt.rows != "" && fmt.Sprint(d.Sources[0].Rows) != tt.rows {
				rows := d.Sources[0].Rows
				t.Errorf("waits %q, rows %v; want %q and %s; problems %v", got, rows, tt.want, tt.rows, d.Problems)
			}
			for _, w := range d.Waiting {
				if d.Snapshot.Get(w.Resource.Address) != nil || d.Whole().Get(w.Resource.Address) == nil {
					t.Errorf("%s waits; want it in the whole snapshot and not in the other", w.Resource.Address)
				}
			}
		})
	}
}

// wrongRows are campaigns, the first of which have a status nobody knows.
func wrongRows(rows, wrong int) string {
	var b strings.Builder
	b.WriteString("Kind,Key,Name,Status,Bidding type,Daily budget\n")
	for i := range rows {
		status := "paused"
		if i < wrong {
			status = "pased"
		}
		fmt.Fprintf(&b, "campaign,c%d,Name %d,%s,clicks,5\n", i, i, status)
	}
	return b.String()
}

func waitingOf(d *sources.Desired) string {
	whole := d.Whole()
	var texts []string
	for _, r := range whole.Ordered() {
		for _, w := range d.Waiting {
			if w.Resource.Address != r.Address {
				continue
			}
			text := r.Address.String()
			if w.Adrift {
				text += "*"
			}
			if w.Lowers {
				text += "↓"
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}
