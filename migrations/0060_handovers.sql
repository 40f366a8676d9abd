-- Offers of admins to hand over a club. The references end an offer when one of the two people leaves the club.
create table handovers (
  id uuid primary key,
  club_id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  afterwards text not null check (afterwards in ('stay', 'step_down', 'leave')),
  until timestamptz not null,
  unique (club_id, from_id),
  check (from_id <> to_id),
  foreign key (club_id, from_id) references members on delete cascade,
  foreign key (club_id, to_id) references members on delete cascade
);
create index handovers_to on handovers (club_id, to_id);
create index handovers_until on handovers (until);
