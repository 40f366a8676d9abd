alter table events
  -- Null: no limit.
  add column capacity int,
  -- Whether members may wait for a seat.
  add column waitlist boolean not null default true,
  -- Whether the organisers were told of a free seat after the cut-off, which happens once.
  add column free_told boolean not null default false,
  add constraint events_capacity_check check (capacity between 1 and 100000) not valid;
