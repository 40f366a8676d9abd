alter table event_changes
  add constraint event_changes_actor_id_fkey foreign key (actor_id) references users on delete set null,
  add constraint event_changes_host_id_fkey foreign key (host_id) references users on delete set null;

-- An urgent email makes those that wait for the same event as urgent: a job moves to the earlier time.
create or replace function enqueue_job(
  name text, payload jsonb, run_at timestamptz default now(), priority int default 0, key text default null
) returns void language sql as $$
  insert into jobs (name, payload, run_at, priority, key) values ($1, $2, $3, $4, $5)
  on conflict (key) do update set payload = excluded.payload, run_at = least(jobs.run_at, excluded.run_at)
$$;
