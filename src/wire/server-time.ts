/** In milliseconds. The header has whole seconds, and the response takes time, so a smaller difference means nothing. */
const tolerance = 10_000;

/** How far the clock of the server is ahead of the clock of this device, in milliseconds. Always 0 on the server. */
let offset = 0;

/** The time on the clock of this device, in milliseconds. Only for durations, because that clock may be wrong. */
// oxlint-disable-next-line no-restricted-properties -- the only call
export const deviceTime = (): number => Date.now();

/** The time on the clock of the server, in milliseconds. It decides what is over, open or closed. */
export const serverTime = (): number => deviceTime() + offset;

/** Compares the clocks. `date` is the `Date` header of a response that has just arrived. */
export function compareClocks(date: string | null): void {
  const difference = Date.parse(date ?? '') - deviceTime();
  if (Number.isNaN(difference)) return;
  offset = Math.abs(difference) > tolerance ? difference : 0;
}
