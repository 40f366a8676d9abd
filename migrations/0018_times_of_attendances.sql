-- Beside each attendance the times of its event, so that an index finds what somebody has on at a time, however much it
-- is that they attend.
alter table attendances add column event_start timestamptz, add column event_end timestamptz;

-- Whatever code adds an attendance, that of the release before this one too.
create function attendance_takes_times() returns trigger language plpgsql as $$
begin
  select e.start_time, e.end_time into new.event_start, new.event_end from events e where e.id = new.event_id;
  return new;
end $$;
create trigger attendances_take_times before insert on attendances
  for each row when (new.event_start is null) execute function attendance_takes_times();

-- In parts, so that nobody who signs out of an event waits for all of them.
create procedure old_attendances_take_times() language plpgsql as $$
declare
  done uuid := '00000000-0000-0000-0000-000000000000';
  part uuid[];
begin
  loop
    part := array(select id from events where id > done order by id limit 1000);
    exit when part = '{}';
    update attendances a set event_start = e.start_time, event_end = e.end_time from events e
    where e.id = any (part) and a.event_id = e.id and a.event_start is null;
    commit;
    done := part[cardinality(part)];
  end loop;
end $$;
