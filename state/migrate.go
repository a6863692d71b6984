package state

import (
	"context"
	"fmt"
)

// upgrades bring a state from the format of their index plus one to the next.
// They only go forward: an older adsync refuses what a newer one has written.
var upgrades = [...]string{
	// Format 2 keeps reports of runs beside them, in records of their own. What is
	// there stays as it is; an older adsync would drop runs and keep their reports.
	``,
	// Format 3 has a table of its own for classes of long records.
	schemaLong + `; INSERT INTO long SELECT * FROM record WHERE class IN ('body', 'operations', 'report', 'mirror');
		DELETE FROM record WHERE class IN ('body', 'operations', 'report', 'mirror')`,
	// Format 4 remembers which consents were used. An older adsync would take no notice
	// of that, and have them used again.
	``,
}

// upgrade takes the file to this program's format, in one transaction.
func (d *database) upgrade(ctx context.Context, from int) error {
	if from == Format {
		return nil
	}
	tx, err := d.conn.BeginTx(ctx, nil)
	if err != nil {
		return translate(err)
	}
	defer tx.Rollback()
	for _, statement := range append(upgrades[from-1:], fmt.Sprintf(`PRAGMA user_version = %d`, Format)) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return translate(err)
		}
	}
	return translate(tx.Commit())
}
