// Package sim is the simulation of faults.md (L2): the real agent and the real
// emulator in one process, over a network, a clock and a disk that are not
// real, through histories that a seed draws. It has tests only; package oracle
// beneath it judges.
//
// It refuses real sockets, real time and real chance. Its invariant: a history
// is plain data, so that one that went wrong is shrunk, printed and run again.
package sim
