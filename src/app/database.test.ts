import { expect, test } from 'vitest';
import { describeBinaries } from './database.ts';

test('start: the line about PostgreSQL says which one it is, and what the bundled one is for [OPER-01]', () => {
  const bin = '/usr/lib/postgresql/15/bin';
  expect(describeBinaries({ bin, version: '15.18', isBundled: false })).toBe(
    'PostgreSQL 15.18 of this system (/usr/lib/postgresql/15/bin).',
  );
  expect(describeBinaries({ bin, version: '18.4', isBundled: true })).toMatch(
    /^PostgreSQL 18\.4, which is bundled with Muster\. It is meant for trying out and private use, /,
  );
});
