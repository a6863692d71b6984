// Package schedule has reports sent at their hours: of the same days to each place once, also after a restart.
//
// It refuses to know how a report is made or sent, and asks the service for nothing. Its invariant: what is sent is
// written down before and after, so that whatever dies between sends the same again, under the same id.
//
// hour.go says when a report is due, watch.go waits for that and for the figures, record.go keeps what was sent.
package schedule
