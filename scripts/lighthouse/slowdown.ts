// From Lighthouse's docs/throttling.md, "Calibrating the CPU slowdown": high-end desktops begin at 1500, low-end desktops
// and high-end phones at 800, and slower machines are like a mid-tier phone.
/** The CPU slowdown that simulates a mid-tier phone on a machine with this `benchmarkIndex`. */
export function slowdownAt(benchmarkIndex: number): number {
  if (benchmarkIndex >= 1500) return 4;
  return benchmarkIndex >= 800 ? 2 : 1;
}
