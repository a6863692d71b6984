-- +goose Up

-- A worker is a process of adsync. It lives until its time ends; a heartbeat puts that off.
CREATE TABLE adsync.worker (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	host    text NOT NULL,
	pid     integer NOT NULL,
	command text NOT NULL,
	version text NOT NULL,
	since   timestamptz NOT NULL,
	ends    timestamptz NOT NULL,
	attends boolean NOT NULL DEFAULT false -- it is a daemon, and takes its share of the accounts
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

-- Accounts of the daemons, by the names of their configuration, each with the worker that looks after it.
CREATE TABLE adsync.attendance (
	name   text PRIMARY KEY,
	worker bigint REFERENCES adsync.worker (id) ON DELETE SET NULL
);
CREATE INDEX attendance_worker ON adsync.attendance (worker) WHERE worker IS NOT NULL;

-- What is kept beside the state of an account, whoever has it: orders, approvals, figures. A content is its parts in
-- order; who appends adds one.
CREATE TABLE adsync.beside (
	account text NOT NULL,
	name    bytea NOT NULL,
	part    bigint GENERATED ALWAYS AS IDENTITY,
	content bytea NOT NULL,
	PRIMARY KEY (account, name, part)
);
CREATE INDEX beside_order ON adsync.beside (account, name, part)
	WHERE name IN ('STOP', 'suspend.json') OR name >= 'ask-' AND name < 'ask.';

-- +goose Down
DROP TABLE adsync.beside, adsync.attendance, adsync.record, adsync.head, adsync.worker;
