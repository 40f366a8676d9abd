-- Whether a break of the club cancelled this date of a series. When the break goes, the series makes another event of that
-- day. Dates that the release before cancelled stay cancelled.
alter table events add column cancelled_by_break boolean not null default false;
