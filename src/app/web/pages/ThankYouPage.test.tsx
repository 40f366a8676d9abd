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
afterEach(() => void vi.useRealTimers());

/** Renders the page with or without `prefers-reduced-motion`. */
async function renderPage({ reducedMotion = false } = {}) {
  vi.stubGlobal('matchMedia', () => ({ matches: reducedMotion }));
  render(
    <MemoryRouter>
      <ThankYouPage />
    </MemoryRouter>,
  );
  await act(() => vi.dynamicImportSettled());
}

const pieces = () => library.dropped.reduce((sum, count) => sum + count, 0);

test('confetti: drops 200 pieces over five seconds, without a worker [CONST-11]', async () => {
  await renderPage();
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

test('confetti: stops on unmount', async () => {
  await renderPage();
  await vi.advanceTimersByTimeAsync(1_000);
  cleanup();
  const droppedBefore = pieces();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pieces()).toBe(droppedBefore);
});

test('confetti: does not start with reduced motion', async () => {
  await renderPage({ reducedMotion: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(library.create).not.toHaveBeenCalled();
});

test('confetti: the page is complete while the library loads [CONST-12]', () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  render(
    <MemoryRouter>
      <ThankYouPage />
    </MemoryRouter>,
  );
  expect(library.create).not.toHaveBeenCalled();
  expect(screen.getByRole('link', { name: 'Back To App' }).getAttribute('href')).toBe('/app');
});

test('confetti: the page works when the library throws [CONST-12]', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  library.create.mockImplementation(() => {
    throw new Error('no canvas here');
  });
  await renderPage();
  expect(screen.getByRole('heading', { name: 'Thank You for Your Donation!' })).toBeTruthy();
  expect(warn).toHaveBeenCalledOnce();
});
