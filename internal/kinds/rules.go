package kinds

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// stated says a value of another resource, and where it stands: the reader
// looks at one of the two places and needs the other.
func stated(v resource.Value) string {
	text := v.Text()
	if n, isNumber := v.Number(); isNumber {
		text = resource.FormatMoney(n)
	}
	return diag.Printable(text) + place(v)
}

func place(v resource.Value) string {
	if v.Position.IsZero() {
		return unwritten(v)
	}
	return fmt.Sprintf(" (%s)", v.Position)
}

// unwritten returns where a value is that no file says.
func unwritten(v resource.Value) string {
	if v.Position.IsZero() {
		return " at the service"
	}
	return ""
}

func conflicting(attribute, format string, args ...any) []resource.Finding {
	return []resource.Finding{{Code: diag.Conflicting, Attribute: attribute, Message: fmt.Sprintf(format, args...)}}
}
