package fault

import (
	"slices"

	"adsync/internal/emulator/wire"
)

// reader takes what a document says of an action. It keeps problems in the object.
type reader func(o *wire.Object) action

// table is every kind of fault. A further one is a file with its reader, a row
// here, and a section of docs/develop/emulator-faults.md.
var table = []Kind{
	{"delay", "a slow network or a busy service: the request arrives late", readDelay},
	{"drop_before_commit", "a connection that breaks before the service has done anything", readDropBefore},
	{"drop_after_commit", "an answer that is lost: the service did it, the caller cannot know", readDropAfter},
	{"duplicate", "a proxy that delivers a request twice", readDuplicate},
	{"hold_until", "a request or an answer that arrives long after the caller gave up", readHold},
	{"status", "a gateway or an overloaded service that answers with an error", readStatus},
	{"mutate_body", "an answer that is not what the documents say: cut, a proxy's page, a field gone, a new value",
		readMutate},
	{"slow", "an answer that trickles in", readSlow},
	{"visibility_lag", "a service whose lists and keys do not know yet what was just created", readVisibility},
	{"key_ttl", "a service that forgets idempotency keys", readKeyTTL},
	{"job", "bulk jobs that stall, fail, or report less than they did", readJob},
	{"foreign_write", "another person or program at the same ad account", readForeign},
	{"flip", "an account that is paused, loses postpaid billing or a feature while in use", readFlip},
}

// Kinds is a copy of the table.
func Kinds() []Kind { return slices.Clone(table) }
