-- An event reminds those who attend it once: also people who deleted the notification are not told again.
alter table events add reminded_at timestamptz;
create index events_to_remind on events (start_time) where reminded_at is null and deleted_at is null;
