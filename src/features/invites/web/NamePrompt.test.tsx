import { cleanup, fireEvent, screen } from '@testing-library/react';
import { renderPage } from '#test/render-page.tsx';
import { expect, test, vi } from 'vitest';
import { toasts } from '#ui/toast.ts';
import { NamePrompt } from './NamePrompt.tsx';

function submit(first_name: string, last_name: string) {
  const onNames = vi.fn();
  renderPage(<NamePrompt open onOpenChange={() => {}} clubName="Runners" busy={false} onNames={onNames} />);
  fireEvent.change(screen.getByLabelText(/^First Name/), { target: { value: first_name } });
  fireEvent.change(screen.getByLabelText(/^Last Name/), { target: { value: last_name } });
  fireEvent.click(screen.getByRole('button', { name: 'Join club' }));
  return onNames.mock.calls;
}

test.each([
  ['', ''],
  ['Bob', ''],
  ['  ', 'Stone'],
])(
  'name prompt: refuses the first name “%s” with the last name “%s” [INVITE-11 INVITE-12]',
  (first, last) => {
    expect(submit(first, last)).toEqual([]);
    expect(toasts().find(({ open }) => open)).toMatchObject({
      title: 'Please enter your name',
      text: 'Please enter your first and last name.',
    });
  },
);

test('name prompt: accepts and returns a first and last name [INVITE-11]', () => {
  expect(submit('Bob', 'Stone')).toEqual([[{ first_name: 'Bob', last_name: 'Stone' }, expect.any(Function)]]);
  expect(toasts().some(({ open }) => open)).toBe(false);
});

test('name prompt: keeps the names until they are saved [FORMUX-03]', () => {
  submit('Bob', '');
  cleanup();
  const onNames = vi.fn((_names: object, forgetDraft: () => void) => forgetDraft());
  renderPage(<NamePrompt open onOpenChange={() => {}} clubName="Runners" busy={false} onNames={onNames} />);
  expect(screen.getByText(/^Your draft from/)).toBeDefined();
  fireEvent.change(screen.getByLabelText(/^Last Name/), { target: { value: 'Stone' } });
  fireEvent.click(screen.getByRole('button', { name: 'Join club' }));
  expect(onNames.mock.calls[0]?.[0]).toEqual({ first_name: 'Bob', last_name: 'Stone' });
  expect(localStorage.getItem('drafts')).toBeNull();
});
