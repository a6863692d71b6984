//go:build bug_float_money

package seeded

const built = floatMoney
