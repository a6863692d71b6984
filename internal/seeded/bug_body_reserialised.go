//go:build bug_body_reserialised

package seeded

const built = bodyReserialised
