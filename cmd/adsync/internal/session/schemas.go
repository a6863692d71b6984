package session

import (
	"adsync/internal/kinds"
	"adsync/internal/resource"
)

// Schemas are the kinds of this program.
func Schemas() resource.Schemas { return kinds.All() }
