// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import fc from 'fast-check';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dateTimeText, parseDateTime } from './date-time-text.ts';
import { DateTimeInput } from './DateTimeInput.tsx';
import { Field } from './Field.tsx';

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const evening = new Date(2026, 5, 21, 19, 30);
const onChange = vi.fn<(value: Date | null) => void>();

function Starts() {
  const [value, setValue] = useState<Date | null>(evening);
  onChange.mockImplementation(setValue);
  return (
    <Field label="Starts">
      <DateTimeInput value={value} onChange={onChange} />
    </Field>
  );
}

const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Starts' });
const options = (name: string) =>
  within(screen.getByRole('combobox', { name }))
    .getAllByRole('option')
    .map((option) => option.textContent);
// The calendar is loaded lazily, which can be slow on a busy machine.
const calendar = () => screen.findByRole('grid', {}, { timeout: 20_000 });
const openPicker = async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Pick date and time' }));
  await calendar();
};

test('date input: displays and accepts MM/dd/yyyy hh:mm aa [EVENTNEW-25]', async () => {
  render(<Starts />);
  expect(field().value).toBe('06/21/2026 07:30 PM');
  expect(field().placeholder).toBe('MM/dd/yyyy hh:mm aa');
  await userEvent.clear(field());
  await userEvent.type(field(), '12/03/2026 12:05 AM');
  expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 11, 3, 0, 5));
});

test('date input: invalid text becomes null, shows an error and stays in the field', async () => {
  render(<Starts />);
  await userEvent.clear(field());
  await userEvent.type(field(), '02/30/2026 07:30 PM');
  expect(onChange).toHaveBeenLastCalledWith(null);
  expect(screen.queryByRole('alert')).toBeNull();
  await userEvent.tab();
  expect(screen.getByRole('alert').textContent).toContain('MM/dd/yyyy hh:mm aa');
  expect(field().getAttribute('aria-invalid')).toBe('true');
  expect(field().getAttribute('aria-describedby')).toBe(screen.getByRole('alert').id);
  expect(field().value).toBe('02/30/2026 07:30 PM');
});

test('date picker: offers minutes in steps of five [EVENTNEW-26]', async () => {
  render(<Starts />);
  await openPicker();
  expect(options('Minute')).toEqual(['00', '05', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55']);
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Minute' }), '55');
  expect(field().value).toBe('06/21/2026 07:55 PM');
});

test('date picker: offers hours from 1 to 12 with AM and PM [EVENTNEW-27]', async () => {
  render(<Starts />);
  await openPicker();
  expect(options('Hour')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']);
  expect(options('AM or PM')).toEqual(['AM', 'PM']);
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Hour' }), '12');
  expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 5, 21, 12, 30));
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'AM or PM' }), 'AM');
  expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 5, 21, 0, 30));
});

test('date picker: picks a day by keyboard, keeps the time, and Escape returns the focus', async () => {
  render(<Starts />);
  field().focus();
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  await calendar();
  await vi.waitFor(() =>
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Sunday 21 June 2026'),
  );
  await userEvent.keyboard('{ArrowRight}{Enter}');
  expect(field().value).toBe('06/22/2026 07:30 PM');
  expect(screen.getByText('Monday 22 June 2026, 7:30 pm').role).toBe('status');
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('grid')).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Pick date and time' }));
});

test('date text: every minute can be formatted and parsed back [EVENTNEW-25]', () => {
  const minutes = fc.date({ min: new Date(1970, 0, 1), max: new Date(2999, 0, 1), noInvalidDate: true });
  fc.assert(
    fc.property(minutes, (date) => {
      const text = dateTimeText(date);
      expect(text).toMatch(/^\d{2}\/\d{2}\/\d{4} (0[1-9]|1[0-2]):[0-5]\d [AP]M$/);
      const read = parseDateTime(text);
      expect(read && dateTimeText(read)).toBe(text);
    }),
  );
});

test.each([
  '',
  'tomorrow',
  '13/01/2026 07:30 PM',
  '02/29/2027 07:30 PM',
  '06/21/2026 00:30 AM',
  '06/21/2026 13:00 PM',
  '06/21/2026 07:60 PM',
  '06/21/26 07:30 PM',
  '06/21/2026 07:30',
])('date text: %j is not a valid date and time [EVENTNEW-25]', (text) => {
  expect(parseDateTime(text)).toBeNull();
});
