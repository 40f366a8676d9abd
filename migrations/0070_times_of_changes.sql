-- When the answer, the guests, the note or the reply last changed, so that hosts find what is new. Null until the first
-- change: see answered_at.
alter table answers add column changed_at timestamptz;
