import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dismissToast, toasts } from '#ui/toast.ts';
import { useShare } from './useShare.ts';

const url = `${location.origin}/app/events/river-run`;
let copied: string[];

const stubNavigator = (name: 'share' | 'clipboard', value: unknown) =>
  Object.defineProperty(navigator, name, { configurable: true, value });

beforeEach(() => {
  copied = [];
  stubNavigator('clipboard', { writeText: async (text: string) => void copied.push(text) });
});
afterEach(() => {
  for (const name of ['share', 'clipboard']) Reflect.deleteProperty(navigator, name);
  for (const { id } of toasts()) dismissToast(id);
});

const share = () => {
  const { result } = renderHook(() => useShare({ slug: 'river-run', name: 'River run' }));
  return act(() => result.current());
};
const shownToast = () => toasts().find((toast) => toast.open);

test('share: passes title, name and URL to the native share sheet and copies nothing [EVENT-17]', async () => {
  const shared: ShareData[] = [];
  stubNavigator('share', async (data: ShareData) => void shared.push(data));
  await share();
  expect(shared).toEqual([{ title: 'Check out this event!', text: 'River run', url }]);
  expect(copied).toEqual([]);
  expect(shownToast()).toBeUndefined();
});

test('share: copies the link if there is no share sheet, or if sharing fails [EVENT-18 TOAST-32]', async () => {
  await share();
  stubNavigator('share', () => Promise.reject(new DOMException('', 'NotAllowedError')));
  await share();
  expect(copied).toEqual([url, url]);
  expect(shownToast()).toMatchObject({
    title: 'Link copied to clipboard!',
    text: 'You can now share it with your friends.',
  });
});

test('share: shows nothing if the user dismisses the share sheet', async () => {
  stubNavigator('share', () => Promise.reject(new DOMException('', 'AbortError')));
  await share();
  expect(copied).toEqual([]);
  expect(shownToast()).toBeUndefined();
});

test('share: shows the URL if copying fails too', async () => {
  stubNavigator('clipboard', undefined);
  await share();
  expect(shownToast()).toMatchObject({ title: "We couldn't copy the link", text: url });
});
