// Package conversions reads files of conversion events, cuts them into batches, sends them and
// keeps what became of each batch. Open file.go for the reading, survey.go for the cutting,
// send.go for the sending, journal.go for what is kept.
//
// It refuses an event that the service would refuse, as the service takes a batch whole or not at
// all; and a person in the clear: identifiers go out hashed, and are in no error, journal or
// result. Its invariant: a batch that may have arrived is never sent again unless somebody says so.
package conversions
