-- Whether the organisers of a club plan its events and publish its updates. Null until an admin has decided, and then
-- they do not.
alter table clubs add column organisers_plan boolean;

create function is_planner(club_role int, organisers_plan boolean) returns boolean
  language sql immutable parallel safe
  return club_role = 200 or (club_role = 100 and organisers_plan is true);
