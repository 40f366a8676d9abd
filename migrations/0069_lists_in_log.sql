-- The log has entries about downloaded lists and sections. The check is not
-- validated: all rows obey the one before.
alter table club_log
  drop constraint club_log_kind_check,
  add constraint club_log_kind_check check (kind in ('founded', 'role', 'ejected', 'link_made', 'link_deleted', 'settings',
    'sections', 'handover_offered', 'handover_accepted', 'handover_ended', 'export')) not valid;
