//go:build bug_null_budget_zero

package seeded

const built = nullBudgetZero
