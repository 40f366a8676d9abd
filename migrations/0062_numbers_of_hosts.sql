-- Statement by statement.
-- Repeatable from the start. Each statement is a transaction of its own, so none locks two tables.
set lock_timeout = 400;
-- A thousand rows per transaction.
do $$ begin
  loop
    update answers set host_no = 1
    where ctid = any(array(
      select ctid from answers where attendee_role = 'organiser' and host_no is null limit 1000));
    exit when not found;
    commit;
  end loop;
end $$;
drop index concurrently if exists answers_hosts;
create unique index concurrently answers_hosts on answers (event_id, host_no) where host_no is not null;

-- Only now, because numbering the hosts changes nothing that pages show.
create or replace function bump_version_by_answer() returns trigger language plpgsql as $$
begin
  perform bump_event_versions(array(
    select distinct event_id from changed join previous using (event_id, user_id)
    where (changed.answer, changed.guests, changed.host_no, changed.answered_at, changed.confirmed_at)
      is distinct from (previous.answer, previous.guests, previous.host_no, previous.answered_at,
        previous.confirmed_at)));
  return null;
end $$;

alter table event_changes drop constraint if exists event_changes_kind_check,
  add constraint event_changes_kind_check
    check (kind in ('edit', 'cancelled', 'host', 'host_added', 'host_removed', 'decided')) not valid;
