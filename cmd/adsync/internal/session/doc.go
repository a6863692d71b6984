// Package session opens one account: its project and files, the policy that holds
// for it, its state, its service, and the lease and control files of its daemon.
//
// Env is the environment of one command; Connect joins what was loaded with the
// state and the service, and a read-only session can send no mutation. The package
// decides nothing about changes and prints no plan.
//
// Open loaded.go first (files to a Loaded), then dial.go (a Loaded to a Session). operator.go
// and service.go say which key goes to which address, policy.go joins the policies, git.go
// reads a revision, halt.go says which STOP or suspension stands and obey.go breaks off what
// waits for it, lease.go keeps a daemon and a command apart, recovered.go ends what an earlier
// run left open, reviews.go keeps what is known of reviews.
package session
