package sources

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhatWaitsAndWhatStops loads files with something wrong and says what waits for
// it: * after an address is a row whose cells do not say which resource it is, ↓ one
// whose wrong cell could have lowered or stopped something.
func TestWhatWaitsAndWhatStops(t *testing.T) {
	const campaigns = "Kind,Key,Name,Status,Bidding type,Daily budget,Include\n"
	const ads = "Campaign,Ad group,Key,Title,Body,Landing page URL,Image\n"
	const groups = "kind: ad_group\ncampaign: spring\nkey: runners\nname: Runners\nbid: {max: 1}\n"
	const row = ",Shoes,Light,https://shop.example/a,https://shop.example/a.png\n"
	many := func(n, wrong int) string {
		var b strings.Builder
		b.WriteString(campaigns)
		for i := range n {
			status := "paused"
			if i < wrong {
				status = "pased"
			}
			fmt.Fprintf(&b, "campaign,c%d,Name %d,%s,clicks,5,\n", i, i, status)
		}
		return b.String()
	}
	tests := []struct {
		name  string
		files map[string]string
		want  string
		rows  string // of the first file
	}{
		{name: "a title", files: map[string]string{"a.csv": ads + "spring,runners,a,\"" + strings.Repeat("x", 51) + "\",Light,https://shop.example/a,https://shop.example/a.png\nspring,runners,b" + row, "b.yaml": groups, "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\n"},
			want: "ad/spring/runners/a", rows: "{2 1 0 1}"},
		{name: "a budget, with what is beneath it", files: map[string]string{"a.csv": ads + "spring,runners,b" + row, "b.yaml": groups, "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5O,\n"},
			want: "campaign/spring↓ ad_group/spring/runners ad/spring/runners/b"},
		{name: "a name that is refused, and rows that say it", files: map[string]string{"b.yaml": strings.Replace(groups, "campaign: spring", "campaign: Sp", 1), "c.csv": campaigns + "campaign,,Sp,active,clicks,5,\n"},
			want: "campaign/sp* ad_group/sp/runners*↓"},
		{name: "a parent that is not there", files: map[string]string{"b.yaml": strings.Replace(groups, "campaign: spring", "campaign: sprng", 1), "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\n"},
			want: "ad_group/sprng/runners*↓"},
		{name: "a key in YAML that nobody knows may be any", files: map[string]string{"b.yaml": groups + "nmae: x\n", "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\n"},
			want: "ad_group/spring/runners↓"},
		{name: "defaults hold all of the kind", files: map[string]string{"b.yaml": groups + "---\nkind: defaults\nad_group: {bid: {max: much}}\n", "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\n"},
			want: "ad_group/spring/runners↓"},
		{name: "a template holds who uses it", files: map[string]string{"b.yaml": groups + "use: [x]\n---\nkind: ad_group\ncampaign: spring\nkey: other\nname: Other\n---\nkind: template\nkey: x\nad_group: {status: on}\n", "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\n"},
			want: "ad_group/spring/runners↓"},
		{name: "a hint list holds who takes it in", files: map[string]string{"b.yaml": groups + "context_hints: [{list: x}]\n---\nkind: ad_group\ncampaign: spring\nkey: other\nname: Other\n---\nkind: hint_list\nkey: x\nhints: [a, {lst: b}]\n", "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\n"},
			want: "ad_group/spring/runners"},
		{name: "two of two rows", files: map[string]string{"c.csv": many(2, 2)}, want: "campaign/c0↓ campaign/c1↓"},
		{name: "three of twenty-nine", files: map[string]string{"c.csv": many(29, 3)}, want: "stops: 3 of 29 rows are not valid (c.csv, campaign), more than the 2 that may wait while others go"},
		{name: "three of thirty", files: map[string]string{"c.csv": many(30, 3)}, want: "campaign/c0↓ campaign/c1↓ campaign/c2↓"},
		{name: "twenty-one of three hundred", files: map[string]string{"c.csv": many(300, 21)}, want: "stops: 21 of 300 rows are not valid (c.csv, campaign), more than the 20 that may wait while others go"},
		{name: "a row twice", files: map[string]string{"c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\ncampaign,spring,Spring,active,clicks,5,\n"}, want: "stops"},
		{name: "a header", files: map[string]string{"c.csv": strings.Replace(campaigns, "Status", "Statsu", 1) + "campaign,spring,Spring,active,clicks,5,\n"}, want: "stops"},
		{name: "a file that is cut", files: map[string]string{"b.yaml": groups + "bid: {max", "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,\n"}, want: "stops"},
		{name: "a wide row", files: map[string]string{"c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,,6\n"}, want: "stops"},
		{name: "Include = no leaves out what is beneath it, whatever is wrong there", files: map[string]string{"a.csv": ads + "spring,runners,b,,Light,nowhere,x\n", "b.yaml": groups, "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,no\ncampaign,autumn,Autumn,active,clicks,5,yes\n"},
			want: "", rows: "{1 0 1 0}"},
		{name: "Include = no, named by its name", files: map[string]string{"b.yaml": strings.Replace(groups, "spring", "Spring sale", 1), "c.csv": campaigns + "campaign,,Spring sale,active,clicks,5,no\ncampaign,autumn,Autumn,active,clicks,5,yes\n"}, want: ""},
		{name: "a row that is read is named before one that is left out", files: map[string]string{"b.yaml": groups, "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,no\ncampaign,spring,Spring,active,clicks,6,yes\n"}, want: ""},
		{name: "nobody knows whether a row is included", files: map[string]string{"b.yaml": groups, "c.csv": campaigns + "campaign,spring,Spring,active,clicks,5,perhaps\ncampaign,autumn,Autumn,active,clicks,5,yes\n"}, want: "campaign/spring↓ ad_group/spring/runners"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := load(t, folder(t, tt.files))
			got := waitingOf(&d)
			if d.Stops() {
				got = strings.TrimSuffix("stops: "+d.TooMany, ": ")
			}
			if got != tt.want || tt.rows != "" && fmt.Sprint(d.Sources[0].Rows) != tt.rows {
				t.Errorf("waits %q, rows %v; want %q and %s; problems %v", got, d.Sources[0].Rows, tt.want, tt.rows, d.Problems)
			}
			for _, w := range d.Waiting {
				if d.Snapshot.Get(w.Resource.Address) != nil || d.Whole().Get(w.Resource.Address) == nil {
					t.Errorf("%s waits; want it in the whole snapshot and not in the other", w.Resource.Address)
				}
			}
		})
	}
}

func waitingOf(d *Desired) string {
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
