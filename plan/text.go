package plan

import "io"

// TextOptions says how a plan is written for people.
type TextOptions struct {
	Color    bool
	Currency string // ISO 4217, shown after sums
	Width    int    // columns; 0 is 100
}

// WriteText writes the plan for people.
func WriteText(w io.Writer, p *Plan, o TextOptions) error { return nil }
