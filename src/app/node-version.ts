/**
 * The newest security release of each supported line of Node, as of `date`. Odd lines and older ones get none. Update it
 * when Node publishes security releases.
 */
export const securityReleases = { date: '2026-10-21', versions: ['24.22.0', '26.12.1'] };

const partsOf = (version: string) => version.split('.').map(Number) as [number, number, number];

/** A warning for the operator if a version of Node lacks security releases. Newer lines are trusted. */
export function nodeWarning(
  version: string,
  { date, versions }: typeof securityReleases = securityReleases,
): string | undefined {
  const [major, minor, patch] = partsOf(version);
  const lines = versions.map(partsOf);
  if (major > Math.max(...lines.map(([line]) => line))) return undefined;
  const newest = lines.find(([line]) => line === major);
  if (newest && (minor > newest[1] || (minor === newest[1] && patch >= newest[2]))) return undefined;
  return `Warning: Node ${version} lacks security releases that were out on ${date}. Install ${versions.join(' or ')}, or newer.`;
}
