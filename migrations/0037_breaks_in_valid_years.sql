-- A year such as 206 could be typed. It is bad input now, and one stored break would refuse each later save of the others.
delete from club_breaks where first_on < '2000-01-01' or last_on > '2200-12-31';
