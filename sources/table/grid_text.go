package table

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/celltext"
)

// Text returns the text an attribute's Parse reads: what the cell stores, in the
// form its type wants. It never looks at what the cell shows.
func (g sheetGrid) Text(c xlsx.Cell, typ resource.Type) (string, *resource.Finding) {
	if typ == resource.TypeImage && c.IsFormula {
		if address, finding, ok := shownAddress(c); ok {
			return address, finding
		}
	}
	if c.IsFormula && c.Form != xlsx.ErrorCell {
		if finding := celltext.BadFormula(c, typ); finding != nil {
			return "", finding
		}
	}
	switch c.Form {
	case xlsx.ErrorCell:
		return "", g.cellError(c, celltext.Expected(typ))
	case xlsx.BooleanCell:
		return "", &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("cell holds %s; want %s",
				celltext.Truth(c.Text), celltext.Expected(typ)),
		}
	case xlsx.DateCell:
		return celltext.IsoDay(c.Text, typ)
	case xlsx.NumberCell:
		return g.numberText(c, typ)
	}
	if finding := celltext.CutCell(c.Text); finding != nil {
		return "", finding
	}
	if finding := resource.Garbled(c.Text); finding != nil {
		return "", finding
	}
	return c.Text, celltext.ErrorText(c.Text)
}

func (g sheetGrid) numberText(c xlsx.Cell, typ resource.Type) (string, *resource.Finding) {
	format, err := g.Book.StyleOf(c.Style)
	if err != nil {
		return "", xlsx.Damaged("%v", err)
	}
	switch {
	case typ == resource.TypeMoney:
		return g.amount(c, format)
	case typ == resource.TypeDay || typ == resource.TypeLast:
		if !format.Date {
			f := &resource.Finding{
				Code:    diag.BadDate,
				Message: fmt.Sprintf("cell holds the number %s; want a day such as 2026-12-01", c.Text),
			}
			if day, wrong := celltext.DayOfSerial(c.Text, g.Book.Date1904); wrong == nil {
				f.Hint = "give the cell the format of a date if it is to be " + day
			}
			return "", f
		}
		return celltext.DayOfSerial(c.Text, g.Book.Date1904)
	case typ == resource.TypeID || typ == celltext.TypeKey:
		return "", &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("cell holds the "+
				"number %s; want %s as text, because numbers lose zeros and digits", c.Text, celltext.Expected(typ)),
			Hint: "give the cell the format Text and type it again",
		}
	case format.Date:
		return "", &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("cell holds a date (the number %s); want text", c.Text),
		}
	case format.Percent:
		return "", &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("cell holds a percentage (the number %s); want text", c.Text),
		}
	}
	return celltext.IntegerText(c.Text)
}

// amount returns the digits of money, if the cell's format does not say that the
// number is something else.
func (g sheetGrid) amount(c xlsx.Cell, format xlsx.Style) (string, *resource.Finding) {
	currency := g.In.Env.Currency
	switch {
	case format.Date:
		return "", &resource.Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("cell holds a date (the number %s); want an amount such as 25.00",
				c.Text), Hint: "some programs " +
				"make a day of 1.5: give the cell the format of a number, and type the amount again",
		}
	case format.Percent:
		return "", &resource.Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("cell holds a percentage (the number %s); want "+
				"an amount such as 25.00", c.Text), Hint: "give the cell the format of a number, and type the amount",
		}
	case format.Symbol != "" && currency != "" && celltext.IsForeign(format.Symbol, currency):
		return "", &resource.Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("amount is %s, shown in %q; want the account's currency %s",
				c.Text, format.Symbol, currency),
		}
	}
	return celltext.MoneyDigits(c.Text)
}

func (r *bookReader) cellError(c xlsx.Cell, want string) *resource.Finding {
	if _, picture := r.pictureInCell(c); picture {
		return &resource.Finding{Code: diag.BadValue, Message: "a picture is placed in this cell; want " + want}
	}
	return &resource.Finding{
		Code: diag.CellError, Message: fmt.Sprintf("cell holds the error %s; want a value", c.Text),
		Hint: "mend the formula, or write the value itself",
	}
}
