import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPage, server, success } from '#test/render-page.tsx';
import NotificationsPage from './NotificationsPage.tsx';

test('all notifications: lead to the notification settings, also when there are none [AUTHUX-06]', async () => {
  server.read = () => success([]);
  renderPage(<NotificationsPage />);
  await screen.findByText('No notifications yet');
  const link = screen.getByRole('link', { name: 'Settings' });
  expect(link.getAttribute('href')).toBe('/app/settings/notifications');
  expect(screen.queryByRole('button', { name: 'Clear all' })).toBeNull();
});
