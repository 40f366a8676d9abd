-- A response of more than 2 KB is not stored: `response` then holds what the handler needs to read it again.
alter table idempotency_keys add column is_read_again boolean not null default false;
