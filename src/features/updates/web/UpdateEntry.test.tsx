import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import type { Update } from '#features/updates/contract.ts';
import { news } from '#test/render-page.tsx';
import { UpdateEntry } from './UpdateEntry.tsx';

// The entry loads the dialog when a picture is opened, which could exceed the time limit of a test.
await import('./PictureDialog.tsx');

const update: Update = { ...news, content: 'Bring a light.' };

const show = (entry: Update, to?: string) =>
  render(
    <MemoryRouter>
      <UpdateEntry update={entry} {...(to && { to })} />
    </MemoryRouter>,
  );

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
])(
  'update: an update by %s shows the system label [UPDATES-07]',
  (_, creator_first_name, creator_last_name) => {
    for (const to of ['', '/updates']) {
      show({ ...update, creator_first_name, creator_last_name }, to);
      expect(screen.getByRole('article').textContent).toMatch(/[ap]m·SystemBring a light\.$/);
      cleanup();
    }
  },
);

test('update: the newest update has the anchor id', () => {
  render(<UpdateEntry update={update} newest />);
  expect(screen.getByRole('article').id).toBe('new-update');
  cleanup();
  render(<UpdateEntry update={update} />);
  expect(screen.getByRole('article').id).toBe('');
});

test.each([
  ['2026-06-21T19:05:00.000Z', /·Edited \d{1,2}:05 [ap]m/],
  ['2026-07-01T19:05:00.000Z', /·Edited 1 Jul 2026, \d{1,2}:05 [ap]m/],
])('update: an update that was edited at %s shows that time [UX-29]', (edited_at, said) => {
  for (const to of ['', '/updates']) {
    show({ ...update, edited_at }, to);
    expect(screen.getByRole('article').textContent).toMatch(said);
    cleanup();
  }
});

const pictures = ['one', 'two', 'three'].map((name) => ({ name, width: 1600, height: 900 }));

async function shown(title: string, name: string): Promise<void> {
  const dialog = await screen.findByRole('dialog', { name: title });
  const image = within(dialog).getByRole('img', { name: `${title}. Posted by Ada Lovelace.` });
  expect(image.getAttribute('src')).toBe(`/api/v1/media/${name}-1600.webp`);
}

test('update: lists its pictures, and opens them in large size with a description; arrow keys change the picture [UX-30]', async () => {
  render(<UpdateEntry update={{ ...update, pictures }} />);
  const openers = screen.getAllByRole('button', { name: /^Open picture [123] of 3$/ });
  expect(openers.map((opener) => opener.querySelector('img')?.getAttribute('src'))).toEqual(
    pictures.map(({ name }) => `/api/v1/media/${name}-1600.webp`),
  );
  // The dialog is loaded when a picture is opened, which may take long on a busy machine.
  await import('./PictureDialog.tsx');
  openers[1]?.focus();
  await userEvent.keyboard('{Enter}');
  await shown('Picture 2 of 3', 'two');
  await userEvent.keyboard('{ArrowRight}');
  await shown('Picture 3 of 3', 'three');
  await userEvent.keyboard('{ArrowRight}{ArrowLeft}{ArrowLeft}');
  await shown('Picture 2 of 3', 'two');
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  await shown('Picture 3 of 3', 'three');
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(openers[1]);
});

test('latest update: shows its first picture and the number of further pictures [UX-30]', () => {
  show({ ...update, pictures }, '/updates');
  const openers = screen.getAllByRole('button', { name: /^Open picture/ });
  expect(openers.map(({ textContent }) => textContent)).toEqual(['+2']);
});

test('latest update: shows what it says without its salutation, and leads to the update [CLUBUX-02]', () => {
  show({ ...update, content: 'Dear all,\n\nthe boat is mended.\n***\nBring a light.' }, '/updates');
  const text = screen.getByText(/The boat is mended/);
  expect(text.textContent).toBe('The boat is mended.\nBring a light.');
  expect(text.className).toContain('line-clamp-2');
  const link = screen.getByRole('link', { name: /^Update of \d/ });
  expect(link.getAttribute('href')).toBe('/updates');
});
