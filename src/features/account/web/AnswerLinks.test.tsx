import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { failure, press, renderPage, server } from '#test/render-page.tsx';
import { AnswerLinks } from './AnswerLinks.tsx';

/** Presses the button, and confirms in the dialog. */
const replace = async () => {
  await press('Replace answer links');
  const dialog = screen.getByRole('alertdialog', { name: 'Replace your answer links?' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Replace answer links' }));
};

test('answer links: are replaced after a question; the page explains the effect before and after [AUTHUX-04]', async () => {
  renderPage(<AnswerLinks />);
  expect(screen.getByText(/without logging in/).textContent).toContain(
    'those in earlier emails stop working',
  );
  await press('Replace answer links');
  await press('Cancel');
  expect(server.sent).toEqual([]);
  server.respond = () => failure(500);
  await replace();
  expect((await screen.findByText(/weren't replaced/)).getAttribute('role')).toBe('alert');
  server.respond = () => Response.json({ data: null, status: 200, error: null });
  await replace();
  expect(await screen.findByText('Links in earlier emails no longer work.')).toBeDefined();
  expect(screen.queryByText(/weren't replaced/)).toBeNull();
  expect(server.sent.at(-1)).toEqual({ call: 'POST /api/v1/users/answer-links/reset', body: {} });
});
