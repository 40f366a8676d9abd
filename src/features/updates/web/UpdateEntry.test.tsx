// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Update } from '#features/updates/contract.ts';
import { UpdateEntry } from './UpdateEntry.tsx';

afterEach(cleanup);

const update: Update = {
  id: 'id',
  content: 'Bring a light.',
  created_at: '2026-06-21T18:30:00.000Z',
  creator_first_name: 'Ada',
  creator_last_name: 'Lovelace',
};

test('update: shows time, author and content in this order [UPDATES-05 UPDATES-06 UPDATES-08]', () => {
  render(<UpdateEntry update={update} />);
  expect(screen.getByRole('article').textContent).toMatch(
    /^\d{1,2}:30 [ap]m·Posted by Ada LovelaceBring a light\.$/,
  );
});

test.each([
  ['a deleted creator', null, null],
  ['a creator without any name', '', ''],
  ['a creator without a first name', '', 'Lovelace'],
])('update: one by %s shows the system label [UPDATES-07]', (_, creator_first_name, creator_last_name) => {
  for (const summaries of [false, true]) {
    render(
      <UpdateEntry update={{ ...update, creator_first_name, creator_last_name }} summaries={summaries} />,
    );
    expect(screen.getByRole('article').textContent).toMatch(/[ap]m·SystemBring a light\.$/);
    cleanup();
  }
});

test('update: the newest one has the anchor id', () => {
  render(<UpdateEntry update={update} newest />);
  expect(screen.getByRole('article').id).toBe('new-update');
  cleanup();
  render(<UpdateEntry update={update} />);
  expect(screen.getByRole('article').id).toBe('');
});
