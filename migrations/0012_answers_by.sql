alter table answers add constraint answers_by_id_fkey foreign key (by_id) references users on delete set null not valid;
