package conformance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

type absence struct{}

// missing is what at gives for a path that is not there.
var missing any = absence{}

// at reads a path such as data[0].name; [last] is the last entry. "" is the whole.
func at(value any, path string) any {
	for part := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		index, isIndex := strings.CutPrefix(part, "[")
		switch {
		case part == "":
		case isIndex:
			value = entry(value, strings.TrimSuffix(index, "]"))
		default:
			fields, _ := value.(object)
			inner, ok := fields[part]
			if !ok {
				return missing
			}
			value = inner
		}
	}
	return value
}

func entry(value any, index string) any {
	list, _ := value.([]any)
	i, err := strconv.Atoi(index)
	if index == "last" {
		i, err = len(list)-1, nil
	}
	if err != nil || i < 0 || i >= len(list) {
		return missing
	}
	return list[i]
}

// flat writes a value so that equal values are equal texts.
func flat(value any) string {
	if value == missing {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
