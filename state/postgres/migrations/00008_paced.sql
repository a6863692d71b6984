-- +goose Up

-- What an account spent of what its budgets had to be spent in seven days, in micros. Null is not known.
ALTER TABLE adsync.view
	ADD COLUMN paced       bigint,
	ADD COLUMN due         bigint,
	ADD COLUMN paced_until timestamptz; -- the last of the days is yesterday before

-- +goose Down
ALTER TABLE adsync.view DROP COLUMN paced, DROP COLUMN due, DROP COLUMN paced_until;
