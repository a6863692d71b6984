// Package insights asks the service for figures and shows them. A Question says which
// (question.go) or, of hotels, a HotelQuestion (hotel.go); Ask sends it, splits what the
// service refuses as too many rows and joins the answers (ask.go); a Report holds the
// rows on disk and the sums in memory (report.go, spool.go); the rest are its forms.
//
// Invariants: money and counts are whole millionths, never a float; a rate of several
// rows is worked out from sums, and what cannot be summed has no sum; the report of
// a question that was split is that of one answer. The package changes nothing.
package insights
