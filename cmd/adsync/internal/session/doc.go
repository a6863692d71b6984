// Package session opens one account: its project and files, the policy that holds
// for it, its state, its service, and the lease and control files of its daemon.
//
// Env is the environment of one command; Connect joins what was loaded with the
// state and the service, and a read-only session can send no mutation. The package
// decides nothing about changes and prints no plan.
package session
