-- Held shared by who records, and alone by who closes slots or changes rounds.
CREATE FUNCTION books_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372517::bigint';

-- Held by whoever moves a block: a move may touch another block's credits.
CREATE FUNCTION blocks_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372518::bigint';

-- Held by who sums up or drops partitions. Whoever does not get it has nothing to do.
CREATE FUNCTION roll_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372519::bigint';

-- Held by who posts.
CREATE FUNCTION money_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372520::bigint';

-- Held by who makes a partition.
CREATE FUNCTION partitions_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372521::bigint';

-- Held by who tells something in the timeline.
CREATE FUNCTION timeline_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372522::bigint';

-- Held by who looks at alerts: one after the other.
CREATE FUNCTION alerts_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372523::bigint';
