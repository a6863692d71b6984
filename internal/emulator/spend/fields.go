package spend

import (
	"slices"
	"strings"

	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Bounds of the fields (service facts 9.3).
const (
	maxAmount        = 1_000_000_000_000_000 // micros
	firstDate        = world.Date("2000-01-01")
	lastDate         = world.Date("2100-01-01")
	maxFutureWindows = 60
	maxText          = 256 // code points of name and io_id
)

// readDate takes a day from 2000-01-01 to 2100-01-01.
func readDate(o *wire.Object, name string) wire.Opt[world.Date] {
	text := o.Text(name, 0, 0)
	v := wire.Opt[world.Date]{Set: text.Set, Null: text.Null}
	if !text.Given() {
		return v
	}
	date, ok := world.ParseDate(text.V)
	if !ok {
		o.Fail(name, "invalid_value", "Invalid '%s': '%s' is no date; want YYYY-MM-DD.", o.At(name), text.V)
	} else if date < firstDate || date > lastDate {
		o.Fail(name, "invalid_value", "Invalid '%s': %s is outside %s to %s.", o.At(name), date, firstDate, lastDate)
	}
	v.V = date
	return v
}

func readAmount(o *wire.Object) wire.Opt[int64] { return o.Int("amount_micros", 0, maxAmount) }

// wholeUnits refuses an amount that is no multiple of the currency's smallest coin.
func wholeUnits(currency string, amount int64) error {
	if unit := smallestUnit(currency); amount%unit != 0 {
		return wire.Invalidf("amount_micros", "invalid_value",
			"Invalid 'amount_micros': %d is no multiple of %d, the smallest unit of %s.", amount, unit, currency)
	}
	return nil
}

// Currencies without decimals, and with three (ISO 4217); all others have two.
var (
	noDecimals    = strings.Fields("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF")
	threeDecimals = strings.Fields("BHD IQD JOD KWD LYD OMR TND")
)

// smallestUnit of a currency, in micros: 10,000 for USD.
func smallestUnit(currency string) int64 {
	switch {
	case slices.Contains(noDecimals, currency):
		return 1_000_000
	case slices.Contains(threeDecimals, currency):
		return 1_000
	}
	return 10_000
}
