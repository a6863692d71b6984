//go:build bug_key_from_content

package seeded

const built = keyFromContent
