-- Lines of the timeline are found by the rig that they tell of, and what somebody ordered outlasts floods in it.

-- The login that a line tells of, or the account alone: bans and messages name it, blocks and difficulties its parts, alerts what they
-- are about. Cut to what an index takes, which is longer than any login.
CREATE FUNCTION login_of(p_facts jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(coalesce(
    nullif(p_facts ->> 'login', ''),
    (p_facts ->> 'account') || coalesce('.' || nullif(p_facts ->> 'rig', ''), ''),
    p_facts ->> 'about'), 200)
$$;
CREATE INDEX happening_by_login ON happening (login_of(facts), id) WHERE login_of(facts) IS NOT NULL;

-- Of each kind so many lines are kept, and as many that somebody ordered, which are few: which is which is read from the indexes.
DROP INDEX happening_by_kind;
CREATE INDEX happening_by_kind ON happening (kind, id) INCLUDE (ordered_by);
CREATE INDEX happening_ordered ON happening (kind, id) WHERE ordered_by IS NOT NULL;
