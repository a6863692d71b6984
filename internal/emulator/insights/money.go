package insights

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// amount is a metric in millionths: micros of money, or a count or ratio times a
// million. Void is one that has no value, such as a cost per click without clicks.
type amount struct {
	millionths int64
	void       bool
}

func count(n int64) amount { return amount{millionths: n * 1_000_000} }

func money(micros int64) amount { return amount{millionths: micros} }

// ratio is a divided by b, to the nearest millionth.
func ratio(a, b int64) amount {
	if b == 0 {
		return amount{void: true}
	}
	n := new(big.Int).Mul(big.NewInt(a), big.NewInt(2_000_000))
	n.Add(n, big.NewInt(b))
	n.Quo(n, big.NewInt(2*b))
	return amount{millionths: n.Int64()}
}

// rate is micros a divided by b, to the nearest micro.
func rate(micros, b int64) amount {
	if b == 0 {
		return amount{void: true}
	}
	n := new(big.Int).Mul(big.NewInt(micros), big.NewInt(2))
	n.Add(n, big.NewInt(b))
	n.Quo(n, big.NewInt(2*b))
	return amount{millionths: n.Int64()}
}

// decimal is the exact decimal of a number of millionths, such as 12.5.
func decimal(millionths int64) string {
	sign := ""
	if millionths < 0 {
		sign, millionths = "-", -millionths
	}
	text := sign + strconv.FormatInt(millionths/1_000_000, 10)
	if rest := millionths % 1_000_000; rest != 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(1_000_000+rest, 10)[1:], "0")
	}
	return text
}

// threshold reads a finite decimal as millionths, rounded down and up.
func threshold(n json.Number) (down, up int64, ok bool) {
	f, err := n.Float64() // for its size alone
	switch {
	case err != nil || len(n) > 100:
		return 0, 0, false
	case f > 9e12:
		return math.MaxInt64, math.MaxInt64, true
	case f < -9e12:
		return math.MinInt64, math.MinInt64, true
	case f == 0, f < 1e-7 && f > -1e-7:
		return min(0, int64(sign(f))), max(0, int64(sign(f))), true
	}
	exact, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return 0, 0, false
	}
	exact.Mul(exact, big.NewRat(1_000_000, 1))
	down = new(big.Int).Div(exact.Num(), exact.Denom()).Int64()
	if exact.IsInt() {
		return down, down, true
	}
	return down, down + 1, true
}

func sign(f float64) int {
	switch {
	case f > 0:
		return 1
	case f < 0:
		return -1
	}
	return 0
}
