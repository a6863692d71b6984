package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/insights"
)

// What stands in HTML, which has two pages: the workbook and JSON have all.
const (
	pageCampaigns = 10
	pageLines     = 4
	pageDays      = 8   // beyond which the chart alone has the days
	pageName      = 34  // letters of a name
	pageSaid      = 150 // letters of a sentence
)

//go:embed report.html
var pageText string

// styles stand in each element: readers of mail take no others.
var styles = map[string]string{
	"body": "margin:0 auto;padding:16px;max-width:760px;background:#ffffff;color:#1c2430;" +
		"font:13px/1.45 Arial,Helvetica,sans-serif",
	"h1":    "font-size:20px;margin:0 0 4px",
	"h2":    "font-size:15px;margin:18px 0 6px",
	"p":     "margin:4px 0",
	"dim":   "margin:4px 0;color:#56606f",
	"note":  "margin:6px 0;padding:6px 10px;background:#fff4d6;color:#4a3500",
	"wide":  "overflow-x:auto",
	"table": "border-collapse:collapse;width:100%",
	"th":    "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:600;white-space:nowrap",
	"thn":   "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:600",
	"span":  "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:600;min-width:90px",
	"name": "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:400;" +
		"overflow-wrap:anywhere;min-width:120px",
	"pic":  "float:left;width:40px;height:40px;margin:0 8px 0 0;border-radius:4px",
	"in":   "color:#56606f;font-size:85%",
	"td":   "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1",
	"tdn":  "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;white-space:nowrap",
	"big":  "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;white-space:nowrap;font-weight:700",
	"good": "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;background:#e3f4e6;color:#14532d",
	"bad":  "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;background:#fde4e1;color:#7f1d1d",
	"ul":   "margin:4px 0;padding-left:18px",
	"li":   "margin:4px 0;overflow-wrap:anywhere",
}

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"style": func(name string) template.HTMLAttr { return template.HTMLAttr(`style="` + styles[name] + `"`) },
	}).Parse(pageText))
})

// pageView is the report as the page shows it.
type pageView struct {
	Title, About, Span, Before, Made string
	Page                             string
	Notes                            []string
	Read, Compared                   bool
	Totals                           []pageTotal
	Chart                            template.HTML
	DayHeads                         []string
	Days                             []pageDay
	Heads                            []string
	Campaigns                        []pageCampaign
	MoreCampaigns                    string
	Ads                              []pageAds
	Lists                            []list
}

type pageTotal struct{ Header, Value, Before, Change, Turn string }

type pageDay struct {
	Date  string
	Gap   bool
	Wide  int
	Cells []string
}

type pageCampaign struct {
	Name, Spend, Change, Budget, Share, Pace string
	Cells                                    []string
}

type pageAds struct {
	Title string
	Heads []string
	Lines []pageAd
}

type pageAd struct {
	Name, In string
	Cells    []string
	Picture  template.URL // "" where there is none
	Alt      string
}

// What stands beside spend, of days, campaigns and ads.
var (
	dayMetrics      = []string{"spend", "impressions", "clicks", "conversions"}
	campaignMetrics = []string{"clicks", "cpc", "conversions", "cpa"}
	adMetrics       = []string{"spend", "impressions", "clicks", "ctr", "cpc", "conversions", "cpa"}
)

// of are those of some metrics that the account has.
func (r *Report) of(metrics []string) []string {
	return slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return !slices.Contains(r.names(), m) })
}

// inPage has a picture stand in the page itself: for a browser and paper.
func inPage(jpeg []byte) template.URL {
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(jpeg))
}

// Embedded is a picture of a mail. The page names it as cid:NAME@adsync.
type Embedded struct {
	Name string
	JPEG []byte
}

// Mail writes the page as a mail has it. Programs for mail show no picture that stands in the page: it is a part of the
// mail by itself.
func (r *Report) Mail(w io.Writer) (all []Embedded, err error) {
	err = writePage(w, r, func(jpeg []byte) template.URL {
		sum := sha256.Sum256(jpeg)
		one := Embedded{hex.EncodeToString(sum[:16]) + ".jpg", jpeg}
		if !slices.ContainsFunc(all, func(e Embedded) bool { return e.Name == one.Name }) {
			all = append(all, one)
		}
		return template.URL("cid:" + one.Name + "@adsync")
	})
	return all, err
}

