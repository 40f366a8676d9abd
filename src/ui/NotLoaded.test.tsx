import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { NotLoaded } from './NotLoaded.tsx';

test('failure notice: is an alert in the error tone with a retry button', async () => {
  const retry = vi.fn();
  render(
    <NotLoaded title="We couldn't load the answers" retry={retry}>
      Something went wrong on our end.
    </NotLoaded>,
  );
  const alert = screen.getByRole('alert');
  expect(alert.className).toContain('bg-danger-soft');
  expect(alert.textContent).toContain("We couldn't load the answersSomething went wrong on our end.");
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(retry).toHaveBeenCalledOnce();
});
