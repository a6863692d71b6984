package resource

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"

	"golang.org/x/text/currency"
)

// An amount that cannot be read mostly is one of a few things people type. Each is
// told from the others by its form, and says what to type in its place.

const (
	digitsOf = `([0-9]+(?:[.,][0-9]+)?)`
	unitsOf  = `(?:day|days|d|daily|week|weekly|wk|month|monthly|mo|year|yearly|hour|click|clicks|` +
		`impression|impressions|view|views|conversion|cpc|cpm|campaign|ad|tag|woche|monat|jour|mois|día|dia|mes)\.?`
)

var (
	noValue = pattern.Of(`(?i)^(n/?a|n\.a\.?|none|nil|null|no|` +
		`tbd|tba|tbc|[-–—?.x]+|unlimited|no (limit|max|maximum|budget|bid)|open|free|auto|automatic|default|same|as ` +
		`before|keine?r?s?|ninguno|aucune?|nessuno|без|нет|无|なし|없음)$`)
	percentAmount = pattern.Of(`^` + digitsOf + `\s*%$`)
	scaledAmount  = pattern.Of(`(?i)^` + digitsOf +
		`\s*(k|tsd\.?|thousand|mil|m|mm|mn|mio\.?|million|millions)$`)
	ratedAmount = pattern.Of(`(?i)^` + digitsOf +
		`\s*(?:(?:/|per|a|an|pro|par|por|each|p\.)\s*` + unitsOf + `|` + unitsOf + `)$`)
	aboutAmount = pattern.Of(
		`(?i)^(?:~|≈|ca\.?|about|approx\.?|circa|max\.?|min\.?|up to|from|at most|[<>≤≥=]+)\s*` + digitsOf + `$`)
	rangeAmount  = pattern.Of(`(?i)^` + digitsOf + `\s*(?:-|–|to|bis|\.\.+)\s*` + digitsOf + `$`)
	negative     = pattern.Of(`^(?:[-−–]\s*[0-9].*|\(\s*[0-9][0-9., ]*\)|[0-9][0-9., ]*[-−])$`)
	dashedCents  = pattern.Of(`^([0-9]+)[.,][-–—]+$`)
	commaAmount  = pattern.Of(`^([0-9]{1,3}(?:[. '][0-9]{3})*|[0-9]+),([0-9]{1,2})$`)
	thousands    = pattern.Of(`^[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,6})?$`)
	spacedAmount = pattern.Of(`^[0-9]{1,3}(?:[ '’\x{a0}\x{202f}\x{2009}][0-9]{3})+(?:\.[0-9]{1,6})?$`)
	noDigits     = strings.NewReplacer(".", "", ",",
		"", " ", "", "'", "", "’", "", "\u00a0", "", "\u202f", "", "\u2009", "")
)

// leaveBlank is the hint for words that mean that there is no value.
const leaveBlank = "leave the cell blank (in YAML: leave the line out), and adsync leaves the setting as it is"

// saysNothing reports whether a text is a word for no value.
func saysNothing(s string) bool { return noValue.MatchString(s) }

// badMoney returns what an amount looks like that is none, and what to type.
func badMoney(s, code string) *Finding {
	text := withoutCurrency(s, code)
	say := func(what, wanted, hint string) *Finding {
		return &Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("amount is %q%s; want %s", s, what, wanted), Hint: hint,
		}
	}
	such := "an amount such as 25.00" + spaced(code)
	if saysNothing(text) {
		return say("", such+", or nothing", leaveBlank)
	}
	if percentAmount.MatchString(text) {
		return say(", a percentage", such, "write what it comes to")
	}
	if m := scaledAmount.FindStringSubmatch(text); m != nil {
		return say(", a short form", "all of its digits", "write "+scaledDigits(m[1], m[2]))
	}
	if m := ratedAmount.FindStringSubmatch(text); m != nil {
		return say(", with what it is for", "the amount alone", "write "+pointed(m[1]))
	}
	if m := aboutAmount.FindStringSubmatch(text); m != nil {
		return say(", with a word or a sign", "the amount alone", "write "+pointed(m[1]))
	}
	if rangeAmount.MatchString(text) {
		return say(", which are two", "one amount", "write the higher one: it is the most that is spent")
	}
	if negative.MatchString(text) && !dashedCents.MatchString(text) {
		return say(", which is below zero", such, "take the minus or the brackets away if the amount is meant")
	}
	if f := unclearMoney(s, text); f != nil {
		return f
	}
	if foreign := strings.Trim(text, "0123456789., \u00a0-+_'"); foreign != "" && isCurrency(foreign) {
		return say("", "the account's currency"+spaced(code),
			strings.TrimSuffix("write what it comes to in "+code, " in "))
	}
	return say("", "units of the account's currency such as 25.00"+spaced(code), "")
}

// unclearMoney returns how to write an amount whose comma, point or space separates
// thousands to some and decimals to others.
func unclearMoney(s, text string) *Finding {
	hint := ""
	if m := dashedCents.FindStringSubmatch(text); m != nil {
		hint = "write " + m[1] + ".00"
	} else if m := commaAmount.FindStringSubmatch(text); m != nil {
		hint = fmt.Sprintf("write %s.%s", noDigits.Replace(m[1]), m[2])
	} else if thousands.MatchString(text) {
		whole, fraction, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), ".")
		hint = "write " + strings.TrimSuffix(whole+"."+fraction, ".")
		if strings.Count(text, ",") == 1 && fraction == "" {
			hint += " or " + strings.Replace(text, ",", ".", 1)
		}
	} else if spacedAmount.MatchString(text) {
		whole, fraction, _ := strings.Cut(text, ".")
		hint = "write " + strings.TrimSuffix(noDigits.Replace(whole)+"."+fraction, ".")
	}
	if hint == "" {
		return nil
	}
	return &Finding{
		Code: diag.BadMoney, Message: fmt.Sprintf("amount is %q, which can "+
			"be read in more than one way; want a decimal point and nothing between thousands", s), Hint: hint,
	}
}

func pointed(digits string) string { return strings.Replace(digits, ",", ".", 1) }

// scaledDigits writes 1.5k as 1500.
func scaledDigits(digits, unit string) string {
	zeros := 6
	if u := strings.ToLower(unit)[0]; u == 'k' || u == 't' || strings.EqualFold(unit, "mil") {
		zeros = 3
	}
	whole, fraction, _ := strings.Cut(pointed(digits), ".")
	if len(fraction) < zeros {
		fraction += strings.Repeat("0", zeros-len(fraction))
	}
	all := strings.TrimLeft(whole+fraction[:zeros], "0")
	if rest := strings.TrimRight(fraction[zeros:], "0"); rest != "" {
		all += "." + rest
	}
	return all
}

// isCurrency reports whether a text names a currency by its code or a symbol.
func isCurrency(text string) bool {
	text = strings.TrimSpace(text)
	if _, err := currency.ParseISO(text); err == nil {
		return true
	}
	for _, own := range symbols {
		for _, symbol := range own {
			if strings.EqualFold(symbol, text) {
				return true
			}
		}
	}
	return false
}
