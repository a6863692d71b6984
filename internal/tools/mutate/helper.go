package main

// helperText is what mutants call. Which one is on says MUTANT; the numbers of
// those that are reached are appended to the file that MUTANT_REACHED names.
const helperText = `

import (
	"cmp"
	"os"
	"strconv"
	"sync"
)

var (
	mutantOn, _   = strconv.Atoi(os.Getenv("MUTANT"))
	mutantReached = os.Getenv("MUTANT_REACHED")
	mutantsSeen   sync.Map
)

func mutant(id int) bool {
	if mutantReached != "" {
		if _, seen := mutantsSeen.LoadOrStore(id, true); !seen {
			if f, err := os.OpenFile(mutantReached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
				f.WriteString(strconv.Itoa(id) + "\n")
				f.Close()
			}
		}
	}
	return id == mutantOn
}

func mutantKeeps(id int) bool { return !mutant(id) }

func mutantNot(id int, b bool) bool { return b != mutant(id) }

func mutantJoin(id int, op string, x bool, y func() bool) bool {
	if (op == "&&") != mutant(id) {
		return x && y()
	}
	return x || y()
}

func mutantSign[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64](id int, x T) T {
	if mutant(id) {
		return -x
	}
	return x
}

func mutantCompare[T cmp.Ordered](boundary, negation int, op string, x, y T) bool {
	if mutant(boundary) {
		op = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[op]
	}
	is := false
	switch op {
	case "<":
		is = x < y
	case "<=":
		is = x <= y
	case ">":
		is = x > y
	case ">=":
		is = x >= y
	}
	return is != mutant(negation)
}

func mutantCount[T interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}](id int, op string, x, y T) T {
	if mutant(id) {
		op = map[string]string{"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}[op]
	}
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	if op == "%" {
		return x - x/y*y
	}
	return x / y
}
`
