import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { CodeInput } from './CodeInput.tsx';

beforeEach(() => {
  // The library measures element widths, but jsdom has no layout.
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

function Code({ onComplete }: { onComplete?: (code: string) => void }) {
  const [code, setCode] = useState('');
  return <CodeInput aria-label="Code" value={code} onChange={setCode} onComplete={onComplete} />;
}

const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Code' });
const groups = () =>
  [...document.querySelectorAll('[data-slots]')].map((group) =>
    [...group.querySelectorAll('[data-slot]')].map((slot) => slot.textContent),
  );

test('code input: has six slots in two groups of three [LOGIN-18]', () => {
  render(<Code />);
  expect(groups()).toEqual([
    ['', '', ''],
    ['', '', ''],
  ]);
});

test('code input: typing accepts only letters and digits, at most six [LOGIN-21]', async () => {
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

test('code input: pasting ignores characters between letters and digits [LOGIN-21]', async () => {
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

test('code input: autocompletes as a one-time code and injects no style element', () => {
  render(<Code />);
  expect(field().autocomplete).toBe('one-time-code');
  expect(field().inputMode).toBe('text');
  expect(document.querySelectorAll('style')).toHaveLength(0);
});
