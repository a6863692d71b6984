package celltext

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Exact reads the digits a cell stores, also in scientific form, without a float.
func Exact(raw string) (*big.Rat, bool) {
	if len(raw) > 40 || strings.Trim(raw, "0123456789.eE+-") != "" {
		return nil, false
	}
	if _, exponent, ok := strings.Cut(strings.ToUpper(raw), "E"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 {
		return nil, false
	}
	return new(big.Rat).SetString(raw)
}

// MoneyDigits returns the digits of an amount with at most six decimals. Programs
// store 100 as 100.00000000000001 after a calculation: what lies within a
// billionth of an amount of six decimals is that amount.
func MoneyDigits(raw string) (string, *resource.Finding) {
	if PlainAmount(raw) {
		return raw, tooManyDigits(raw, raw)
	}
	n, ok := Exact(raw)
	if !ok {
		return "", &resource.Finding{Code: diag.BadMoney, Message: fmt.Sprintf("amount is %q; want a number", raw)}
	}
	digits := n.FloatString(6)
	rounded, _ := new(big.Rat).SetString(digits)
	off := new(big.Rat).Sub(rounded, n)
	if off.Abs(off).Cmp(new(big.Rat).Mul(new(big.Rat).Abs(n), dust)) > 0 {
		return "", &resource.Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("amount is %s; want at most six decimals", raw),
		}
	}
	digits = strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
	return digits, tooManyDigits(raw, digits)
}

// tooManyDigits refuses an amount whose last digits a workbook does not keep:
// programs round a number to fifteen when they save it.
func tooManyDigits(raw, digits string) *resource.Finding {
	whole, fraction, _ := strings.Cut(digits, ".")
	significant := strings.TrimLeft(whole+strings.TrimRight(fraction, "0"), "0")
	if strings.TrimRight(fraction, "0") == "" {
		significant = strings.TrimRight(significant, "0")
	}
	if len(significant) <= MaxExactDigits {
		return nil
	}
	return &resource.Finding{
		Code: diag.BadMoney, Message: fmt.Sprintf("amount is %s, "+
			"of which a workbook keeps %d digits; want fewer, or the amount as text", raw, MaxExactDigits),
	}
}

var dust = big.NewRat(1, 1_000_000_000)

// PlainAmount reports whether a text is digits with at most six decimals.
func PlainAmount(raw string) bool {
	whole, fraction, point := strings.Cut(raw, ".")
	return whole != "" && strings.Trim(raw, "0123456789.") == "" &&
		len(fraction) <= 6 && (!point || fraction != "") && !strings.Contains(fraction, ".")
}

// MaxExactDigits is how many digits of a number a workbook keeps.
const MaxExactDigits = 15

// IntegerText returns the digits of a whole number a person typed where a text is
// wanted: the name "2026".
func IntegerText(raw string) (string, *resource.Finding) {
	n, ok := Exact(raw)
	if !ok || !n.IsInt() {
		return "", &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("cell holds the number %s; want text", raw),
		}
	}
	digits := n.Num().String()
	if len(strings.TrimLeft(digits, "-")) > MaxExactDigits {
		return "", &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("cell holds the "+
				"number %s, of which a workbook keeps %d digits; want text", raw, MaxExactDigits),
		}
	}
	return digits, nil
}

// DayOfSerial reads a day as workbooks store it: days since the end of 1899,
// with a 29 February 1900 that never was, or since 1904 on old Macs.
func DayOfSerial(raw string, date1904 bool) (string, *resource.Finding) {
	n, ok := Exact(raw)
	if !ok || n.Sign() < 0 {
		return "", &resource.Finding{
			Code: diag.BadDate, Message: fmt.Sprintf("date is the number %q; want a day such as 2026-12-01", raw),
		}
	}
	if !n.IsInt() {
		f := &resource.Finding{
			Code: diag.BadDate, Message: "date has a time of day; want a day alone, such as 2026-12-01",
		}
		if day, wrong := DayOfSerial(new(big.Int).Quo(n.Num(), n.Denom()).String(), date1904); wrong == nil {
			f.Message = fmt.Sprintf("date is %s with a time of day; want a day alone", day)
			f.Hint = "write " + day
		}
		return "", f
	}
	if !n.Num().IsInt64() || n.Num().Int64() > lastSerial {
		return "", &resource.Finding{
			Code: diag.BadDate, Message: fmt.Sprintf("date is the number %s; want a day such as 2026-12-01", raw),
		}
	}
	days := int(n.Num().Int64())
	first := time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	if !date1904 {
		first = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	}
	if !date1904 && days < firstSerial {
		return "", &resource.Finding{
			Code: diag.BadDate, Message: fmt.Sprintf("date is the "+
				"number %s, a day before March 1900; want a day such as 2026-12-01", raw),
		}
	}
	return first.AddDate(0, 0, days).Format(time.DateOnly), nil
}

// firstSerial is 1 March 1900: programs do not agree on the days before.
const firstSerial = 61

// lastSerial is 31 December 9999, the last day of every workbook program.
const lastSerial = 2_958_465
