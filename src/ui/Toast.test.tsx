import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from './Toaster.tsx';
import { dismissToast, toast, toasts } from './toast.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // jsdom does not implement pointer capture.
  Object.assign(Element.prototype, {
    setPointerCapture: () => {},
    hasPointerCapture: () => false,
  });
  render(<Toaster />);
});

afterEach(() => {
  act(() => {
    for (const { id } of toasts()) dismissToast(id);
    vi.advanceTimersByTime(1_000_000);
  });
  vi.useRealTimers();
});

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));
function show(title: string): ReturnType<typeof toast> {
  const shown: { toast?: ReturnType<typeof toast> } = {};
  act(() => {
    shown.toast = toast({ title, text: `${title} in full` });
  });
  if (!shown.toast) throw new Error('nothing was shown');
  return shown.toast;
}
const swipe = (distance: number) => {
  const item = screen.getByRole('listitem');
  fireEvent.pointerDown(item, { button: 0, clientX: 0, clientY: 0 });
  fireEvent.pointerMove(item, { clientX: distance / 2, clientY: 0 });
  fireEvent.pointerMove(item, { clientX: distance, clientY: 0 });
  fireEvent.pointerUp(item, { clientX: distance, clientY: 0 });
};

test('toast: replaces the previous one [TOAST-01]', () => {
  show('First');
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
  show('Second');
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
  expect(screen.getByRole('listitem').textContent).toContain('Second in full');
});

test('toast: can be added, updated and dismissed, and is removed afterwards [TOAST-02]', () => {
  const made = show('Saving');
  expect(toasts()).toMatchObject([{ title: 'Saving', open: true }]);

  act(() => made.update({ title: 'Saved' }));
  expect(toasts()).toMatchObject([{ title: 'Saved', text: 'Saving in full', open: true }]);
  expect(screen.getByRole('listitem').textContent).toContain('Saved');

  act(() => made.dismiss());
  expect(toasts()).toMatchObject([{ title: 'Saved', open: false }]);
  expect(screen.queryByRole('listitem')).toBeNull();

  pass(1_000_000);
  expect(toasts()).toEqual([]);
});

test('toast: closes by itself after exactly 5000 ms [CONST-06]', () => {
  show('Short');
  pass(4999);
  expect(screen.queryByRole('listitem')).not.toBeNull();
  pass(1);
  expect(screen.queryByRole('listitem')).toBeNull();
});

test('toast: with a duration of its own stays that long [HOMEUX-02]', () => {
  act(() => void toast({ title: 'Saved', duration: 10_000 }));
  pass(9_999);
  expect(screen.queryByRole('listitem')).not.toBeNull();
  pass(1);
  expect(screen.queryByRole('listitem')).toBeNull();
});

test('toast: a swipe of 50 px closes it, a shorter one does not [CONST-07]', () => {
  show('Swiped');
  swipe(49);
  expect(toasts()).toMatchObject([{ open: true }]);
  swipe(51);
  expect(toasts()).toMatchObject([{ open: false }]);
});

test('toast: is removed exactly 1,000,000 ms after it was dismissed [CONST-08]', () => {
  const made = show('Old');
  act(() => made.dismiss());
  pass(999_999);
  expect(toasts()).toHaveLength(1);
  pass(1);
  expect(toasts()).toHaveLength(0);
});

test('toast: the removal of an old toast does not affect a newer one [TOAST-01 CONST-08]', () => {
  const old = show('Old');
  act(() => old.dismiss());
  pass(999_000);
  show('New');
  pass(1000);
  expect(toasts()).toMatchObject([{ title: 'New', open: true }]);
});

test('toast: the countdown pauses on hover, on focus and while the window is blurred', () => {
  show('Held');
  const item = screen.getByRole('listitem');
  const holds: [begin: () => unknown, end: () => unknown][] = [
    [() => fireEvent.pointerEnter(item), () => fireEvent.pointerLeave(item)],
    [() => item.focus(), () => item.blur()],
    [() => fireEvent.blur(window), () => fireEvent.focus(window)],
  ];
  for (const [begin, end] of holds) {
    pass(1000);
    act(() => void begin());
    pass(60_000);
    expect(toasts()).toMatchObject([{ open: true }]);
    act(() => void end());
  }
  pass(1999);
  expect(toasts()).toMatchObject([{ open: true }]);
  pass(1);
  expect(toasts()).toMatchObject([{ open: false }]);
});

const take = (event: Event) => event.preventDefault();

test('toast: Escape closes it, unless a dialog handles the key', () => {
  show('In the way');
  document.addEventListener('keydown', take, true);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(toasts()).toMatchObject([{ open: true }]);
  document.removeEventListener('keydown', take, true);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(toasts()).toMatchObject([{ open: false }]);
});

test('toast: the focus moves to the toast list when a focused toast closes', () => {
  show('Closed');
  const close = screen.getByRole('button', { name: 'Close' });
  act(() => close.focus());
  fireEvent.click(close);
  expect(document.activeElement).toBe(screen.getByRole('list'));
});

test('toast: F8 moves the focus to the toast list [CONST-09]', () => {
  show('Look here');
  fireEvent.keyDown(document, { key: 'F8', code: 'F8' });
  expect(screen.getByRole('region', { name: 'Notifications (F8)' }).contains(document.activeElement)).toBe(
    true,
  );
  expect(document.activeElement).not.toBe(document.body);
});

test('toast: an error has the danger tone', () => {
  act(() => void toast({ title: 'Error', tone: 'danger' }));
  expect(screen.getByRole('listitem').dataset['tone']).toBe('danger');
});
