-- The position of the log that a replica must have replayed before it answers this session.
alter table sessions add column written_lsn pg_lsn;
