/** Finds the violations of invariants of clubs and events. */
export const findViolations = `
  select 'no admin in ' || id as fault from clubs
  where not exists (select from members where club_id = id and club_role = 200)
  union all
  select 'a section of another club, or one that is gone, of ' || m.user_id from members m, unnest(m.section_ids) as section
  where not exists (select from sections s where s.id = section and s.club_id = m.club_id and s.removed_at is null)
  union all
  select 'a section of another club, or one that is gone, of ' || e.id from events e, unnest(e.section_ids) as section
  where not exists (select from sections s where s.id = section and s.club_id = e.owner_club_id
    and (s.removed_at is null or e.end_time <= now() or e.deleted_at is not null))
  union all
  select count(a.*) || ' first hosts of ' || e.id from events e
  left join answers a on a.event_id = e.id and a.host_no = 1
  where e.deleted_at is null and e.end_time > now() group by e.id having count(a.*) <> 1
  union all
  select 'a host of ' || event_id || ' who is ' || answer || ' and ' || attendee_role from answers
  where host_no is not null and (answer <> 'going' or host_no not between 1 and 6)
    or (host_no is not distinct from 1) <> (attendee_role = 'organiser')
  union all
  select kept.what || ' without a seat' from (
    select 'attendance' as what, a.event_id, a.user_id from answers a
    union all select 'favourite', f.event_id, f.user_id from favourites f
    union all select 'subscription', s.event_id, s.user_id from event_followers s) as kept
  join events e on e.id = kept.event_id and e.end_time > now()
  where not exists (select from members m where m.club_id = e.owner_club_id and m.user_id = kept.user_id)
  union all
  select 'other times of ' || e.id || ' in an answer' from answers a join events e on e.id = a.event_id
  where (a.event_start, a.event_end) is distinct from (e.start_time, e.end_time)
  union all
  select 'the sequence of ' || e.id || ' is behind its history' from event_changes h join events e on e.id = h.event_id
  where e.sequence < h.sequence
  union all
  select 'a place of ' || event_id || ' twice' from answers where place is not null
  group by event_id, place having count(*) > 1
  union all
  select 'more seats than ' || capacity || ' taken of ' || id from events where capacity < (
    select sum(1 + guests) from answers where event_id = id and answer = 'going' and not over)
  union all
  select 'a break cancelled ' || id || ', which is not cancelled' from events
  where cancelled_by_break and deleted_at is null
  union all
  select 'somebody waits for free seats of ' || e.id from events e
  cross join lateral (
    select guests from answers where event_id = e.id and answer = 'waiting' order by place limit 1) as next
  where e.entry_until_time > now() and e.deleted_at is null and next.guests < coalesce(e.capacity, 1000) - (
    select sum(1 + guests) from answers where event_id = e.id and answer = 'going')`;
