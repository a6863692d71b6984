-- +goose Up

-- A worker is a process of adsync. It lives until its time ends; a heartbeat puts that off.
CREATE TABLE adsync.worker (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	host    text NOT NULL,
	pid     integer NOT NULL,
	command text NOT NULL,
	version text NOT NULL,
	since   timestamptz NOT NULL,
	ends    timestamptz NOT NULL
);

-- A head is the state of one account: which it is, how far it has come, and which worker may write it. The token
-- rises each time a worker takes it, so that one that had it before writes nothing any more.
CREATE TABLE adsync.head (
	account   text PRIMARY KEY,
	format    integer NOT NULL,
	lineage   text NOT NULL,
	serial    bigint NOT NULL,
	bound_to  text NOT NULL DEFAULT '',
	currency  text NOT NULL DEFAULT '',
	time_zone text NOT NULL DEFAULT '',
	records   bigint NOT NULL DEFAULT 0,
	digest    bigint NOT NULL DEFAULT 0,
	token     bigint NOT NULL DEFAULT 0,
	worker    bigint REFERENCES adsync.worker (id) ON DELETE SET NULL,
	cluster   bigint NOT NULL,
	timeline  bigint NOT NULL
);
CREATE INDEX head_worker ON adsync.head (worker) WHERE worker IS NOT NULL;

-- Records are kept as they are: a key and a value are bytes, and sum proves them.
CREATE TABLE adsync.record (
	account text NOT NULL,
	class   text NOT NULL,
	key     bytea NOT NULL,
	value   bytea NOT NULL,
	sum     bigint NOT NULL,
	PRIMARY KEY (account, class, key)
);

-- +goose Down
DROP TABLE adsync.record, adsync.head, adsync.worker;
