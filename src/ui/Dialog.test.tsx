import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { Dialog } from './Dialog.tsx';

function Settings() {
  const [open, setOpen] = useState(true);
  const [asking, setAsking] = useState(false);
  return (
    <Dialog open={open} onOpenChange={setOpen} title="Settings">
      <button type="button" onClick={() => setAsking(true)}>
        Reset
      </button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Reset all?"
        text="This cannot be undone."
        confirmLabel="Reset"
        onConfirm={() => {}}
      />
    </Dialog>
  );
}

const settings = () => screen.queryByRole('dialog', { hidden: true });
const question = () => screen.queryByRole('alertdialog');
const escape = () => fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });

test('dialog: Escape closes the top dialog, then the one below it', () => {
  render(<Settings />);
  fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(question()).not.toBeNull();
  escape();
  expect([question(), settings()]).toEqual([null, expect.anything()]);
  escape();
  expect(settings()).toBeNull();
});

test('dialog: Escape closes only the top dialog, even while that dialog is getting the focus', () => {
  render(<Settings />);
  document.addEventListener('focusin', escape, { once: true });
  fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect([question(), settings()]).toEqual([null, expect.anything()]);
});

const search = (open: boolean) => (
  <Dialog open={open} onOpenChange={() => {}} title="Search">
    <input aria-label="Words" />
  </Dialog>
);

test('dialog: keeps the focus in its field when the previous dialog tries to restore the focus afterwards', async () => {
  const { rerender } = render(<button type="button">Search</button>);
  act(() => screen.getByRole('button').focus());
  for (const open of [true, false, true]) rerender(search(open));
  expect(document.activeElement).toBe(screen.getByLabelText('Words'));
  // The library restores the focus in a timer.
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  expect(document.activeElement).toBe(screen.getByLabelText('Words'));
});
