//go:build bug_rename_without_dir_sync

package seeded

const built = renameWithoutDirSync
