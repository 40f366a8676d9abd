-- Work after the request. A job is added in the transaction of its cause, so it exists only if that commits.
create table jobs (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  payload jsonb not null,
  -- At most one job of a key waits for its first attempt: see enqueue_job.
  key text unique,
  -- Lower runs first.
  priority smallint not null default 0,
  run_at timestamptz not null default now(),
  attempts int not null default 0,
  max_attempts int not null default 13,
  -- A worker that dies leaves its lock behind: from then on another one may take the job.
  locked_until timestamptz,
  locked_by uuid,
  -- Set when work that must not be repeated begins.
  begun_at timestamptz,
  last_error text,
  failed_at timestamptz,
  created_at timestamptz not null default now()
);
create index jobs_next on jobs (priority, run_at) where attempts < max_attempts;

-- Updates the waiting job of the same key, if any. Plain "do nothing" would lose a wake-up: while a worker takes that
-- job, the conflict would be reported at once. An update waits for the worker's commit and then adds a new job.
create function enqueue_job(
  name text, payload jsonb, run_at timestamptz default now(), priority int default 0, key text default null
) returns void language sql as $$
  insert into jobs (name, payload, run_at, priority, key) values ($1, $2, $3, $4, $5)
  on conflict (key) do update set payload = excluded.payload
$$;

-- Only jobs that are due: the poll finds delayed jobs, and a NOTIFY makes commits wait for each other.
create function notify_workers() returns trigger language plpgsql as $$
begin
  notify jobs;
  return null;
end $$;
create trigger jobs_notify after insert on jobs for each row when (new.run_at <= now()) execute function notify_workers();
