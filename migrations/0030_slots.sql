-- What an event needs or offers: things to bring, seats in cars, tasks.
create table slots (
  id uuid primary key,
  event_id uuid not null references events on delete cascade,
  kind text not null check (kind in ('bring', 'lift', 'task')),
  title text not null check (title <> ''),
  places smallint not null check (places between 1 and 50),
  -- Who made it; for a lift, who offers it.
  by_id uuid references users on delete set null,
  created_at timestamptz not null
);
create index slots_event on slots (event_id);
create index slots_by on slots (by_id);

create table slot_claims (
  slot_id uuid not null references slots on delete cascade,
  user_id uuid not null references users on delete cascade,
  places smallint not null check (places between 1 and 50),
  primary key (slot_id, user_id)
);
create index slot_claims_user on slot_claims (user_id);

-- Takes the lifts and the claims of members away who can't go any more: the pairs of `events` and `members`. A job tells
-- those whose lift is gone, and those whose lift has a free seat again.
create function release_slots(events uuid[], members uuid[]) returns void language plpgsql as $$
declare
  ended record;
begin
  if not exists (select from slots where event_id = any(events)) then
    return;
  end if;
  for ended in select event_id, user_id from unnest(events, members) as pairs (event_id, user_id) loop
    perform enqueue_job('tell_about_lift', jsonb_build_object('cause', gen_random_uuid(), 'event', s.event_id,
        'actor', ended.user_id, 'change', 'gone', 'title', s.title, 'to', jsonb_agg(c.user_id)))
      from slots s join slot_claims c on c.slot_id = s.id
      where s.event_id = ended.event_id and s.kind = 'lift' and s.by_id = ended.user_id
      group by s.id;
    delete from slots s where s.event_id = ended.event_id and s.kind = 'lift' and s.by_id = ended.user_id;
    perform enqueue_job('tell_about_lift', jsonb_build_object('cause', gen_random_uuid(), 'event', s.event_id,
        'actor', ended.user_id, 'change', 'released', 'title', s.title, 'to', jsonb_build_array(s.by_id)))
      from slots s join slot_claims c on c.slot_id = s.id
      where s.event_id = ended.event_id and s.kind = 'lift' and s.by_id is not null and c.user_id = ended.user_id;
    delete from slot_claims c using slots s
      where s.id = c.slot_id and s.event_id = ended.event_id and c.user_id = ended.user_id;
  end loop;
end $$;

create function release_slots_by_answer() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform release_slots(array_agg(event_id order by event_id, user_id), array_agg(user_id order by event_id, user_id))
      from previous;
  else
    perform release_slots(array_agg(event_id order by event_id, user_id), array_agg(user_id order by event_id, user_id))
      from changed where answer = 'no';
  end if;
  return null;
end $$;

create function release_slots_by_cancellation() returns trigger language plpgsql as $$
begin
  delete from slot_claims using slots s where s.id = slot_id and s.event_id = new.id;
  return null;
end $$;
