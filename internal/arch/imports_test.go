package arch

import (
	"slices"
	"strings"
	"testing"
)

// may is the import map: what the code of a package may import of this program.
// Imports point inward only; sources, plan, state and adsapi never meet.
// The emulator is not in it: it shares nothing with the agent.
var may = map[string][]string{
	"cmd/adsync": {"cmd/adsync/internal/access", "cmd/adsync/internal/console",
		"cmd/adsync/internal/daemoncmd", "cmd/adsync/internal/events", "cmd/adsync/internal/files",
		"cmd/adsync/internal/ops", "cmd/adsync/internal/planning", "cmd/adsync/internal/session",
		"internal/emulator"},
	"cmd/adsync/internal/planning": {"cmd/adsync/internal/console", "cmd/adsync/internal/runs",
		"cmd/adsync/internal/session", "internal/diag", "internal/gitstore", "internal/orders",
		"internal/resource", "internal/runview", "plan", "reconcile", "sources/tidy", "state"},
