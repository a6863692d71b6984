package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// manyRows serves an account of so many ads that were shown on each of the days before
// today: GET /ad_account, and /ad_account/insights by ad, a row an ad and day, in pages
// as the interface has them (part 4). It looks at nothing of a query but its page and its last day.
type manyRows struct {
	ads, days int
	requests  int // that were answered
}

// figuresAccount is the id of the account of manyRows.
const figuresAccount = "adacct_figures"

func (f *manyRows) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.requests++
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path != "/v1/ad_account/insights" {
		fmt.Fprintf(w, `{"id":%q,"name":"Figures","status":"active","timezone":"UTC","currency_code":"USD",`+
			`"review":{"status":"approved"}}`, figuresAccount)
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("after"))
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = 20
	}
	until := min(from+limit, f.ads*f.days)
	rows := make([]json.RawMessage, 0, limit)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	var span struct{ Until string }
	if json.Unmarshal([]byte(r.URL.Query().Get("time_ranges[]")), &span) == nil {
		if last, err := time.Parse(time.DateOnly, span.Until); err == nil {
			today = last.AddDate(0, 0, 1)
		}
	}
	for i := from; i < until; i++ {
		rows = append(rows, f.row(i, today))
	}
	fmt.Fprintf(w, `{"object":"list","first_id":%q,"last_id":%q,"has_more":%t,"count":%d,"data":`,
		strconv.Itoa(from), strconv.Itoa(until), until < f.ads*f.days, len(rows))
	if err := json.NewEncoder(w).Encode(rows); err == nil {
		fmt.Fprint(w, "}")
	}
}

// row is what one ad did on one day. Each has its own figures.
func (f *manyRows) row(i int, today time.Time) json.RawMessage {
	ad := i % f.ads
	start := today.AddDate(0, 0, i/f.ads-f.days).Unix()
	return json.RawMessage(fmt.Sprintf(`{"id":"start=%d:entity_id=ad_%024d","start_time":%d,"end_time":%d,`+
		`"ad_id":"ad_%024d","ad_name":"Ad number `+
		`%d of the account","ad_group_name":"Ad group %d","campaign_name":"Campaign %d",`+
		`"impressions":%d,"clicks":%d,"spend":%d.%06d,"ctr":0.01,"cpc":1.25,"conversions":%d}`,
		start, ad, start, start+86_400, ad, ad, ad/5, ad/50, 1000+i%977, 10+i%31, i%97, i%1_000_000, i%7))
}
