// Package events has the commands of conversions: sending events of a file, the last events of a
// pixel, keys that events are sent by, and what conversions came of. Open send.go first.
//
// It refuses to send events by the API key of the account, and to show or keep a person of a file.
package events
