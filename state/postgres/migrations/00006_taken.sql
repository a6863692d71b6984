-- +goose Up

-- Accounts that nobody looks after are counted with each pull.
CREATE INDEX attendance_free ON adsync.attendance (name) WHERE worker IS NULL;

-- When a state was last taken over from a process that had not given it back.
ALTER TABLE adsync.head ADD COLUMN taken timestamptz;

-- +goose Down
ALTER TABLE adsync.head DROP COLUMN taken;
DROP INDEX adsync.attendance_free;
