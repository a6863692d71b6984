package ads

import "testing"

// NewRows gives ad groups two attributes more, by a row each and nothing else, until the test ends.
func NewRows(t *testing.T) {
	before := AdGroupAttributes
	t.Cleanup(func() { AdGroupAttributes = before })
	all := Create | Update | BulkCreate | BulkUpdate
	AdGroupAttributes = append(before[:len(before):len(before)],
		Attribute{Name: "test_note", Form: textOf(0, 40), In: all, Clears: true},
		Attribute{Name: "test_words", Form: listOf(2, checkHint), In: all, none: []string{}},
	)
}
