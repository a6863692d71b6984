package compare

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
	lowers  bool
	adrift  bool // nobody can tell which resource it is
}

// refusals are what is wrong with rows: problems, or where rows may wait what they wait for.
type refusals struct {
	*tree
	problems diag.List
	wrong    []wrongRow
}

// refuse reports what is wrong with the row of a resource: a problem, or where rows may
// wait what it waits for. attribute is the one concerned, "" for none.
func (d *refusals) refuse(t *entry, attribute string, p diag.Problem) {
	switch {
	case d.waitsAt(t.index).holds():
	case !d.LetsWait || t.desired == nil:
		d.problems.Add(p)
	default:
		a := t.kind.attributes[attribute]
		d.wrong = append(d.wrong, wrongRow{
			address: t.address, at: t.desired.Position, problem: p, lowers: a != nil && a.OfMoney(),
		})
	}
}

// waitingRows are the rows that wait beside those that did already; none where there
// are more of a sheet than may.
func (d *refusals) waitingRows() ([]plan.InvalidRow, []diag.Problem) {
	d.wrong = slices.CompactFunc(d.wrong, func(a, b wrongRow) bool { return a == b })
	if len(d.wrong) == 0 || d.tooManyWrong() {
		for _, w := range d.wrong {
			d.problems.Add(w.problem)
		}
		return nil, nil
	}
	var rows []plan.InvalidRow
	var problems []diag.Problem
	for _, w := range d.wrong {
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
		rows[i].Lowers = rows[i].Lowers || w.lowers
		rows[i].Adrift = rows[i].Adrift || w.adrift
	}
	return rows, problems
}

// sheetOf tells rows apart by where they may be shifted together: a sheet, or a kind of
// a file without sheets.
type sheetOf struct {
	file, sheet string
	kind        resource.Kind
}

func (d *refusals) tooManyWrong() bool {
	of := func(kind resource.Kind, at diag.Position) sheetOf {
		if at.Sheet() != "" {
			kind = ""
		}
		return sheetOf{at.File(), at.Sheet(), kind}
	}
	rows, wrong, seen := map[sheetOf]int{}, map[sheetOf]int{}, map[resource.Address]bool{}
	for i := range d.all {
		if t := &d.all[i]; t.desired != nil {
			rows[of(t.address.Kind, t.desired.Position)]++
		}
	}
	for _, w := range d.wrong {
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
