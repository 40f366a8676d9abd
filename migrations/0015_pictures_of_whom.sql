-- Whose a picture is: the unique ones hold for one kind each, so that nothing that names no kind can use them.
create index pictures_user on pictures (user_id);
create index pictures_of_club on pictures (club_id);
