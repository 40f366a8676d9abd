import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ada } from '#test/render-page.tsx';
import { endSession, session } from '#web/first/session.ts';
import { queries, queryClient } from '#web/queries.ts';
import { DraftNotice } from './DraftNotice.tsx';
import { useDraft } from './useDraft.ts';

const noon = new Date(2027, 5, 8, 12, 5);
const auth = { AccessToken: { Token: 'access' }, RefreshToken: { Token: 'refresh' } };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(noon);
  localStorage.clear();
  session.write(auth);
  return () => {
    vi.useRealTimers();
    localStorage.clear();
  };
});

function Form({ name }: { name: string }) {
  const [text, setText, kept] = useDraft(name, '');
  return (
    <>
      <DraftNotice of={kept} />
      <input value={text} onChange={({ target }) => setText(target.value)} />
      <button type="button" onClick={kept.forget}>
        Forget
      </button>
    </>
  );
}

/** Opens the form of a user, as after a reload or on another visit. */
function open({ name = 'form', user = ada }: { name?: string; user?: typeof ada } = {}) {
  cleanup();
  queryClient.setQueryData(queries.user().queryKey, user);
  render(
    <QueryClientProvider client={queryClient}>
      <Form name={name} />
    </QueryClientProvider>,
  );
}
const input = () => screen.getByRole<HTMLInputElement>('textbox');
const type = (text: string) => fireEvent.change(input(), { target: { value: text } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const notice = () => screen.queryByRole('status')?.textContent;
const hours = (n: number) => vi.setSystemTime(new Date(noon.getTime() + n * 3_600_000));

test('draft: opens with what was typed, says from when it is, and "Start over" empties the form [FORMUX-03]', () => {
  open();
  type('Hello');
  expect(notice()).toBeUndefined();
  hours(1);
  open();
  expect([input().value, notice()]).toEqual(['Hello', 'Your draft from 12:05 pm.Start over']);
  press('Start over');
  expect([input().value, notice()]).toEqual(['', undefined]);
  open();
  expect([input().value, notice(), localStorage.getItem('drafts')]).toEqual(['', undefined, null]);
});

test('draft: is kept for a day, and names its day on the next one [FORMUX-03]', () => {
  open();
  type('Hello');
  hours(23);
  open();
  expect([input().value, notice()]).toEqual(['Hello', 'Your draft from Tue 8 Jun, 12:05 pm.Start over']);
  hours(25);
  open();
  expect([input().value, notice()]).toEqual(['', undefined]);
});

test('draft: each form has its own, and nobody else in this browser sees it [FORMUX-03]', () => {
  open();
  type('Hello');
  open({ name: 'other' });
  expect(input().value).toBe('');
  type('Other');
  open({ user: { ...ada, id: 'id-of-bob' } });
  expect(input().value).toBe('');
  open();
  expect(input().value).toBe('Hello');
  open({ user: { ...ada, id: 'id-of-bob' } });
  type("Bob's");
  expect(localStorage.getItem('drafts')).not.toContain('Hello');
});

test('draft: is gone once its input is saved or deleted, and after the log-out [FORMUX-03]', async () => {
  open();
  type('Hello');
  press('Forget');
  expect([input().value, localStorage.getItem('drafts')]).toEqual(['Hello', null]);
  type('Hello again');
  type('');
  expect(localStorage.getItem('drafts')).toBeNull();
  type('Once more');
  await act(() => endSession());
  expect(localStorage).toHaveLength(0);
});

test('draft: a form works with a full, blocked or edited storage [FORMUX-03]', () => {
  localStorage.setItem('drafts', '{"user":');
  open();
  expect(input().value).toBe('');
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  type('Hello');
  expect(input().value).toBe('Hello');
});
