package insights

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/words/catalogue"
)

// form is how a figure is to be read.
type form uint8

const (
	count form = iota
	money      // units of the account's currency
	share      // of one
	times      // a factor
)

// metric is a figure of the service (service facts, section 10). One that adds up
// has neither over nor under; a rate is over ÷ under × scale; one with loose has no
// figure for several rows.
type metric struct {
	name        string
	form        form
	over, under string
	scale       int64
	loose       bool
}

var metrics = []metric{
	{name: "impressions"},
	{name: "clicks"},
	{name: "spend", form: money},
	{name: "ctr", form: share, over: "clicks", under: "impressions", scale: 1},
	{name: "cpc", form: money, over: "spend", under: "clicks", scale: 1},
	{name: "cpm", form: money, over: "spend", under: "impressions", scale: 1000},
	{name: "conversions"},
	{name: "click_through_conversions"},
	{name: "view_through_conversions"},
	{name: "attributed_event_count"},
	{name: "attributed_event_value_count"},
	{name: "attributed_event_value_amount", form: money},
	{name: "cpa", form: money, over: "spend", under: "conversions", scale: 1},
	// Conversions after clicks alone are no figure of the service.
	{name: "post_click_cvr", form: share, loose: true},
	{name: "order_created_attributed_sales", form: money},
	{name: "order_created_roas", form: times,
		over: "order_created_attributed_sales", under: "spend", scale: 1},
	{name: "carousel_product_card_impressions"},
	{name: "carousel_product_card_clicks"},
}

// metricOf finds a metric by the service's word.
func metricOf(name string) (metric, bool) {
	at := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })
	if at < 0 {
		return metric{}, false
	}
	return metrics[at], true
}

// header is what people call the figure; "" where there is none.
func (m metric) header() string {
	if m.name == "" {
		return ""
	}
	return catalogue.Say("figure." + m.name)
}

func (m metric) isRate() bool { return m.under != "" }

// Millionths reads a decimal, rounded half up; false where it is none or too large.
func Millionths(text string) (int64, bool) {
	whole, decimals, _ := strings.Cut(text, ".")
	if whole == "" {
		return 0, false
	}
	if len(decimals) <= 6 && len(whole) <= 12 {
		n, err := strconv.ParseInt(whole+decimals+"000000"[len(decimals):], 10, 64)
		return n, err == nil
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	exact.Mul(exact, big.NewRat(1_000_000, 1))
	n := rounded(exact.Num(), exact.Denom())
	return n.Int64(), n.IsInt64()
}

// rounded is a ÷ b to the nearest whole number, half up; b is above zero.
func rounded(a, b *big.Int) *big.Int {
	n := new(big.Int).Lsh(a, 1)
	n.Add(n, b)
	return n.Div(n, new(big.Int).Lsh(b, 1))
}

// quotient is a ÷ b × scale as a decimal of six places at most; "" where b is zero.
func quotient(a, b, scale int64) string {
	if b <= 0 {
		return ""
	}
	over := new(big.Int).Mul(big.NewInt(a), big.NewInt(scale*1_000_000))
	n := rounded(over, big.NewInt(b))
	if !n.IsInt64() {
		return ""
	}
	return decimal(n.Int64())
}

// Share returns which share a is of b as decimal text; "" where b is not above zero.
func Share(a, b int64) string { return quotient(a, b, 1) }

// decimal writes millionths as a decimal, such as 12.5.
func decimal(n int64) string {
	sign, size := signed(n)
	text := sign + strconv.FormatUint(size/1_000_000, 10)
	if rest := size % 1_000_000; rest != 0 {
		text += "." + strings.TrimRight(strconv.FormatUint(1_000_000+rest, 10)[1:], "0")
	}
	return text
}

// shown is a figure as people read it: grouped digits, money with two decimals or, below
// one, four, shares in percent.
func (f form) shown(text string) string {
	n, ok := Millionths(text)
	if !ok {
		return text
	}
	places := 0
	switch f {
	case money:
		places = 2
		if n > -1_000_000 && n < 1_000_000 && n%10_000 != 0 {
			places = 4
		}
	case share:
		return fixed(n, 2, 10_000) + "%"
	case times:
		places = 2
	}
	return fixed(n, places, 1_000_000)
}

// signed returns the sign of a number and its size, of the least number too.
func signed(n int64) (sign string, size uint64) {
	if n < 0 {
		return "-", -uint64(n)
	}
	return "", uint64(n)
}

// fixed writes a count of parts, so many of which are 1, with so many decimals and grouped digits.
func fixed(n int64, places int, one uint64) string {
	sign, size := signed(n)
	for range places {
		one /= 10
	}
	digits := strconv.FormatUint((size+one/2)/one, 10)
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, decimals := digits[:len(digits)-places], digits[len(digits)-places:]
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if places > 0 {
		whole += "." + decimals
	}
	return sign + whole
}

// Figure returns a figure of sums as decimal text: a sum itself, or a rate of two. sum returns a sum in millionths, and
// false where it is not known. "" is no figure.
func Figure(name string, sum func(metric string) (int64, bool)) string {
	m, known := metricOf(name)
	if !known || m.loose {
		return ""
	}
	if !m.isRate() {
		if n, ok := sum(name); ok {
			return decimal(n)
		}
		return ""
	}
	over, ok := sum(m.over)
	under, also := sum(m.under)
	if !ok || !also {
		return ""
	}
	return quotient(over, under, m.scale)
}

// Shown returns a figure as people read it; header is what its column is called.
func Shown(name, text string) (shown, header string) {
	m, _ := metricOf(name)
	if text != "" {
		text = m.form.shown(text)
	}
	return text, m.header()
}
