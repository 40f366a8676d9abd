import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { failure, press, renderPage, server } from '#test/render-page.tsx';
import { AnswerLinks } from './AnswerLinks.tsx';

test('answer links: one button replaces them; the page explains the effect before and after', async () => {
  renderPage(<AnswerLinks />);
  expect(screen.getByText(/without logging in/).textContent).toContain(
    'those in earlier emails stop working',
  );
  server.respond = () => failure(500);
  await press('Replace answer links');
  expect((await screen.findByText(/weren't replaced/)).getAttribute('role')).toBe('alert');
  server.respond = () => Response.json({ data: null, status: 200, error: null });
  await press('Replace answer links');
  expect(await screen.findByText('Links in earlier emails no longer work.')).toBeDefined();
  expect(screen.queryByText(/weren't replaced/)).toBeNull();
  expect(server.sent.at(-1)).toEqual({ call: 'POST /api/v1/users/answer-links/reset', body: {} });
});
