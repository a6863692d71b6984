-- +goose Up

-- The floor is the oldest program that may work with these tables: the newest migration that it has to know, and the
-- first release that knows it. One row.
CREATE TABLE adsync.floor (
	migration bigint NOT NULL,
	release   text NOT NULL
);
INSERT INTO adsync.floor VALUES (1, '0.1.0');

-- The newest migration that the program of a worker knows.
ALTER TABLE adsync.worker ADD COLUMN migration bigint NOT NULL DEFAULT 4;

-- A migration that an older program cannot live with begins with
--     SELECT adsync.raise_floor(9, '1.0.0');
-- It is not made while such a program works. One that begins meanwhile waits, and then reads the new floor.
-- +goose StatementBegin
CREATE FUNCTION adsync.raise_floor(wanted bigint, first_release text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	older adsync.worker;
BEGIN
	LOCK TABLE adsync.worker IN SHARE ROW EXCLUSIVE MODE;
	SELECT * INTO older FROM adsync.worker
		WHERE ends > clock_timestamp() AND migration < wanted ORDER BY id LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'process % on % (%, version %) works with it, and only % or newer may; stop the older first',
			older.pid, older.host, older.command, older.version, first_release USING ERRCODE = 'AD001';
	END IF;
	UPDATE adsync.floor SET migration = wanted, release = first_release;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION adsync.raise_floor;
ALTER TABLE adsync.worker DROP COLUMN migration;
DROP TABLE adsync.floor;
