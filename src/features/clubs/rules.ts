/** The address behind a website's link: those that were typed without a scheme get the secure one. */
export const websiteHref = (website: string): string =>
  /^https?:/i.test(website) ? website : `https://${website}`;

/** A website as it is shown. */
export const websiteText = (website: string): string => website.replace(/^https?:(\/\/)?/i, '');

/**
 * The form in which the address of a website is kept; undefined when it is none. Only http and https with a public
 * name pass, so that no link of a club can run a script or show one place and lead to another.
 */
export function websiteFrom(typed: string): string | undefined {
  const url = URL.parse(websiteHref(typed));
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || !url.hostname.includes('.') || url.username || url.password) return undefined;
  const isBare = url.pathname === '/' && !url.search && !url.hash;
  return isBare ? url.origin : url.href;
}

/** How many clubs one person can be an admin of and found another. */
export const mostClubs = 50;
