package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// checker holds resources against their schemas, and the files they refer to against the service's bounds.
type checker struct{ *attachments }

// check holds one resource against its schema.
func (c *checker) check(e *entry) {
	c.checkRequired(e)
	var people resource.Value
	for i := range e.resource.Attributes {
		n := &e.resource.Attributes[i]
		a, known := e.draft.Schema.Attribute(n.Name)
		if !known || !n.Value.IsSet() {
			continue
		}
		c.checkVisible(e, a, n.Value)
		c.checkAmount(e, a, n.Value)
		c.checkDomain(e, a, n.Value)
		c.checkPublic(e, a, n.Value)
		switch a.Type {
		case resource.TypeImage:
			n.Value = c.checkImage(e, a, n.Value)
		case resource.TypeMembers:
			n.Value, people = c.checkMembers(e, a, n.Value)
		}
	}
	if m := e.draft.Schema.Membership; m != nil {
		e.resource.Set(m.People, people)
	}
	c.checkRules(e)
}

// checkID refuses what no id of the service can be, in any format: a text in which a
// program has lost digits, or with a space in it.
func (c *checker) checkID(e *entry) {
	if id := e.draft.ID; id.Text != "" {
		if f := resource.RuinedID(id.Text); f != nil {
			c.report(e, id.Position, *f)
			e.resource.ID, e.resource.IDAt = "", diag.Position{}
			e.row.adrift = e.row.adrift || e.draft.Key.Text == "" // the id alone may have said which one it is
		}
	}
}

func (c *checker) checkRequired(e *entry) {
	for i := range e.draft.Schema.Attributes {
		a := &e.draft.Schema.Attributes[i]
		if !a.Required || e.resource.Value(a.Name).IsSet() || slices.Contains(e.draft.Rejected, a.Name) {
			continue
		}
		position := e.draft.Position
		if blank, known := e.draft.Blanks[a.Name]; known {
			position = blank
		}
		c.report(e, position, resource.Finding{
			Code:    diag.Required,
			Message: fmt.Sprintf("%s has no %s; want one", strings.ToLower(e.draft.Schema.Title), a.Name),
			Hint:    a.Help,
		})
	}
}

// checkRules asks each rule. What a rule finds counts only where it saw no
// attribute that is written and does not parse: such a value is not absent.
func (c *checker) checkRules(e *entry) {
	unsure := false
	value := func(name string) resource.Value {
		unsure = unsure || slices.Contains(e.draft.Rejected, name)
		return e.resource.Value(name)
	}
	for _, rule := range e.draft.Schema.Rules {
		unsure = false
		f := rule.Check(value)
		if f == nil || unsure {
			continue
		}
		position := e.resource.Value(f.Attribute).Position
		if position.IsZero() {
			position = e.draft.Position
		}
		c.report(e, position, *f)
	}
}

// checkVisible reports characters a reader of the file cannot see, or takes for
// others: in a text they may be meant, in an address they lead somewhere else.
func (c *checker) checkVisible(e *entry, a *resource.Attribute, v resource.Value) {
	c.reportHidden(e, a, v.Text(), v.Position)
	for i, item := range v.Items() {
		c.reportHidden(e, a, item, v.ItemPosition(i))
	}
}

func (c *checker) reportHidden(e *entry, a *resource.Attribute, text string, at diag.Position) {
	if plain(text) {
		return
	}
	if i := strings.IndexFunc(text, unseen); i >= 0 {
		c.report(e, at, resource.Finding{
			Code: diag.HiddenCharacter, Severity: weight(a),
			Message: fmt.Sprintf("%s holds the character U+%04X, which cannot be seen; want visible text",
				a.Name, []rune(text[i:])[0]),
			Hint: "type the text again if it was pasted",
		})
	}
	if r, found := diag.Lookalike(text); found {
		c.report(e, at, resource.Finding{
			Code: diag.HiddenCharacter, Severity: weight(a),
			Message: fmt.Sprintf("%s holds %q (U+%04X), which looks "+
				"like a Latin letter and is none; want letters of one alphabet in a word", a.Name, string(r), r),
			Hint: "type the word again if it was pasted",
		})
	}
}

// plain is true for a text that shows all it holds: the printed characters of
// ASCII.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func unseen(r rune) bool {
	return r != '\n' && r != '\t' && (r < ' ' || r > '~') && diag.HasHidden(string(r))
}

// weight is error where a character nobody notices leads somewhere else.
func weight(a *resource.Attribute) diag.Severity {
	if a.Type == resource.TypeURL || a.Type == resource.TypeImage || a.Type == resource.TypeQuery {
		return diag.Error
	}
	return diag.Warning
}

// Amounts above these look like micros that were meant as units.
const (
	likelyMicrosBudget = 1_000_000 * resource.MicrosPerUnit
	likelyMicrosBid    = 10_000 * resource.MicrosPerUnit
)

func (c *checker) checkAmount(e *entry, a *resource.Attribute, v resource.Value) {
	n, isNumber := v.Number()
	if !isNumber || a.Type != resource.TypeMoney {
		return
	}
	likely := int64(likelyMicrosBid)
	if a.Per != "" {
		likely = likelyMicrosBudget
	}
	if n < likely {
		return
	}
	c.report(e, v.Position, resource.Finding{
		Code: diag.LooksLikeMicros, Severity: diag.Warning,
		Message: fmt.Sprintf("%s is %s, which looks like micros; want units of the account's currency",
			a.Name, resource.FormatMoney(n)),
		Hint: fmt.Sprintf("%s if micros were meant", resource.FormatMoney(n/resource.MicrosPerUnit)),
	})
}
