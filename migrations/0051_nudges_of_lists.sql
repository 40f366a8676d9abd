-- How often the members of each list of an event were nudged, and the time of the last nudge:
-- [{"list": "silent", "times": 1, "last_at": …}].
alter table events add column nudged jsonb not null default '[]';

-- Until now, all lists shared one count. Each list starts with that count.
update events set nudged = (
    select jsonb_agg(jsonb_build_object('list', list, 'times', nudges,
      'last_at', to_char(nudged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    from unnest(array['silent', 'maybe', 'unconfirmed']) as list)
  where nudges > 0 and nudged_at is not null;
