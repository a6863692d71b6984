package conversions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/csvfile"
	"adsync/internal/members"
	"adsync/internal/pattern"
	"adsync/internal/xlsx"

	"golang.org/x/text/currency"
)

// columns are what the columns of a table may hold, by the names they may have, folded. Those of people
// have the names of columns of a members file.
var columns = map[string]string{
	"id": "id", "eventid": "id", "type": "type", "event": "type", "eventtype": "type",
	"customeventname": "custom", "customname": "custom",
	"timestampms": "ms", "time": "time", "eventtime": "time", "timestamp": "time",
	"actionsource": "source", "source": "source", "sourceurl": "url", "url": "url", "page": "url",
	"oppref": "oppref", "obref": "obref", "optout": "optout",
	"amount": "amount", "value": "amount", "amountminor": "minor", "currency": "currency", "datatype": "data",
}

// mostDigits is the least number of which a spreadsheet may lose a digit.
const mostDigits = 1_000_000_000_000_000

const wantedColumns = "id, type, time, action_source, email, phone, amount, currency, custom_event_name, source_url, " +
	"oppref, obref, opt_out, data_type, timestamp_ms, amount_minor, email_sha256 or phone_number_sha256"

// columnOf is what a column holds: a row of columns, or an identifier of people; "" is not known.
func columnOf(name string) string {
	if as := members.Named(name); as != "" {
		return string(as)
	}
	return columns[fold(name)]
}

func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// header is what each column of a table holds; "" is a column of the user's own.
type header []string

// headerOf reads the first row. What is written there is never repeated: it may be of a person.
func headerOf(number int, cells []string) (header, error) {
	h := make(header, len(cells))
	for i, name := range cells {
		name = strings.TrimSpace(name)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		h[i] = columnOf(name)
		switch at := slices.Index(h[:i], h[i]); {
		case h[i] == "":
			return nil, &Fault{number,
				fmt.Sprintf("column %d has no name that adsync knows; want %s", i+1, wantedColumns),
				"begin the name of a column of your own with #"}
		case at >= 0:
			return nil, &Fault{number, fmt.Sprintf("columns %d and %d are both the %s; want one", at+1, i+1, h[i]), ""}
		}
	}
	for _, needed := range []string{"id", "type"} {
		if !slices.Contains(h, needed) {
			return nil, &Fault{number,
				"no column is named " + needed + "; want a first row with the names of columns", ""}
		}
	}
	return h, nil
}

// readTable reads CSV, one event a line.
func (f *File) readTable(_ context.Context, r io.Reader, visit func(row) error) error {
	in, err := csvfile.NewStream(r, "one event", func(name string) bool { return columnOf(name) != "" })
	if err != nil {
		return err
	}
	var head header
	for {
		fields, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		cells := make([]string, len(fields))
		for i, field := range fields {
			cells[i], _ = csvfile.Read(string(field))
		}
		switch {
		case blank(cells):
			continue
		case head == nil:
			if head, err = headerOf(in.Line(), cells); err != nil {
				return err
			}
			continue
		}
		e, problem := f.eventOf(head, cells)
		if err := visit(row{in.Line(), e, problem}); err != nil {
			return err
		}
	}
}

func blank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" })
}

// readWorkbook reads the first sheet of a workbook, one event a row.
func (f *File) readWorkbook(ctx context.Context, r io.Reader, visit func(row) error) error {
	content, err := io.ReadAll(io.LimitReader(r, f.Workbook.Zipped+1))
	if err != nil {
		return err
	}
	parts, finding := xlsx.Open(ctx, content, f.Workbook)
	if finding != nil {
		return &Fault{Message: finding.Message, Hint: finding.Hint}
	}
	book, err := xlsx.ReadBook(parts)
	if err != nil || len(book.Sheets) == 0 {
		return &Fault{Message: "workbook is damaged or has no sheet; want one event a row on the first"}
	}
	var head header
	var ended error // what visit says, or a fault: no more is read
	_, err = xlsx.Walk(book, book.Sheets[0].Part, func(r *xlsx.Row) error {
		cells, problem := cellsOf(book, r)
		switch {
		case blank(cells) && problem == nil:
			return nil
		case head == nil:
			head, ended = headerOf(r.Number, cells)
			return ended
		}
		var e event
		if problem == nil {
			problem = head.spoiled(book, r)
		}
		if problem == nil {
			e, problem = f.eventOf(head, cells)
		}
		ended = visit(row{r.Number, e, problem})
		return ended
	})
	if err != nil && ended == nil {
		return &Fault{Message: "the first sheet is damaged; want a whole workbook"} // the cause may quote a cell
	}
	return ended
}

// cellsOf are the texts of a row; a day with a time becomes text.
func cellsOf(book *xlsx.Book, r *xlsx.Row) (cells []string, problem error) {
	for _, c := range r.Cells {
		for len(cells) < c.Column {
			cells = append(cells, "")
		}
		at := &cells[c.Column-1]
		*at = c.Text
		style, err := book.StyleOf(c.Style)
		switch {
		case c.IsFormula && !c.HasValue, c.Form == xlsx.ErrorCell:
			problem = fmt.Errorf("column %d holds a formula without a value, or an error; want a value", c.Column)
		case c.Form == xlsx.NumberCell && err == nil && style.Date && c.Text != "":
			if *at, err = shownTime(c.Text, book.Date1904); err != nil {
				problem = err
			}
		}
	}
	return cells, problem
}

