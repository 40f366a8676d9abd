import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { failure, press, renderPage, server, success } from '#test/render-page.tsx';
import UnsubscribePage from './UnsubscribePage.tsx';

const open = (query: string) =>
  renderPage(<UnsubscribePage />, { route: '/unsubscribe', path: `/unsubscribe${query}` });

test('unsubscribe link: opens a page whose button ends the emails of its kind; opening it changes nothing', async () => {
  open('?token=x.email_club_update.y');
  expect(screen.getByRole('heading').textContent).toBe('Unsubscribe from emails about club updates?');
  expect(server.sent).toEqual([]);
  server.respond = () => failure(404);
  await press('Unsubscribe');
  expect((await screen.findByRole('alert')).textContent).toContain('Something went wrong');
  server.respond = () => success({ key: 'email_club_update' });
  await press('Unsubscribe');
  await screen.findByRole('heading', { name: "You're unsubscribed" });
  expect(screen.getByRole('status').textContent).toContain('club updates');
  expect(server.sent.at(-1)?.call).toBe(
    'POST /api/v1/notification-settings/unsubscribe/x.email_club_update.y',
  );
});

test('unsubscribe link: of the weekly email says that it ends all news by email [DIGEST-07]', async () => {
  open('?token=x.weekly_email.y');
  expect(screen.getByRole('heading').textContent).toBe('Unsubscribe from the weekly email?');
  server.respond = () => success({ key: 'weekly_email' });
  await press('Unsubscribe');
  await screen.findByRole('heading', { name: "You're unsubscribed" });
  expect(screen.getByRole('status').textContent).toContain("You won't get news by email any more");
});

test.each(['', '?token=x.email_nothing.y'])('unsubscribe link: is not valid with the query "%s"', (query) => {
  open(query);
  expect(screen.getByRole('heading').textContent).toBe('This link is not valid');
  expect(screen.getByRole('link', { name: 'Go to the settings' })).toBeDefined();
});
