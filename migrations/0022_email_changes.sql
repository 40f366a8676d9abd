-- Which network asked for a code, as a keyed digest: the limits of an address count per network. Null where networks are
-- not limited, and in rows of the release before.
alter table login_codes add column network bytea;
