// Package figures keeps what an account's campaigns, ad groups and ads did on each day, so that pages and reports ask
// the service for nothing.
//
// It refuses to estimate: a day that was not read is a gap, a figure that the service did not give is not known, and
// the account's current day is preliminary. Its invariant: a day is kept whole, as it was read at one moment, or not
// at all.
//
// keep.go is what is kept, collect.go decides which days are read next, table.go adds them up.
package figures
