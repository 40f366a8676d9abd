-- The sections that an event is for; none: everybody. Sections are removed only where no coming event needs them, so a
-- past event may have a removed one, which keeps its name.
alter table sections add column removed_at timestamptz, add check (removed_at is null or folded_name is null);
alter table events
  add column section_ids uuid[] not null default '{}',
  -- How many are needed: {"all": 12, "<id of a section>": 4}.
  add column needed jsonb not null default '{}' check (jsonb_typeof(needed) = 'object'),
  -- Whether it was checked, when sign-up closed, that enough people come. Cleared when sign-up opens again.
  add column short_notified boolean not null default false;
create index events_needed on events (entry_until_time) where needed <> '{}' and not short_notified;

-- Whether an event is for a member: it is for one of their sections, or for everybody. With `or` instead of `case`,
-- PostgreSQL would expect few such members, and read all answers to an event for each of them.
create function is_for(of_event uuid[], of_member uuid[]) returns boolean language sql immutable as
  $$ select case when of_event = '{}' then true else of_event && of_member end $$;
