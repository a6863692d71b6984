// Package arch holds the shape of the program: which package may import which,
// where the service may be mutated, that plan stays pure, that kinds are data,
// how long a file may be, and which dependencies are explained.
//
// It has tests only and refuses to run anything: it reads the source as text.
// Its invariant is that every rule here names the file and line that breaks it.
package arch
