package resource

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// MicrosPerUnit is how many micros make one unit of a currency (interface, part 1).
const MicrosPerUnit = 1_000_000

// ParseMoney reads units of the account's currency from the digits as written
// and gives micros. It takes the account's own code or symbol and at most six decimals,
// and no mark between thousands: what could be read two ways is a finding (formats.md
// section 1).
func ParseMoney(s, currency string) (int64, *Finding) {
	s = Clean(s)
	digits := withoutCurrency(s, currency)
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	if !allDigits(whole) || hasPoint && (!allDigits(fraction) || len(fraction) > 6) {
		return 0, badMoney(s, currency)
	}
	micros, ok := toMicros(whole, fraction)
	if !ok {
		return 0, badMoney(s, currency)
	}
	return micros, nil
}

func spaced(currency string) string {
	if currency == "" {
		return ""
	}
	return " " + currency
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func toMicros(whole, fraction string) (int64, bool) {
	var n int64
	for _, d := range whole + fraction + strings.Repeat("0", 6-len(fraction)) {
		if n > (math.MaxInt64-9)/10 {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	return n, true
}

// symbols of currencies that stand for one currency only when it is the account's.
var symbols = map[string][]string{
	"USD": {"US$", "$"}, "CAD": {"CA$", "$"}, "AUD": {"A$", "$"},
	"NZD": {"NZ$", "$"}, "SGD": {"S$", "$"}, "HKD": {"HK$", "$"}, "MXN": {"MX$", "$"},
	"EUR": {"€"}, "GBP": {"£"}, "JPY": {"¥", "￥"}, "CNY": {"¥", "￥"}, "INR": {"₹"}, "BRL": {"R$"}, "KRW": {"₩"},
	"CHF": {"Fr."}, "SEK": {"kr"}, "NOK": {"kr"}, "DKK": {"kr"}, "PLN": {"zł"}, "CZK": {"Kč"}, "ILS": {"₪"},
}

// withoutCurrency takes the account's own code or symbol off an amount.
func withoutCurrency(s, currency string) string {
	for _, own := range append([]string{currency}, symbols[currency]...) {
		if own == "" {
			continue
		}
		if rest, ok := cutPrefixFold(s, own); ok {
			return strings.TrimSpace(rest)
		}
		if rest, ok := cutSuffixFold(s, own); ok {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func cutSuffixFold(s, suffix string) (string, bool) {
	if len(s) < len(suffix) || !strings.EqualFold(s[len(s)-len(suffix):], suffix) {
		return s, false
	}
	return s[:len(s)-len(suffix)], true
}

// Currencies without decimals, and with three (ISO 4217); all others have two.
var (
	noDecimals = strings.Fields("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF")
	thousandth = strings.Fields("BHD IQD JOD KWD LYD OMR TND")
)

// coinOf returns the smallest coin of a currency in micros: 10,000 for USD.
func coinOf(currency string) int64 {
	switch {
	case slices.Contains(noDecimals, currency):
		return MicrosPerUnit
	case slices.Contains(thousandth, currency):
		return MicrosPerUnit / 1_000
	}
	return MicrosPerUnit / 100
}

// FormatMoney writes micros as units with at least two decimals: 1500000 is "1.50".
func FormatMoney(micros int64) string {
	sign := ""
	if micros < 0 {
		sign, micros = "-", -micros
	}
	fraction := strings.TrimRight(fmt.Sprintf("%06d", micros%MicrosPerUnit), "0")
	for len(fraction) < 2 {
		fraction += "0"
	}
	return fmt.Sprintf("%s%d.%s", sign, micros/MicrosPerUnit, fraction)
}

// Symbol is how amounts of a currency are shown: the shortest sign that
// ParseMoney takes for it, else its code.
func Symbol(currency string) string {
	own := symbols[currency]
	if len(own) == 0 {
		return currency
	}
	return slices.MinFunc(own, func(a, b string) int { return utf8.RuneCountInString(a) - utf8.RuneCountInString(b) })
}
