/** The `href` of a website; without a scheme it gets https. */
export const websiteHref = (website: string): string =>
  /^https?:/i.test(website) ? website : `https://${website}`;

/** A website as displayed, without its scheme. */
export const websiteText = (website: string): string => website.replace(/^https?:(\/\/)?/i, '');

/**
 * Normalises a website URL; undefined if it is invalid. Only http and https URLs with a dotted host name and without
 * credentials are accepted, so that a link cannot run a script or disguise its destination.
 */
export function websiteFrom(input: string): string | undefined {
  const url = parsed(websiteHref(input));
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || !url.hostname.includes('.') || url.username || url.password) return undefined;
  const isBare = url.pathname === '/' && !url.search && !url.hash;
  return isBare ? url.origin : url.href;
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** Users who are an admin of this many clubs cannot create another one. */
export const maxClubs = 50;
