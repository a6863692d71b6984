-- +goose Up

-- A slot is ten seconds in which a service is asked from one network address: so many requests to an endpoint were
-- permitted in it, to whichever processes. Eight rows of an endpoint are used in turn, so that none has to be removed.
CREATE TABLE adsync.slot (
	address  text NOT NULL,
	endpoint text NOT NULL,
	turn     smallint NOT NULL,
	ends     timestamptz NOT NULL,
	used     integer NOT NULL,
	PRIMARY KEY (address, endpoint, turn)
) WITH (fillfactor = 50);

-- take permits requests: those that wait and, where many went in the last ten seconds, those to come in this slot. They
-- lapse with it, after "lasts". Where fewer are permitted than wait, more may be after "again".
--
-- A permit counts until a minute after its slot, and five seconds that a request may take to the service. So whichever
-- minute the service looks at, all requests of it counted when the last of them was permitted: 559 at most to an
-- endpoint, and 1,119 in all. Only the clock of the database decides.
--
-- Something is left for others: nobody takes more than a quarter of the room at once, who gets too little comes again
-- later, and a burst leaves 8 requests to the endpoint, 16 in all, for each ten seconds that it counts.
--
-- It runs as its owner: who may use the schema needs no right to the table.
-- +goose StatementBegin
CREATE FUNCTION adsync.take(of_address text, of_endpoint text, waiting integer, recent integer,
	OUT permits integer, OUT lasts interval, OUT again interval)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
	counts    CONSTANT interval := '65 seconds';
	at        timestamptz;
	number    bigint;
	slot_ends timestamptz;
	room      integer;
BEGIN
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'a transaction that is % does not see what others took; want read committed',
			current_setting('transaction_isolation');
	END IF;
	PERFORM pg_advisory_xact_lock(hashtext('adsync.slot'), hashtext(of_address));
	at := clock_timestamp();
	number := floor(extract(epoch FROM at) / 10);
	slot_ends := to_timestamp((number + 1) * 10);
	-- where the clock was put back, what was used in a slot to come was used by now
	UPDATE adsync.slot SET ends = slot_ends WHERE address = of_address AND ends > slot_ends;
	SELECT greatest(0, least(559 - 7 * 8, min(559 - of_endpoint_since - 8 * tens) FILTER (WHERE here),
			1119 - 7 * 16, min(1119 - of_all_since - 16 * tens)))
		INTO room
		FROM (SELECT endpoint = of_endpoint AS here, floor(extract(epoch FROM ends + counts - at) / 10) AS tens,
				sum(used) OVER (PARTITION BY endpoint ORDER BY ends DESC) AS of_endpoint_since,
				sum(used) OVER (ORDER BY ends DESC) AS of_all_since
			FROM adsync.slot WHERE address = of_address AND ends > at - counts) AS counted;
	lasts := slot_ends - at;
	permits := least(64, room, greatest(1, ceil(room / 4.0)),
		greatest(waiting, floor(recent * extract(epoch FROM lasts) / 10)));
	again := CASE
		WHEN permits >= least(waiting, 64) THEN interval '0'
		WHEN room > 0 THEN (0.5 + random() / 2) * interval '1 second'
		ELSE lasts + CASE WHEN lasts > interval '5 seconds' THEN interval '-5 seconds' ELSE interval '5 seconds' END
			+ random() * interval '1 second' -- what counts changes in the middle of each slot
	END;
	IF permits > 0 THEN
		UPDATE adsync.slot SET ends = slot_ends, used = permits + CASE WHEN ends > at - counts THEN used ELSE 0 END
			WHERE address = of_address AND endpoint = of_endpoint AND turn = number % 8;
		IF NOT FOUND THEN
			DELETE FROM adsync.slot WHERE (address, endpoint, turn) IN ( -- of addresses that nobody asks from any more
				SELECT address, endpoint, turn FROM adsync.slot WHERE ends < at - interval '1 day' FOR UPDATE SKIP LOCKED);
			INSERT INTO adsync.slot VALUES (of_address, of_endpoint, number % 8, slot_ends, permits);
		END IF;
	END IF;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION adsync.take;
DROP TABLE adsync.slot;
