package daemoncmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/emulator/fault"
	"adsync/internal/testing/oracle"
)

// Spend limits need postpaid billing (interface, part 4, spend limit rule 1). Where
// the service refuses them, a look at which nothing changed is one request as
// anywhere, whether or not the files name a limit; billing that comes is seen at
// once when a file names another, and within a day where none does.
func TestAnAccountWithoutPostpaidBillingIsLookedAtWithOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYears(t, 1)
		defer y.close()
		y.bill()
		y.commit(oracle.Files{
			"c1": {Kind: "campaign", Tag: "c1", Values: map[string]any{
				"name": "c1 first", "status": "paused", "bidding_type": "clicks", "budget.daily": int64(20_000_000),
			}},
		})
		y.begin()
		y.looksOnly("without a limit", daemon.InSync)

		y.name("winter", 60)
		y.looksOnly("with a limit that is refused", daemon.Held)
		y.bill()
		y.name("summer", 90)
		y.until(time.Now().Add(10 * time.Minute))
		if got := y.limitsThere(); got != 2 {
			t.Fatalf("10 minutes after a file names another limit, %d are there; want both: %s", got, y.result.Message)
		}

		y.bill() // gone
		y.name("autumn", 120)
		y.looksOnly("with limits that were allowed before", daemon.Held)
		y.bill()
		y.until(time.Now().Add(25 * time.Hour))
		if got := y.limitsThere(); got != 3 {
			t.Fatalf("a day after billing came, %d limits are there; want 3: %s", got, y.result.Message)
		}
	})
}

// bill gives the account postpaid billing, or takes it away.
func (y *years) bill() {
	armed, err := fault.Parse([]byte(`{"seed": 1, ` +
		`"faults": [{"match": {"times": 1}, "action": {"flip": {"what": "billing"}}}]}`))
	noError(y.t, err)
	noError(y.t, y.service.Faults().Arm(armed...))
	y.asked("/ad_account")
	y.service.Faults().Disarm("")
}

// name writes a limit for the tenth day from one on.
func (y *years) name(key string, days int) {
	start := time.Now().In(y.zone).AddDate(0, 0, days)
	saveFile(y.t, filepath.Join(y.dir, key+".yaml"),
		fmt.Sprintf("kind: spend_limit_window\nkey: %s\nname: Window %s\namount: 500\nstart: %s\nend: %s\n",
			key, key, start.Format(time.DateOnly), start.AddDate(0, 0, 9).Format(time.DateOnly)))
	y.emit()
}

// looksOnly wants one request a look on the afternoon of the next day, but for the
// one reading of the whole account a day.
func (y *years) looksOnly(when string, class daemon.Class) {
	y.t.Helper()
	y.until(y.midnight().Add(13 * time.Hour))
	more := 0
	for range 10 {
		y.mu.Lock()
		requests, looks := y.requests, y.looks
		y.mu.Unlock()
		y.until(time.Now().Add(time.Hour))
		y.mu.Lock()
		if y.requests-requests > y.looks-looks {
			more++
		}
		y.mu.Unlock()
	}
	if more > 1 || y.result.Class != class {
		y.fail("%s there are %d of 10 hours with more than a request a look, and the last ended %s; want 1 and %s",
			when, more, y.result.Class, class)
	}
}

// limitsThere counts the limits the service has, 0 where it refuses to say.
func (y *years) limitsThere() int {
	return strings.Count(y.asked("/ad_account/spend_limit_windows"), `"window_id"`)
}

// spent is what a campaign has cost by a moment, as a person reads it.
func (y *years) spent(campaign string, by time.Time) int64 {
	span := fmt.Sprintf(`{"type":"unix_range","start":%d,"end":%d}`, y.began.Unix(), by.Unix())
	query := url.Values{
		"aggregation_level": {"campaign"}, "time_granularity": {"none"},
		"time_ranges": {span}, "fields": {"campaign.id", "spend"}, "limit": {"2000"},
	}
	var rows struct {
		Data []struct {
			ID    string      `json:"campaign_id"`
			Spend json.Number `json:"spend"`
		}
	}
	noError(y.t, json.Unmarshal([]byte(y.asked("/ad_account/insights?"+query.Encode())), &rows))
	for _, row := range rows.Data {
		if row.ID == campaign {
			units, read := new(big.Rat).SetString(row.Spend.String())
			if !read {
				y.t.Fatalf("spend is %q; want units of the account's currency", row.Spend)
			}
			micros := units.Mul(units, big.NewRat(1_000_000, 1))
			return new(big.Int).Quo(micros.Num(), micros.Denom()).Int64()
		}
	}
	return 0
}

// asked is what a person reads.
func (y *years) asked(path string) string {
	r, err := http.NewRequest(http.MethodGet, "http://127.0.0.1/v1"+path, nil)
	noError(y.t, err)
	r.Header.Set("Authorization", "Bearer "+yearsPerson)
	answer, err := y.direct(r)
	noError(y.t, err)
	var text strings.Builder
	_, err = io.Copy(&text, answer.Body)
	noError(y.t, err)
	return text.String()
}
