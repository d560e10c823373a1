-- A node's name is its URL without user and password. Earlier versions wrote the URL as it was configured, also into the words
-- that tell why a solution had no answer.
UPDATE solution
SET node = regexp_replace(node, '^([a-z][a-z0-9+.-]*://)[^/?#\\]*@', '\1', 'i'),
    detail = regexp_replace(detail, '([a-z][a-z0-9+.-]*://)[^/?#\\[:space:]]*@', '\1', 'gi')
WHERE node LIKE '%@%' OR detail LIKE '%://%@%';
