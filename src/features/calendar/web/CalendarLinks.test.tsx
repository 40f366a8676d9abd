import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { toasts } from '#ui/toast.ts';
import { CalendarLinks } from './CalendarLinks.tsx';

const path = '/api/v1/clubs/c1/ical/s3cret/calendar.ics';

afterEach(() => Reflect.deleteProperty(navigator, 'clipboard'));

const show = (device = 'Macintosh') => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(device);
  render(<CalendarLinks feed={{ kind: 'club', club_id: 'c1', club_name: 'Run & Fun', secret: 's3cret' }} />);
};
const link = (name: RegExp) => screen.getByRole('link', { name });

test('calendar links: Apple, Outlook and Microsoft 365 subscribe to a feed by a link [CAL-04 CAL-05]', () => {
  show();
  expect(link(/Apple Calendar or Outlook/).getAttribute('href')).toBe(`webcal://${location.host}${path}`);
  const microsoft = new URL(link(/Microsoft 365/).getAttribute('href') ?? '');
  expect(microsoft.origin + microsoft.pathname).toBe('https://outlook.office.com/calendar/0/addfromweb');
  expect(Object.fromEntries(microsoft.searchParams)).toEqual({
    url: location.origin + path,
    name: 'Run & Fun',
  });
});

test("calendar links: Google's page opens and the feed URL is copied [CAL-06]", async () => {
  let copied: string | undefined;
  const clipboard = { writeText: async (text: string) => void (copied = text) };
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: clipboard });
  show();
  const google = link(/Google Calendar/);
  expect(google.getAttribute('href')).toBe('https://calendar.google.com/calendar/u/0/r/settings/addbyurl');
  expect(google.getAttribute('target')).toBe('_blank');
  await act(async () => void fireEvent.click(google));
  expect(copied).toBe(location.origin + path);
  expect(toasts()[0]?.title).toBe('Calendar link copied');
});

test.each([
  ['iPhone', ['Apple Calendar or Outlook', 'Google Calendar', 'Microsoft 365']],
  ['Windows NT 10.0', ['Microsoft 365', 'Apple Calendar or Outlook', 'Google Calendar']],
  ['Android 16', ['Google Calendar', 'Apple Calendar or Outlook', 'Microsoft 365']],
])('calendar links: on %s the most likely app comes first', (device, order) => {
  show(device);
  const shown = screen.getAllByRole('link').map((each) => each.querySelector('.font-semibold')?.textContent);
  expect(shown).toEqual(order);
});
