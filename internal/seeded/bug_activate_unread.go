//go:build bug_activate_unread

package seeded

const built = activateUnread
