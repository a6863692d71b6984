-- +goose Up

-- What an account spent of late, in micros of its currency, for lists that add it up and sort by it. Null is not known.
ALTER TABLE adsync.view
	ADD COLUMN currency    text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN rejected    integer NOT NULL DEFAULT 0, -- ads
	ADD COLUMN possible    bigint,                     -- as exposure, null before the first plan
	ADD COLUMN day         bigint,                     -- of the day that is yesterday before fresh_until
	ADD COLUMN week        bigint,                     -- of the seven days to that day
	ADD COLUMN week_before bigint,
	ADD COLUMN fresh_until timestamptz;

-- +goose Down
ALTER TABLE adsync.view DROP COLUMN currency, DROP COLUMN rejected, DROP COLUMN possible, DROP COLUMN day,
	DROP COLUMN week, DROP COLUMN week_before, DROP COLUMN fresh_until;
