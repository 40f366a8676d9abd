-- The hosts of an event, in their order. Number 1 is the first host.
alter table answers
  add column host_no smallint,
  add constraint answers_host_no_check check (host_no between 1 and 6) not valid;

-- For one release, attendee_role is 'organiser' exactly where host_no is 1, because the release before knows one host.
-- It writes attendee_role alone, and lets the other hosts say that they are not going: they are no hosts any more then.
create function number_host() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.attendee_role = 'organiser' then new.host_no := 1; end if;
  elsif new.attendee_role <> old.attendee_role and new.host_no is not distinct from old.host_no then
    new.host_no := case when new.attendee_role = 'organiser' then 1 end;
  end if;
  -- The first host is always going: see answers_host_check.
  if new.answer <> 'going' and new.host_no > 1 then new.host_no := null; end if;
  new.attendee_role := case when new.host_no = 1 then 'organiser' else 'attendee' end;
  return new;
end $$;
create trigger answers_number_new_host before insert on answers
  for each row when (new.host_no is not null or new.attendee_role = 'organiser') execute function number_host();
create trigger answers_number_host before update on answers
  for each row when (old.host_no is not null or new.host_no is not null or new.attendee_role <> old.attendee_role)
  execute function number_host();
