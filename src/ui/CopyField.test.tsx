import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CopyField } from './CopyField.tsx';

const link = 'https://example.org/app/club/runners/8fK3';
let clipboard: string | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  clipboard = undefined;
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void (clipboard = text) },
  });
});
afterEach(() => {
  vi.useRealTimers();
  Reflect.deleteProperty(navigator, 'clipboard');
});

const copy = () =>
  act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Copy: Invite link' })));
const pass = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));

test("copy field: shows 'Copied!' for 2 seconds after copying [INVITEDLG-12]", async () => {
  const onCopied = vi.fn();
  render(<CopyField label="Invite link" value={link} onCopied={onCopied} />);
  expect(screen.queryByText('Copied!')).toBeNull();
  await copy();
  expect(clipboard).toBe(link);
  expect(onCopied).toHaveBeenCalledOnce();
  expect(screen.getByRole('status').textContent).toBe('Copied!');
  pass(1999);
  expect(screen.queryByText('Copied!')).not.toBeNull();
  pass(1);
  expect(screen.queryByText('Copied!')).toBeNull();
});

test('copy field: copying again restarts the 2 seconds [INVITEDLG-12]', async () => {
  render(<CopyField label="Invite link" value={link} />);
  await copy();
  pass(1500);
  await copy();
  pass(1500);
  expect(screen.queryByText('Copied!')).not.toBeNull();
  pass(500);
  expect(screen.queryByText('Copied!')).toBeNull();
});

test('copy field: selects the text and shows no confirmation if the browser forbids copying', async () => {
  Reflect.deleteProperty(navigator, 'clipboard');
  const onCopied = vi.fn();
  render(<CopyField label="Invite link" value={link} onCopied={onCopied} />);
  await copy();
  const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Invite link' });
  expect(document.activeElement).toBe(input);
  expect([input.selectionStart, input.selectionEnd]).toEqual([0, link.length]);
  expect(onCopied).not.toHaveBeenCalled();
  expect(screen.queryByText('Copied!')).toBeNull();
});
