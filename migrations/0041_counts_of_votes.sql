-- Statement by statement.
-- Repeatable from the start. Each statement is a transaction of its own, so none locks two tables.
set lock_timeout = 1000;
-- How many members voted what, so that no page and no vote counts them.
alter table event_times
  add column if not exists yes_count int not null default 0,
  add column if not exists if_needed_count int not null default 0,
  add column if not exists no_count int not null default 0;

-- Other counts of an event. No row: all are zero.
create table if not exists event_counts (
  event_id uuid primary key references events on delete cascade,
  -- Members who voted yes or 'if needed' for at least one time.
  suited int not null default 0
) with (fillfactor = 50);

-- Counts votes that came (1) or went (-1): one for each entry of the arrays. Rows are locked in a fixed order.
create or replace function count_votes(events uuid[], times uuid[], members uuid[], votes text[], signs int[])
returns void language plpgsql as $$
begin
  perform from event_times where id = any(times) order by id for no key update;
  update event_times t set yes_count = t.yes_count + more.yes, if_needed_count = t.if_needed_count + more.if_needed,
    no_count = t.no_count + more.no
  from (
    select time_id, coalesce(sum(sign) filter (where vote = 'yes'), 0) as yes,
      coalesce(sum(sign) filter (where vote = 'if_needed'), 0) as if_needed,
      coalesce(sum(sign) filter (where vote = 'no'), 0) as no
    from unnest(times, votes, signs) as v (time_id, vote, sign) group by time_id) as more
  where t.id = more.time_id;
  -- What a member votes now, and how much of it is new, tells whether any time suited them before.
  insert into event_counts as c (event_id, suited)
  select event_id, sum((now > 0)::int - (now - more > 0)::int) from (
    select event_id, user_id, coalesce(sum(sign) filter (where vote <> 'no'), 0) as more, (
      select count(*) from time_votes o where o.event_id = v.event_id and o.user_id = v.user_id and o.vote <> 'no') as now
    from unnest(events, members, votes, signs) as v (event_id, user_id, vote, sign) group by event_id, user_id) as people
  where exists (select from events e where e.id = people.event_id)
  group by event_id order by event_id
  on conflict (event_id) do update set suited = c.suited + excluded.suited;
end $$;

create or replace function count_changed_votes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform count_votes(array_agg(event_id), array_agg(time_id), array_agg(user_id), array_agg(vote), array_agg(1))
      from changed;
  elsif tg_op = 'DELETE' then
    perform count_votes(array_agg(event_id), array_agg(time_id), array_agg(user_id), array_agg(vote), array_agg(-1))
      from previous;
  else
    perform count_votes(array_agg(event_id), array_agg(time_id), array_agg(user_id), array_agg(vote), array_agg(sign))
      from (select *, 1 as sign from changed union all select *, -1 from previous) as v;
  end if;
  return null;
end $$;

create or replace trigger time_votes_counted after insert on time_votes referencing new table as changed
  for each statement execute function count_changed_votes();
create or replace trigger time_votes_counted_again after update on time_votes
  referencing new table as changed old table as previous for each statement execute function count_changed_votes();
create or replace trigger time_votes_uncounted after delete on time_votes referencing old table as previous
  for each statement execute function count_changed_votes();

-- The votes of before, one poll per transaction. Members who vote meanwhile wait for its times, and are counted after that.
do $$
declare
  poll uuid;
begin
  for poll in select distinct event_id from event_times order by event_id loop
    perform from event_times where event_id = poll order by id for no key update;
    insert into event_counts (event_id) values (poll) on conflict do nothing;
    perform from event_counts where event_id = poll for update;
    update event_times t set yes_count = v.yes, if_needed_count = v.if_needed, no_count = v.no from (
      select id, count(*) filter (where vote = 'yes') as yes, count(*) filter (where vote = 'if_needed') as if_needed,
        count(*) filter (where vote = 'no') as no
      from event_times left join time_votes on time_id = id where event_times.event_id = poll group by id) as v
    where t.id = v.id;
    update event_counts set suited = (
      select count(distinct user_id) from time_votes where event_id = poll and vote <> 'no')
    where event_id = poll;
    commit;
  end loop;
end $$;

set lock_timeout = 0;
-- The voters of a time: those who said yes first, then the others, each in the order of voting.
drop index concurrently if exists time_votes_order;
create index concurrently time_votes_order on time_votes
  (time_id, array_position(array['yes', 'if_needed', 'no'], vote), voted_at, user_id) include (vote);
