-- When a member gave the same answer again because the event had changed. The time of the answer stays, and with it the
-- order of those who are going.
alter table answers add column confirmed_at timestamptz;