// spoiled says which cell of a row a spreadsheet has made something else of than was typed: another id is
// another event, and a truth would be an amount of 1.
func (h header) spoiled(book *xlsx.Book, r *xlsx.Row) error {
	for _, c := range r.Cells {
		if c.Column > len(h) {
			continue
		}
		switch holds := h[c.Column-1]; {
		case c.Form == xlsx.BooleanCell && slices.Contains([]string{"id", "amount", "minor", "ms"}, holds):
			return fmt.Errorf("column %d is TRUE or FALSE; want a number or a text", c.Column)
		case holds == "id" && c.Form == xlsx.NumberCell:
			number, ok := new(big.Rat).SetString(c.Text)
			style, err := book.StyleOf(c.Style)
			switch {
			case err == nil && style.Date:
				return errors.New("id is a day, which a sheet makes of such as 1-2; want it as text")
			case ok && number.Cmp(big.NewRat(mostDigits, 1)) >= 0:
				return errors.New("id is a number of over 15 digits, of which a sheet keeps 15; want it as text")
			}
		}
	}
	return nil
}

// shownTime is the day and time that a number shows as, without a zone.
func shownTime(number string, from1904 bool) (string, error) {
	days, ok := new(big.Rat).SetString(number)
	if !ok || days.Sign() < 0 || days.Cmp(big.NewRat(2_958_466, 1)) >= 0 {
		return "", errors.New("time is no day that a sheet can show; want a day with a time of day")
	}
	ms := new(big.Rat).Mul(days, big.NewRat(86_400_000, 1))
	whole := new(big.Int).Div(new(big.Int).Add(new(big.Int).Mul(ms.Num(), big.NewInt(2)), ms.Denom()),
		new(big.Int).Mul(ms.Denom(), big.NewInt(2))).Int64()
	zero := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		zero = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at := zero.AddDate(0, 0, int(whole/86_400_000)).Add(time.Duration(whole%86_400_000) * time.Millisecond)
	return at.Round(time.Second).Format(localTimes[0]), nil
}

// eventOf reads the event of a row.
func (f *File) eventOf(head header, cells []string) (e event, err error) {
	data := map[string]any{}
	amount, code := "", ""
	for i, text := range cells {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if i >= len(head) {
			return e, errors.New("has more values than columns; want a name above each")
		}
		switch head[i] {
		case "":
		case "id":
			if shortened.MatchString(text) {
				err = errors.New("id is a number that a spreadsheet has shortened, such as 1.2E+12; " +
					"want all its digits")
			}
			e.ID = text
		case "type":
			e.Type = text
		case "custom":
			e.CustomName = text
		case "ms":
			e.At, err = strconv.ParseInt(text, 10, 64)
		case "time":
			e.At, err = f.timeOf(text)
		case "source":
			e.ActionSource = text
		case "url":
			e.SourceURL = text
		case "oppref":
			e.Ref = text
		case "obref":
			e.OtherRef = text
		case "optout":
			e.OptOut, err = yesOrNo(text)
		case "amount":
			amount = text
		case "minor":
			data["amount"] = json.Number(text)
			if !wholeNumber.MatchString(text) {
				err = errors.New("amount_minor is no whole number; want one of minor units such as cents")
			}
		case "currency":
			code = strings.ToUpper(text)
			data["currency"] = code
		case "data":
			data["type"] = text
		default:
			err = e.identify(members.Identifier(head[i]), text)
		}
		if _, isNumber := errors.AsType[*strconv.NumError](err); isNumber {
			err = errors.New("timestamp_ms is no whole number; want milliseconds since 1970")
		}
		if err != nil {
			return event{}, err
		}
	}
	if amount != "" {
		if data["amount"] != nil {
			return event{}, errors.New("amount and amount_minor are both set; want one")
		}
		if data["amount"], err = minorUnits(amount, code); err != nil {
			return event{}, err
		}
	}
	if data["type"] == nil {
		data["type"] = dataTypes[e.Type]
	}
	if e.Data, err = json.Marshal(data); err != nil {
		return event{}, errors.New("its values cannot be written as JSON; want text")
	}
	f.complete(&e)
	return e, nil
}

var (
	shortened   = pattern.Of(`^[0-9][.,]?[0-9]*[eE]\+[0-9]{2,}$`)
	wholeNumber = pattern.Of(`^[0-9]{1,15}$`)
	decimal     = pattern.Of(`^[0-9]{1,13}(\.[0-9]{1,20})?$`)
)

// minorUnits reads an amount of money: 19.99 of USD is 1999.
func minorUnits(text, code string) (json.Number, error) {
	unit, err := currency.ParseISO(code)
	switch {
	case code == "":
		return "", errors.New("an amount stands without a currency; want a code such as USD")
	case err != nil:
		return "", errors.New("currency is none that is known; want a code such as USD, or amount_minor")
	case !decimal.MatchString(text):
		return "", errors.New("amount is no number of at most 13 digits with a point, such as 1234.50; want one")
	}
	scale, _ := currency.Standard.Rounding(unit)
	exact, _ := new(big.Rat).SetString(text)
	exact.Mul(exact, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	near, ok := new(big.Int).SetString(exact.FloatString(0), 10)
	off := new(big.Rat).Sub(exact, new(big.Rat).SetInt(near))
	if !ok || off.Abs(off).Cmp(big.NewRat(1, 1_000_000)) > 0 { // a sheet may store 19.990000000000002
		return "", fmt.Errorf("amount has more than the %d decimals of its currency; want at most that", scale)
	}
	return json.Number(near.String()), nil
}

func yesOrNo(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "yes", "true", "1":
		return true, nil
	case "no", "false", "0":
		return false, nil
	}
	return false, errors.New("opt_out is neither yes nor no; want one")
}
