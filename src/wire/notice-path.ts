/** The path of the page that a notice leads to, if any. */
export const noticePath = ({ club_slug, event_slug }: Record<string, string>): string | undefined => {
  if (club_slug) return `/app/clubs/${club_slug}`;
  return event_slug && `/app/events/${event_slug}`;
};
