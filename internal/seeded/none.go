//go:build !bug_new_key_on_retry && !bug_key_from_clock && !bug_key_from_content && !bug_journal_after_send && !bug_no_fsync && !bug_rename_without_dir_sync && !bug_body_reserialised && !bug_results_before_complete && !bug_skipped_as_done && !bug_empty_list_on_error && !bug_page_two_ignored && !bug_null_budget_zero && !bug_daily_as_lifetime && !bug_archived_twin_adopted && !bug_activate_unread && !bug_increases_first && !bug_list_decides && !bug_partial_sources && !bug_lock_by_text && !bug_stale_plan && !bug_retry_after_ignored && !bug_conflict_retried && !bug_float_money && !bug_redaction_missing && !bug_foreign_pause_undone && !bug_share_only && !bug_commits_apart

package seeded

const built = none
