// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CodeInput } from './CodeInput.tsx';

beforeEach(() => {
  // The code slots watch their own width, which this document without layout cannot tell.
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  document.elementFromPoint ??= () => null;
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Code({ onComplete }: { onComplete?: (code: string) => void }) {
  const [code, setCode] = useState('');
  return <CodeInput aria-label="Code" value={code} onChange={setCode} onComplete={onComplete} />;
}

const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Code' });
const groups = () =>
  [...document.querySelectorAll('[data-slots]')].map((group) =>
    [...group.querySelectorAll('[data-slot]')].map((slot) => slot.textContent),
  );

test('six slots stand in two groups of three [LOGIN-18]', () => {
  render(<Code />);
  expect(groups()).toEqual([
    ['', '', ''],
    ['', '', ''],
  ]);
});

test('typing fills the slots with letters and digits only, at most six [LOGIN-21]', async () => {
  render(<Code />);
  await userEvent.type(field(), 'a-7 ä.k9');
  expect(groups()).toEqual([
    ['a', '7', 'k'],
    ['9', '', ''],
  ]);
  await userEvent.type(field(), 'xyz');
  expect(field().value).toHaveLength(6);
  expect(field().value).toMatch(/^[a-z0-9]{6}$/i);
});

test('pasting a code fills every slot, whatever stands between its characters [LOGIN-21]', async () => {
  const onComplete = vi.fn();
  render(<Code onComplete={onComplete} />);
  await userEvent.click(field());
  await userEvent.paste(' AB2-C3D\n');
  expect(groups()).toEqual([
    ['A', 'B', '2'],
    ['C', '3', 'D'],
  ]);
  expect(onComplete).toHaveBeenCalledOnce();
});

test('phones and password managers know it as a one-time code, and no style element is made', () => {
  render(<Code />);
  expect(field().autocomplete).toBe('one-time-code');
  expect(field().inputMode).toBe('text');
  expect(document.querySelectorAll('style')).toHaveLength(0);
});
