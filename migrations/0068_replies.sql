-- What a member replies to the question of an event. It stays when the question goes, and is hidden until there is one.
alter table answers add column reply text not null default '';
