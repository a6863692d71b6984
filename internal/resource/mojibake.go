package resource

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"adsync/internal/diag"

	"golang.org/x/text/encoding/charmap"
)

// Garbled refuses a text that was decoded wrongly on its way here: nobody means it.
func Garbled(text string) *Finding {
	if strings.ContainsRune(text, utf8.RuneError) {
		return &Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("value is %q, "+
				"in which U+FFFD stands for a character that was lost; want the text as it was meant", text),
			Hint: fromItsSource,
		}
	}
	meant, found := mojibake(text)
	if !found {
		return nil
	}
	return &Finding{
		Code: diag.BadValue, Message: fmt.Sprintf("value is %q, which is %q read in the wrong encoding; want %q",
			text, meant, meant),
		Hint: "write " + meant + ", or " + fromItsSource,
	}
}

const fromItsSource = "take the text again from where it came, and save that as UTF-8 (of a CSV file: CSV UTF-8)"

// mojibake finds UTF-8 that was read as Windows-1252 somewhere on its way here:
// "Ã¼" where "ü" was meant. It gives the whole text as it was meant. Sequences
// that stand in natural writing too, such as "CAFÉ»" or "Spaß“", are left alone.
func mojibake(text string) (meant string, found bool) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0 {
		return text, false
	}
	var b strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); {
		n := garbledAt(runes, i)
		if n == 0 {
			b.WriteRune(runes[i])
			i++
			continue
		}
		found = true
		b.Write(windowsBytes(runes[i : i+n]))
		i += n
	}
	return b.String(), found
}

// garbledAt returns how many characters from i on are one or several that were
// decoded wrongly, 0 where none are.
func garbledAt(runes []rune, i int) int {
	if runes[i] < 0x80 {
		return 0
	}
	one := sequenceAt(runes, i)
	if one == 0 {
		return 0
	}
	if certain(runes, i, one) {
		return one
	}
	// Two of them side by side are a word of another script, not chance.
	total := one
	for next := sequenceAt(runes, i+total); next > 0; next = sequenceAt(runes, i+total) {
		total += next
	}
	if total > one {
		return total
	}
	return 0
}

// sequenceAt returns the length of what would be one character of UTF-8.
func sequenceAt(runes []rune, i int) int {
	window := runes[min(i, len(runes)):min(i+utf8.UTFMax, len(runes))]
	raw := windowsBytes(window)
	if len(raw) == 0 || raw[0] < 0xc2 {
		return 0
	}
	if r, size := utf8.DecodeRune(raw); r != utf8.RuneError && size > 1 {
		return size
	}
	return 0
}

// windowsBytes are the bytes of the characters in Windows-1252, up to the first
// it does not have. Bytes it gives no meaning were read as control characters.
func windowsBytes(runes []rune) []byte {
	var raw []byte
	for _, r := range runes {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok && r >= 0x80 && r < 0xa0 {
			b, ok = byte(r), true
		}
		if !ok {
			break
		}
		raw = append(raw, b)
	}
	return raw
}

// certain reports whether a sequence stands in no natural text: accented Latin
// letters, punctuation, emoji and the byte order mark.
func certain(runes []rune, i, length int) bool {
	raw := windowsBytes(runes[i : i+length])
	switch {
	case raw[0] == 0xf0 && raw[1] == 0x9f, string(raw) == "\ufeff":
		return true
	case raw[0] == 0xe2:
		return !closes(runes[i+1])
	case raw[0] > 0xc5:
		return false
	case raw[1] >= 0xa0:
		return true
	}
	return !closes(runes[i+1]) || !endsWord(runes, i, length)
}

// closes knows the quotation marks, dashes and signs that stand after a word.
func closes(r rune) bool { return strings.ContainsRune("’‘”“›–—…™•", r) }

// endsWord reports whether a letter stands before and none behind: "AMANHÃ”".
func endsWord(runes []rune, i, length int) bool {
	before := i > 0 && unicode.IsLetter(runes[i-1])
	behind := i+length < len(runes) && unicode.IsLetter(runes[i+length])
	return before && !behind
}
