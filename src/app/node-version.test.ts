import { expect, test } from 'vitest';
import { nodeWarning } from './node-version.ts';

const releases = { date: '2026-10-21', versions: ['24.22.0', '26.12.1'] };

test('Node: a warning when the version lacks the newest security release of its line [OPER-05]', () => {
  for (const version of ['24.21.0', '24.9.1', '26.12.0', '26.2.9', '25.9.0', '22.23.3'])
    expect(nodeWarning(version, releases)).toBe(
      `Warning: Node ${version} lacks security releases that were out on 2026-10-21. Install 24.22.0 or 26.12.1, or newer.`,
    );
  for (const version of ['24.22.0', '24.22.1', '24.100.0', '26.12.1', '26.13.0', '27.0.0', '28.1.0'])
    expect(nodeWarning(version, releases)).toBeUndefined();
});
