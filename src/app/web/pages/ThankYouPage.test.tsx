// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import ThankYouPage from './ThankYouPage.tsx';

const library = vi.hoisted(() => ({
  create: vi.fn(),
  dropped: [] as number[],
}));
vi.mock('canvas-confetti', () => ({ default: library }));

beforeEach(() => {
  vi.useFakeTimers();
  library.dropped = [];
  library.create.mockImplementation(
    () =>
      ({ particleCount }: { particleCount: number }) =>
        void library.dropped.push(particleCount),
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** Shows the page to somebody who wants motion, or none. */
async function shown({ still = false } = {}) {
  vi.stubGlobal('matchMedia', () => ({ matches: still }));
  render(
    <MemoryRouter>
      <ThankYouPage />
    </MemoryRouter>,
  );
  await act(() => vi.dynamicImportSettled());
}

const pieces = () => library.dropped.reduce((sum, count) => sum + count, 0);

test('two hundred pieces fall over five seconds, without a worker [CONST-11]', async () => {
  await shown();
  await vi.advanceTimersByTimeAsync(2_500);
  expect(pieces()).toBe(100);
  await vi.advanceTimersByTimeAsync(2_400);
  expect(pieces()).toBeLessThan(200);
  await vi.advanceTimersByTimeAsync(100);
  expect(pieces()).toBe(200);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pieces()).toBe(200);
  expect(library.create.mock.calls.map(([, options]) => options)).toEqual([
    { resize: true, useWorker: false },
  ]);
});

test('it ends with the page', async () => {
  await shown();
  await vi.advanceTimersByTimeAsync(1_000);
  cleanup();
  const fallen = pieces();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pieces()).toBe(fallen);
});

test('nothing falls for those who want no motion', async () => {
  await shown({ still: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(library.create).not.toHaveBeenCalled();
});

test('the page works when the confetti does not [CONST-12]', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  library.create.mockImplementation(() => {
    throw new Error('no canvas here');
  });
  await shown();
  expect(screen.getByRole('heading', { name: 'Thank You for Your Donation!' })).toBeTruthy();
  expect(warn).toHaveBeenCalledOnce();
});
