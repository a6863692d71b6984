package insights

import (
	"encoding/json"
	"math/big"
	"testing"

	"adsync/internal/emulator/delivery"
	_ "adsync/internal/testing/drawn"

	"pgregory.net/rapid"
)

func TestDecimalsAreExact(t *testing.T) {
	for millionths, want := range map[int64]string{
		0: "0", 1: "0.000001", 1_500_000: "1.5", 12_000_000: "12",
		-250_000: "-0.25", 9_223_372_036_854_775_807: "9223372036854.775807",
	} {
		if got := decimal(millionths); got != want {
			t.Errorf("decimal(%d) = %s, want %s", millionths, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Int64Range(-8e18, 8e18).Draw(rt, "n")
		back, ok := new(big.Rat).SetString(decimal(n))
		if !ok || back.Cmp(big.NewRat(n, 1_000_000)) != 0 {
			rt.Fatalf("decimal(%d) = %s", n, decimal(n))
		}
	})
}

func TestThresholdsCompareLikeTheNumber(t *testing.T) {
	for text, want := range map[json.Number][2]int64{
		"0": {0, 0}, "1.5": {1_500_000, 1_500_000},
		"0.0000001": {0, 1}, "-0.0000015": {-2, -1}, "1e-400": {0, 0}, "2.0000005": {2_000_000, 2_000_001},
	} {
		down, up, ok := threshold(text)
		if !ok || down != want[0] || up != want[1] {
			t.Errorf("threshold(%s) = %d, %d, %v, want %v", text, down, up, ok, want)
		}
	}
	if _, _, ok := threshold("1e999"); ok {
		t.Error("threshold(1e999) is accepted, want a refusal: it is not finite")
	}
}

func TestSharesAddUpAndCostNoMoreThanTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		price := rapid.Int64Range(1, 5_000_000).Draw(rt, "price")
		whole := delivery.Tally{Impressions: rapid.Int64Range(0, 100_000).Draw(rt, "impressions")}
		whole.Clicks = rapid.Int64Range(0, whole.Impressions).Draw(rt, "clicks")
		perImpression := rapid.Bool().Draw(rt, "per impression")
		billed := func(t delivery.Tally) int64 {
			if perImpression {
				return t.Impressions
			}
			return t.Clicks
		}
		whole.Spend = rapid.Int64Range(0, billed(whole)*price).Draw(rt, "spend")
		parts := make([]part, rapid.IntRange(1, 20).Draw(rt, "parts"))
		for i := range parts {
			parts[i].weight = rapid.Int64Range(1, 120).Draw(rt, "weight")
		}
		var sum delivery.Tally
		for _, share := range split(whole, parts, perImpression) {
			sum.Add(share)
			if share.Clicks > share.Impressions ||
				share.Clicks < 0 || share.Spend < 0 || share.Spend > billed(share)*price {
				rt.Fatalf("share %+v of %+v at most %d each", share, whole, price)
			}
		}
		if sum != whole {
			rt.Fatalf("shares add up to %+v, want %+v", sum, whole)
		}
	})
}
