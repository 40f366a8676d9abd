-- How a user sees texts and times. The app checks the language and the time zones, because their lists grow with it.
alter table users
  add column language text not null default 'en' check (language ~ '^[a-z]{2}$'),
  add column clock text not null default 'auto' check (clock in ('auto', '12', '24')),
  -- Chosen by the user. Null follows device_zone, the time zone of the device that opened the app last.
  add column time_zone text,
  add column device_zone text;

-- The language of link previews and of emails to addresses without an account.
alter table clubs add column language text not null default 'en' check (language ~ '^[a-z]{2}$');
