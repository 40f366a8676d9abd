-- Members who want the events in their emails as invitations of their calendar app, and who got which ones.
alter table users add column invites_by_mail boolean not null default false;
-- Whether the file was an invitation: its changes and its cancellation are then too, whatever the member chooses later.
alter table calendar_files add column invited boolean not null default false;
