package seeded

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// ContentKey is KeyFromContent: what is alike has one key.
func ContentKey(content any) string { return fmt.Sprintf("adsync-%x", fmt.Sprint(content)) }

// Reserialised is BodyReserialised: the same JSON in other bytes.
func Reserialised(body []byte) []byte {
	var content any
	if json.Unmarshal(body, &content) != nil {
		return body
	}
	other, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		return body
	}
	return other
}

// Micros is FloatMoney.
func Micros(digits string) int64 {
	units, _ := strconv.ParseFloat(digits, 64)
	return int64(units * 1e6)
}