// writePage writes one page that loads nothing and runs nothing. at returns the address of a picture.
func writePage(w io.Writer, r *Report, at func(jpeg []byte) template.URL) error {
	v := pageView{Title: r.Title(), About: r.about(), Span: r.span(), Before: r.Before.String(), Made: r.moment(r.Made),
		Page:  r.page,
		Notes: r.notes(), Read: len(r.Gaps) < len(r.Days), Compared: r.Compared, Chart: r.chart(),
		DayHeads: headers(r.of(dayMetrics)), Heads: headers(r.of(campaignMetrics)), Lists: r.short()}
	for i := range r.Totals {
		f := &r.Totals[i]
		v.Totals = append(v.Totals, pageTotal{f.Header, shown(f.Name, f.Value), shown(f.Name, f.Before),
			insights.Signed(f.Change), map[int]string{-1: "bad", 0: "tdn", 1: "good"}[f.turn()]})
	}
	if len(r.Days) <= pageDays {
		for _, d := range r.Days {
			day := pageDay{d.Date, d.Gap, len(v.DayHeads), cells(d.Figures, r.of(dayMetrics))}
			if d.Preliminary {
				day.Date += " *"
			}
			v.Days = append(v.Days, day)
		}
	}
	for i := range r.Campaigns[:min(len(r.Campaigns), pageCampaigns)] {
		c := &r.Campaigns[i]
		v.Campaigns = append(v.Campaigns, pageCampaign{cut(c.Name, pageName), money(c.Figures["spend"]),
			insights.Signed(c.SpendChange), c.Budget.words(), c.Budget.share(), c.Budget.pace(),
			cells(c.Figures, r.of(campaignMetrics))})
	}
	v.MoreCampaigns = r.moreCampaigns(pageCampaigns)
	for _, of := range r.ranks() {
		ads := pageAds{Title: of.title, Heads: headers(r.of(adMetrics))}
		for i := range of.ads {
			ad := &of.ads[i]
			line := pageAd{Name: cut(ad.Name, pageName), In: cut(ad.In, pageName),
				Cells: cells(ad.Figures, r.of(adMetrics))}
			if ad.picture != nil {
				line.Picture, line.Alt = at(ad.picture.JPEG), cut(ad.picture.Title, pageSaid)
			}
			ads.Lines = append(ads.Lines, line)
		}
		v.Ads = append(v.Ads, ads)
	}
	return page().Execute(w, v)
}

// ranked are ads under their heading.
type ranked struct {
	title string
	ads   []Ad
}

func (r *Report) ranks() []ranked {
	return []ranked{
		{"Ads with the most " + r.RankedBy, r.Top},
		{"Ads with the fewest " + r.RankedBy + " for their spend", r.Bottom},
	}
}

// pace colours what was spent beyond a budget.
func (b *Budget) pace() string {
	if b == nil {
		return "tdn"
	}
	share, known := insights.Millionths(b.Share)
	switch {
	case !known || b.Share == "":
	case share > 1_000_000:
		return "bad"
	}
	return "tdn"
}

// moreCampaigns says how many are not listed, and what they spent.
func (r *Report) moreCampaigns(listed int) string {
	if len(r.Campaigns) <= listed {
		return ""
	}
	spent, known := int64(0), true
	for i := range r.Campaigns[listed:] {
		n, is := insights.Millionths(r.Campaigns[listed+i].Figures["spend"])
		spent, known = spent+n, known && is
	}
	text := fmt.Sprintf("and %d more", len(r.Campaigns)-listed)
	if known {
		text += ", which spent " + money(decimal(spent))
	}
	return text + "; the workbook has all."
}

func headers(metrics []string) (all []string) {
	for _, m := range metrics {
		_, header := insights.Shown(m, "")
		all = append(all, header)
	}
	return all
}

func cells(f Figures, metrics []string) (all []string) {
	for _, m := range metrics {
		all = append(all, shown(m, f[m]))
	}
	return all
}

// cut is a text with so many letters at most.
func cut(text string, most int) string {
	text = diag.Printable(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// short are the parts that are sentences, as the page has room for them.
func (r *Report) short() []list {
	lists := r.lists(pageLines)
	for i := range lists {
		for k := range lists[i].Lines {
			l := &lists[i].Lines[k]
			l.What, l.Said = cut(l.What, pageSaid), slices.Clone(l.Said)
			for n := range l.Said {
				l.Said[n] = cut(l.Said[n], pageSaid)
			}
		}
	}
	return lists
}

// The measures of the chart.
const (
	chartWide = 720
	chartHigh = 130
	chartLeft = 70
	chartFoot = 20
)

// chart draws the spend of each day as a bar. A day that was not read has none.
func (r *Report) chart() template.HTML {
	values, top := make([]int64, len(r.Days)), int64(0)
	for i, d := range r.Days {
		values[i], _ = insights.Millionths(d.Figures["spend"])
		top = max(top, values[i])
	}
	if len(values) < 2 || top == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="100%%" role="img" `+
		`style="display:block;margin:10px 0"><title>Spend a day, at most %s</title>`, chartWide, chartHigh+chartFoot,
		money(decimal(top)))
	for part := range int64(3) {
		y := chartHigh - part*(chartHigh-16)/2
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#d9dce1"/>`, chartLeft, chartWide, y, y)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" font-family="Arial,sans-serif" font-size="11" `+
			`fill="#56606f">%s</text>`, chartLeft-6, y+4, money(decimal(top/2*part)))
	}
	step := float64(chartWide-chartLeft) / float64(len(values))
	each := (len(values) + 9) / 10
	for i, d := range r.Days {
		x := chartLeft + step*float64(i)
		if d.Gap {
			fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#eceef1"><title>%s: not read</title></rect>`,
				x+step*.1, 16, step*.8, chartHigh-16, d.Date)
		} else {
			high := float64(values[i]) / float64(top) * (chartHigh - 16) // a drawing: no figure follows from it
			colour := "#2f6fdb"
			if d.Preliminary {
				colour = "#9dbcf0"
			}
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s: %s</title></rect>`,
				x+step*.1, chartHigh-high, step*.8, high, colour, d.Date, money(d.Figures["spend"]))
		}
		if i%each == 0 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" font-family="Arial,sans-serif" font-size="11" `+
				`fill="#56606f">%s</text>`, x+step/2, chartHigh+15, d.Date[5:])
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers and days alone
}
