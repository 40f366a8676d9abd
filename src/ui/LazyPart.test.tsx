import { fireEvent, render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { type ComponentType, Suspense, useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { lazyPart } from './LazyPart.tsx';

const notice = "This part couldn't be loaded";
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));

// React logs each error that a boundary catches.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));

test('lazy part: if its file cannot be loaded, "Try again" is in its place, and the rest stays usable [ROBUST-04]', async () => {
  const load = vi.fn<() => Promise<{ default: (props: { of: string }) => string }>>();
  load.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  load.mockResolvedValue({ default: ({ of }) => `list of ${of}` });
  const List = lazyPart(load);
  render(
    <>
      <input aria-label="Name" />
      <Suspense>
        <List of="lifts" />
      </Suspense>
    </>,
  );
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Ada' } });
  await screen.findByText(notice);
  await press('Try again');
  await screen.findByText('list of lifts');
  expect(screen.queryByText(notice)).toBeNull();
  expect(screen.getByLabelText('Name')).toMatchObject({ value: 'Ada' });
});

test('lazy part: once it is loaded, it is rendered at once, also by the server', async () => {
  const Part = lazyPart(() => Promise.resolve({ default: () => <p>all names</p> }));
  await Part.load();
  const page = (
    <Suspense>
      <Part />
    </Suspense>
  );
  expect(renderToString(page)).toContain('<p>all names</p>');
  render(page);
  expect(screen.getByText('all names')).toBeDefined();
});

test('lazy part: that fails again has a button to reload the page [ROBUST-04]', async () => {
  const Part = lazyPart(() => Promise.reject<{ default: () => string }>(new TypeError('Failed to fetch')));
  render(
    <Suspense>
      <Part />
    </Suspense>,
  );
  await press('Try again');
  await screen.findByRole('button', { name: 'Reload the page' });
});

function Page({ dialog: Question }: { dialog: ComponentType<{ onClose: () => void }> }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Ask
      </button>
      {open && (
        <Suspense>
          <Question onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

test('lazy part: a dialog that cannot be loaded can be closed, and opening it again tries again [ROBUST-04]', async () => {
  const load = vi.fn<() => Promise<{ default: (props: { onClose: () => void }) => string }>>();
  load.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  load.mockResolvedValue({ default: () => 'the dialog' });
  const Question = lazyPart(load);
  render(<Page dialog={Question} />);
  await press('Ask');
  await screen.findByText(notice);
  await press('Close');
  expect(screen.queryByText(notice)).toBeNull();
  await press('Ask');
  await screen.findByText('the dialog');
});
