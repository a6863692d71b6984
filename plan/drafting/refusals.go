package drafting

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// wrongRow is a row of which only the account or the record tells that it is not valid:
// a new campaign without a budget.
type wrongRow struct {
	address resource.Address
	at      diag.Position
	problem diag.Problem
	Lowers  bool
	Adrift  bool // nobody can tell which resource it is
}

// Refusals are what is wrong with rows: problems, or where rows may wait what they wait for.
type Refusals struct {
	*Tree
	Problems diag.List
	Wrong    []wrongRow
}

// Refuse reports what is wrong with the row of a resource: a problem, or where rows may
// wait what it waits for. attribute is the one concerned, "" for none.
func (d *Refusals) Refuse(t *Entry, attribute string, p diag.Problem) {
	switch {
	case d.WaitsAt(t.Index).Holds():
	case !d.LetsWait || t.Desired == nil:
		d.Problems.Add(p)
	default:
		a := t.Kind.Attributes[attribute]
		d.Wrong = append(d.Wrong, wrongRow{
			address: t.Address, at: t.Desired.Position, problem: p, Lowers: a != nil && a.OfMoney(),
		})
	}
}

// WaitingRows are the rows that wait beside those that did already; none where there
// are more of a sheet than may.
func (d *Refusals) WaitingRows() ([]plan.InvalidRow, []diag.Problem) {
	d.Wrong = slices.CompactFunc(d.Wrong, func(a, b wrongRow) bool { return a == b })
	if len(d.Wrong) == 0 || d.tooManyWrong() {
		for _, w := range d.Wrong {
			d.Problems.Add(w.problem)
		}
		return nil, nil
	}
	var rows []plan.InvalidRow
	var problems []diag.Problem
	for _, w := range d.Wrong {
		problems = append(problems, diag.Problem{
			Severity: diag.Error, Code: w.problem.Code, Position: w.problem.Position, Address: w.problem.Address,
			Message: w.problem.Message, Hint: w.problem.Hint,
		})
		i := slices.IndexFunc(rows, func(r plan.InvalidRow) bool { return r.Address == w.address })
		if i < 0 {
			i = len(rows)
			rows = append(rows, plan.InvalidRow{
				Address: w.address, Cell: w.problem.Position, Message: w.problem.String(),
			})
		}
		rows[i].Lowers = rows[i].Lowers || w.Lowers
		rows[i].Adrift = rows[i].Adrift || w.Adrift
	}
	return rows, problems
}

// sheetOf tells rows apart by where they may be shifted together: a sheet, or a kind of
// a file without sheets.
type sheetOf struct {
	file, sheet string
	kind        resource.Kind
}

func (d *Refusals) tooManyWrong() bool {
	of := func(kind resource.Kind, at diag.Position) sheetOf {
		if at.Sheet() != "" {
			kind = ""
		}
		return sheetOf{at.File(), at.Sheet(), kind}
	}
	rows, wrong, seen := map[sheetOf]int{}, map[sheetOf]int{}, map[resource.Address]bool{}
	for i := range d.All {
		if t := &d.All[i]; t.Desired != nil {
			rows[of(t.Address.Kind, t.Desired.Position)]++
		}
	}
	for _, w := range d.Wrong {
		if !seen[w.address] {
			seen[w.address] = true
			wrong[of(w.address.Kind, w.at)]++
		}
	}
	for sheet, n := range wrong {
		if n > diag.MayWait(rows[sheet]) {
			return true
		}
	}
	return false
}
