-- The pushes of notices that are still to be sent: one for each notice and device. They go with their notice. Rows whose
-- device is gone are dropped by the job that sends.
create table pushes (
  notification_id uuid not null references notices on delete cascade,
  -- No reference, so that the end of a session does not wait for the job that sends.
  session_id uuid not null,
  send_at timestamptz not null,
  -- Also counts an attempt whose process died.
  attempts smallint not null default 0,
  primary key (notification_id, session_id)
);
create index pushes_due on pushes (send_at);
create index pushes_session on pushes (session_id);
