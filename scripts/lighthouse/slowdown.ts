/**
 * So many times slower than this machine is a mid-tier phone, by the `benchmarkIndex` of the machine. The table is
 * Lighthouse's own: docs/throttling.md, "Calibrating the CPU slowdown". High-end desktops begin at 1500; low-end
 * desktops and high-end phones, which it treats alike, at 800; what is slower is such a phone.
 */
export function slowdownAt(benchmarkIndex: number): number {
  if (benchmarkIndex >= 1500) return 4;
  return benchmarkIndex >= 800 ? 2 : 1;
}
