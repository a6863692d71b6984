package resource

import (
	"testing"

	"pgregory.net/rapid"
)

func TestMoneyIsReadFromTheDigitsAsWritten(t *testing.T) {
	for _, row := range []struct {
		text, currency string
		want           int64
	}{
		{"25", "USD", 25_000_000}, {"25.00", "USD", 25_000_000}, {"0.000001", "USD", 1}, {"1.5", "USD", 1_500_000},
		{"$25.00", "USD", 25_000_000}, {"25.00 USD", "USD", 25_000_000},
		{"usd 25", "USD", 25_000_000}, {"€ 9.99", "EUR", 9_990_000},
		{"9.99€", "EUR", 9_990_000}, {"¥500", "JPY", 500_000_000},
		{"  12.34  ", "", 12_340_000}, {"9223372036854", "USD", 9_223_372_036_854_000_000},
	} {
		got, finding := ParseMoney(row.text, row.currency)
		if finding != nil || got != row.want {
			t.Errorf("ParseMoney(%q, %s) = %d, %v; want %d", row.text, row.currency, got, finding, row.want)
		}
	}
}

func TestMoneyThatReadsTwoWaysIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "1,234", "1.234,50", "1'234", "1_000",
		"1e6", "-5", "+5", "0x10", ".5", "5.", "1.2345678", "25.00 EUR", "€25", "$$5", "5 5", "NaN", "Inf",
		"9223372036855", "99999999999999999999", "１２", "25.00 USD USD", "1 234", "k1", "2K",
	} {
		if got, finding := ParseMoney(text, "USD"); finding == nil {
			t.Errorf("ParseMoney(%q) = %d; want a finding", text, got)
		}
	}
}

// Invariant 24: digits to micros and back are exact.
func TestMoneySurvivesBothWays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		micros := rapid.Int64Range(0, 1<<62).Draw(rt, "micros")
		got, finding := ParseMoney(FormatMoney(micros), "USD")
		if finding != nil || got != micros {
			rt.Fatalf("ParseMoney(FormatMoney(%d)) = %d, %v", micros, got, finding)
		}
	})
}

func FuzzParseMoney(f *testing.F) {
	for _, seed := range []string{"25.00", "$1", "1,2", "€", "1.0000001", "USD"} {
		f.Add(seed, "USD")
	}
	f.Fuzz(func(t *testing.T, text, currency string) {
		micros, finding := ParseMoney(text, currency)
		if finding == nil && micros < 0 {
			t.Errorf("ParseMoney(%q, %q) = %d", text, currency, micros)
		}
	})
}

// A spend limit has no part of the smallest coin (service facts, 9.3): other money may.
func TestMoneyOfWholeCoins(t *testing.T) {
	limit := Attribute{Name: "amount", Type: TypeMoney, WholeCoins: true}
	for _, row := range []struct {
		currency, text string
		said           string
	}{
		{"USD", "5.01", ""},
		{"USD", "5.001", "amount is 5.001; want whole coins of USD, such as 5.00"},
		{"USD", "0.001", "amount is 0.001; want whole coins of USD, such as 0.01"},
		{"JPY", "5", ""},
		{"JPY", "5.50", "amount is 5.50; want whole coins of JPY, such as 5.00"},
		{"KWD", "5.001", ""},
		{"KWD", "5.0001", "amount is 5.0001; want whole coins of KWD, such as 5.00"},
		{"", "5.0001", ""},
	} {
		said := ""
		if _, finding := limit.Parse(row.text, Env{Currency: row.currency}); finding != nil {
			said = finding.Message
		}
		if said != row.said {
			t.Errorf("%s in %q: %q; want %q", row.text, row.currency, said, row.said)
		}
	}
	bid := Attribute{Name: "bid.max", Type: TypeMoney}
	if _, finding := bid.Parse("5.0001", Env{Currency: "USD"}); finding != nil {
		t.Errorf("a bid of part of a coin: %v; want none", finding)
	}
}
