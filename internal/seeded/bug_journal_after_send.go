//go:build bug_journal_after_send

package seeded

const built = journalAfterSend
