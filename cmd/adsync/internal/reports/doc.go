// Package reports has adsync report, and what collects the facts of a report for it and for the daemon: figures, the
// record, runs, reviews and what waits.
//
// It refuses to add anything up, which internal/report does, and changes nothing.
package reports
