-- +goose Up

-- Accounts that nobody looks after are counted with each pull.
CREATE INDEX attendance_free ON adsync.attendance (name) WHERE worker IS NULL;

-- +goose Down
DROP INDEX adsync.attendance_free;
