// Package bench makes the accounts that every benchmark measures, the floor they
// are measured against, and the lower bounds of what is counted.
//
// The same shape gives the same bytes on every machine. It refuses to know the
// agent: accounts are written as text and as cells, and the floor is what the
// libraries alone need for the same bytes, so that no mistake of the agent makes
// its own measure. Only tests import it.
package bench
