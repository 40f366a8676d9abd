-- 'standing': by the member's standing answer to the series; 'link': by the link of an email.
alter table answers
  drop constraint answers_via_check,
  add constraint answers_via_check check (via in ('app', 'link', 'runner', 'standing')) not valid;
