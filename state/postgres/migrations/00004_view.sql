-- +goose Up

-- What the daemon that looks after an account tells of it, for the pages of all daemons: what lists search and sort by
-- in columns, all else as it is. It is written where it is another than before, and nothing rests on it.
CREATE TABLE adsync.view (
	account  text PRIMARY KEY,
	name     text COLLATE "C" NOT NULL, -- for people, as the configuration has it
	words    text NOT NULL,             -- what is searched, in small letters
	state    text NOT NULL DEFAULT '',
	waits    integer NOT NULL DEFAULT 0,
	exposure bigint NOT NULL DEFAULT 0, -- possible spend a day, in micros
	problems integer NOT NULL DEFAULT 0,
	glance   bytea,                     -- null before the first word
	plan     bytea,
	host     text NOT NULL DEFAULT '',  -- of who told it
	updated  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX view_name ON adsync.view (name);

-- Who gave the token in a browser, by the hash of what the cookie holds.
CREATE TABLE adsync.session (
	hash bytea PRIMARY KEY,
	name text NOT NULL,
	ends timestamptz NOT NULL
);

-- Whoever orders something rings for the daemon of the account, whatever it is written with.
-- +goose StatementBegin
CREATE FUNCTION adsync.ordered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		PERFORM pg_notify('adsync', 'order ' || OLD.account);
	ELSE
		PERFORM pg_notify('adsync', 'order ' || NEW.account);
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER ordered AFTER INSERT OR UPDATE ON adsync.beside FOR EACH ROW
	WHEN (NEW.name IN ('STOP', 'suspend.json') OR NEW.name >= 'ask-' AND NEW.name < 'ask.')
	EXECUTE FUNCTION adsync.ordered();
CREATE TRIGGER withdrawn AFTER DELETE ON adsync.beside FOR EACH ROW
	WHEN (OLD.name IN ('STOP', 'suspend.json') OR OLD.name >= 'ask-' AND OLD.name < 'ask.')
	EXECUTE FUNCTION adsync.ordered();

-- +goose Down
DROP TRIGGER ordered ON adsync.beside;
DROP TRIGGER withdrawn ON adsync.beside;
DROP FUNCTION adsync.ordered;
DROP TABLE adsync.session, adsync.view;
