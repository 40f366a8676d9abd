-- Whom this database knows to have been deleted, told by a keyed digest of the id. The same marks lie outside of it: one
-- that it does not know tells of a deletion that it has forgotten, since it was restored from a copy made before.
create table erasures (
  mark text primary key,
  erased_on date not null
);
