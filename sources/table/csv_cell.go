package table

import (
	"fmt"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/celltext"
)

// Text returns what a field says. What a program or a wrong encoding has made of
// it on its way here is refused.
func (g *csvGrid) Text(c xlsx.Cell, typ resource.Type) (string, *resource.Finding) {
	if typ == resource.TypeImage && c.IsFormula {
		if address, finding, ok := shownAddress(c); ok {
			return address, finding
		}
	}
	if c.IsFormula {
		return "", &resource.Finding{
			Code: diag.FormulaNoValue, Message: "value is a formula, of which a CSV file keeps no result; want " +
				celltext.Expected(typ) + " itself",
			Hint: "put ' before a text that begins with =",
		}
	}
	if finding := celltext.ErrorText(c.Text); finding != nil {
		return "", finding
	}
	if finding := celltext.CutCell(c.Text); finding != nil {
		return "", finding
	}
	if finding := resource.Garbled(c.Text); finding != nil {
		return "", finding
	}
	if typ == resource.TypeMoney {
		return c.Text, g.unclearAmount(strings.TrimSpace(c.Text))
	}
	if g.Meanings[c.Column-1] == csvfile.AsWritten {
		return c.Text, mangled(c.Text, typ)
	}
	return c.Text, nil
}

// mangled refuses a text of which a spreadsheet program has made a number
// (fault W14).
func mangled(text string, typ resource.Type) *resource.Finding {
	parts := []string{strings.TrimSpace(text)}
	switch typ {
	case resource.TypeIDs:
		list := resource.Attribute{Type: resource.TypeIDs}
		parts = list.Split(text)
	case resource.TypeText, resource.TypeID, celltext.TypeKey:
	default:
		return nil
	}
	for _, part := range parts {
		if csvfile.Mangled(part) {
			return &resource.Finding{
				Code: diag.BadValue, Message: fmt.Sprintf("value is %q, "+
					"a number in which a spreadsheet program has lost digits; want %s as it was",
					part, celltext.Expected(typ)),
				Hint: `write it as ="00123", which programs leave alone, if it is right as it stands`,
			}
		}
	}
	return nil
}

var pointThousands = pattern.Of(`^[1-9][0-9]{0,2}(?:\.[0-9]{3})+$`)

// unclearAmount returns how to write an amount with points where semicolons separate
// the values: a comma is somebody's decimal point then, and a point may well
// separate thousands.
func (g *csvGrid) unclearAmount(text string) *resource.Finding {
	if g.Delimiter != ';' || !pointThousands.MatchString(text) {
		return nil
	}
	hint := "write " + strings.ReplaceAll(text, ".", "") + ".00"
	if strings.Count(text, ".") == 1 {
		hint += " or " + text + "0"
	}
	return &resource.Finding{
		Code: diag.BadMoney, Message: fmt.Sprintf("amount is %q, which can "+
			"be read in more than one way; want a decimal point and nothing between thousands", text), Hint: hint,
	}
}
