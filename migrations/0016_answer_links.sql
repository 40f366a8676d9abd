-- Statement by statement.
-- Repeatable from the start. Each statement is a transaction of its own, so none locks two tables.
set lock_timeout = 1000;
alter table answers drop constraint if exists answers_via_check,
  add constraint answers_via_check check (via in ('app', 'link', 'standing', 'runner')) not valid;

-- The secret part of the answer links of a member. It ends with the membership.
alter table members add column if not exists answer_key text;
alter table members alter column answer_key set default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
-- A thousand rows per transaction, for all members of before.
do $$ begin loop
  update members set answer_key = default
  where ctid = any(array(select ctid from members where answer_key is null limit 1000)); exit when not found; commit
  ; end loop; end $$;
-- With a validated check, set not null does not read the table.
alter table members drop constraint if exists members_answer_key_check,
  add constraint members_answer_key_check check (answer_key is not null) not valid;
alter table members validate constraint members_answer_key_check;
alter table members alter column answer_key set not null;
alter table members drop constraint members_answer_key_check;
