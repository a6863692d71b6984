package oracle

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Where a record has its bid, and by what that is multiplied for the people of an audience.
const (
	bidAt     = "bidding_config.max_bid_micros"
	factorsAt = "bidding_config.custom_audience_bid_multipliers"
)

const nobody = "" // who is in no audience that has a factor

// bids are what is bid by a record for the people of each audience, and for who is in none, in
// micros times micros.
type bids map[string]int64

const unmultiplied = 1_000_000

func (r Record) bids() bids {
	amount, _ := r.at(bidAt).(int64)
	b := bids{nobody: amount * unmultiplied}
	setting, _ := r["bidding_config"].(map[string]any)
	list, _ := setting["custom_audience_bid_multipliers"].([]any)
	for _, one := range list {
		if id, micros := factorIn(one); id != "" {
			b[id] = amount * micros
		}
	}
	return b
}

func (b bids) of(audience string) int64 {
	if bid, named := b[audience]; named {
		return bid
	}
	return b[nobody]
}

// factorIn reads one entry of such a list; "" where it is none.
func factorIn(one any) (id string, micros int64) {
	entry, _ := one.(map[string]any)
	id, _ = entry["custom_audience_id"].(string)
	number, _ := entry["bid_multiplier_micros"].(json.Number)
	micros, _ = number.Int64()
	return id, micros
}

// factorText is such an entry as the files have it.
func factorText(id string, micros int64) string {
	return id + " x " + strconv.FormatFloat(float64(micros)/unmultiplied, 'f', -1, 64)
}

// roundedUp is what a guard may lose, as it compares whole micros.
const roundedUp = 2 * unmultiplied

// BidsHold is invariant 8 for what is bid, in runs under the default policy to which nothing was
// allowed: for the people of no audience, nor for everybody else, does a run come to bid more
// than 1.3 times of the most that was bid for them when it began, or as strangers left it since.
func BidsHold(h *History) error {
	for _, a := range h.Applies {
		if !a.Strict {
			continue
		}
		before := map[string][]bids{} // by ad group
		for i := range h.W {
			e := &h.W[i]
			agent, ours := h.ours(e)
			switch r := h.requestOf(e); {
			case !haveBids[e.Kind]:
			case e.Seq <= a.From:
				before[e.ID] = []bids{e.After.bids()}
			case !ours || agent != a.Agent || e.Before == nil || r == nil || r.Process != a.Process:
				before[e.ID] = append(before[e.ID], e.After.bids())
			default:
				if err := riseOfBids(e, before[e.ID]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Multiplied counts the writes of factors by agents.
func Multiplied(h *History) (n int) {
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); ours && haveBids[e.Kind] && !same(e.Before.at(factorsAt), e.After.at(factorsAt)) {
			n++
		}
	}
	return n
}

func riseOfBids(e *Entry, before []bids) error {
	after := e.After.bids()
	audiences := map[string]bool{}
	for _, b := range append(before, after) {
		for audience := range b {
			audiences[audience] = true
		}
	}
	for audience := range audiences {
		most := int64(0)
		for _, b := range before {
			most = max(most, b.of(audience))
		}
		if is := after.of(audience); most > 0 && is > most/10*13+roundedUp {
			return fmt.Errorf("entry %d raises what %s bids for the people of %q from %d to %d; nobody allowed it",
				e.Seq, e.tag(), audience, most/unmultiplied, is/unmultiplied)
		}
	}
	return nil
}
