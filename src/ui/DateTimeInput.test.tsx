import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import german from '#languages/de.json' with { type: 'json' };
import { setLook } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import { DateTimeInput, type TypedDate } from './DateTimeInput.tsx';
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

addTranslations('de', german);
afterEach(() => setLook({ language: 'en', clock: 'auto' }));

const evening = new Date(2026, 5, 21, 19, 30);
const onChange = vi.fn<(value: TypedDate) => void>();

function Starts({ timeZone }: { timeZone?: string }) {
  const [value, setValue] = useState<TypedDate>(evening);
  onChange.mockImplementation(setValue);
  return (
    <Field label="Starts">
      <DateTimeInput value={value} onChange={onChange} timeZone={timeZone} />
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
const openPicker = async (name = 'Pick date and time') => {
  await userEvent.click(screen.getByRole('button', { name }));
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

test('date input: for unreadable text, the value is null, and the text stays in the field, with an error that shows an example [UX-14]', async () => {
  render(<Starts />);
  await userEvent.clear(field());
  await userEvent.type(field(), '02/30/2026 07:30 PM');
  expect(onChange).toHaveBeenLastCalledWith(null);
  expect(screen.queryByRole('alert')).toBeNull();
  await userEvent.tab();
  expect(screen.getByRole('alert').textContent).toContain('Try 21 Jun 7:30 pm or 06/21/2026 07:30 PM');
  expect(field().getAttribute('aria-invalid')).toBe('true');
  expect(field().getAttribute('aria-describedby')).toBe(screen.getByRole('alert').id);
  expect(field().value).toBe('02/30/2026 07:30 PM');
});

test('date input: deleting the text makes the value undefined and shows no error', async () => {
  render(<Starts />);
  await userEvent.clear(field());
  expect(onChange).toHaveBeenLastCalledWith(undefined);
  await userEvent.tab();
  expect(screen.queryByRole('alert')).toBeNull();
});

test.each([
  ['9:15 am', '06/21/2026 09:15 AM', new Date(2026, 5, 21, 9, 15)],
  ['12/03/2026', '12/03/2026 07:30 PM', new Date(2026, 11, 3, 19, 30)],
])(
  'date input: "%s" keeps the rest of the date that the field had before the person typed [LANG-14]',
  async (typed, shown, date) => {
    render(<Starts />);
    await userEvent.clear(field());
    await userEvent.type(field(), typed);
    await userEvent.tab();
    expect(field().value).toBe(shown);
    expect(onChange).toHaveBeenLastCalledWith(date);
  },
);

test('date input: a time that is corrected after an error keeps the day, a time in a field left empty does not [LANG-14]', async () => {
  vi.setSystemTime(new Date(2026, 5, 1, 12));
  render(<Starts />);
  await userEvent.clear(field());
  await userEvent.type(field(), '19:75');
  await userEvent.tab();
  screen.getByRole('alert');
  await userEvent.clear(field());
  await userEvent.type(field(), '20:15');
  expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 5, 21, 20, 15));
  await userEvent.clear(field());
  await userEvent.tab();
  await userEvent.type(field(), '19:00');
  expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 5, 1, 19));
  vi.useRealTimers();
});

test.each([
  ['en', '24', 'MM/dd/yyyy HH:mm', '06/21/2026 19:30', '12/24/2026 07:05'],
  ['de', 'auto', 'TT.MM.JJJJ HH:mm', '21.06.2026 19:30', '24.12.2026 07:05'],
  ['de', '12', 'TT.MM.JJJJ hh:mm AM/PM', '21.06.2026 07:30 PM', '24.12.2026 07:05 AM'],
] as const)(
  'date input: in %s with the clock %s its format is %s [LANG-12 LANG-14]',
  async (language, clock, pattern, shown, typed) => {
    setLook({ language, clock });
    render(<Starts />);
    expect(field().placeholder).toBe(pattern);
    expect(field().value).toBe(shown);
    await userEvent.clear(field());
    await userEvent.type(field(), typed);
    expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 11, 24, 7, 5));
    await userEvent.tab();
    expect(field().value).toBe(typed);
  },
);

test('date input: the error of a German field has German examples [LANG-14]', async () => {
  setLook({ language: 'de', clock: 'auto' });
  render(<Starts />);
  await userEvent.clear(field());
  await userEvent.type(field(), 'irgendwann');
  await userEvent.tab();
  expect(screen.getByRole('alert').textContent).toContain('21. Juni 19:30\u00A0Uhr oder 21.06.2026 19:30');
  expect(field().value).toBe('irgendwann');
});

test.each(['24.12.2026 19:30', '2026-12-24 19:30', '24 Dec 2026 7:30pm'])(
  'date input: "%s" is shown in the specified format after leaving the field [UX-14 EVENTNEW-25]',
  async (typed) => {
    render(<Starts />);
    await userEvent.clear(field());
    await userEvent.type(field(), typed);
    expect(field().value).toBe(typed);
    await userEvent.tab();
    expect(field().value).toBe('12/24/2026 07:30 PM');
    expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 11, 24, 19, 30));
  },
);

test('date input: shows, reads and picks times in the time zone of the event [UX-17]', async () => {
  render(<Starts timeZone="Pacific/Kiritimati" />);
  await userEvent.clear(field());
  await userEvent.type(field(), '24.12.2026 00:30');
  expect(onChange).toHaveBeenLastCalledWith(new Date('2026-12-23T10:30:00.000Z'));
  await userEvent.tab();
  expect(field().value).toBe('12/24/2026 12:30 AM');
  await openPicker();
  expect(screen.getByText('Thursday 24 December 2026, 12:30 am').role).toBe('status');
  await userEvent.click(screen.getByRole('button', { name: 'Friday 25 December 2026' }));
  expect(onChange).toHaveBeenLastCalledWith(new Date('2026-12-24T10:30:00.000Z'));
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Hour' }), '1');
  expect(onChange).toHaveBeenLastCalledWith(new Date('2026-12-24T11:30:00.000Z'));
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

test('date picker: with a 24-hour clock offers hours from 0 to 23, without AM and PM [LANG-12]', async () => {
  setLook({ language: 'en', clock: '24' });
  render(<Starts />);
  await openPicker();
  expect(options('Hour')).toEqual(Array.from({ length: 24 }, (_, hour) => String(hour)));
  expect(screen.queryByRole('combobox', { name: 'AM or PM' })).toBeNull();
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Hour' }), '0');
  expect(onChange).toHaveBeenLastCalledWith(new Date(2026, 5, 21, 0, 30));
  expect(field().value).toBe('06/21/2026 00:30');
});

test('date picker: months, weekdays and labels are in the language, and the week begins with its first day [LANG-13 LANG-14]', async () => {
  setLook({ language: 'de', clock: 'auto' });
  render(<Starts />);
  await openPicker('Datum und Uhrzeit wählen');
  const heads = screen.getAllByRole('columnheader', { hidden: true });
  expect(heads.map((head) => head.textContent)).toEqual(['Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa', 'So']);
  expect(heads[0]?.getAttribute('aria-label')).toBe('Montag');
  screen.getByRole('grid', { name: 'Juni 2026' });
  screen.getByRole('button', { name: 'Zum vorigen Monat' });
  await userEvent.click(screen.getByRole('button', { name: 'Zum nächsten Monat' }));
  await userEvent.click(screen.getByRole('button', { name: 'Freitag, 3. Juli 2026' }));
  expect(field().value).toBe('03.07.2026 19:30');
});

test('date picker: names the same days if the reader has another time zone than the browser [LANG-15]', async () => {
  setLook({ language: 'en', clock: 'auto', timeZone: 'America/Los_Angeles' });
  render(<Starts timeZone="Pacific/Kiritimati" />);
  await userEvent.clear(field());
  await userEvent.type(field(), '06/21/2026 07:30 PM');
  await openPicker();
  const chosen = screen.getByRole('button', { name: 'Sunday 21 June 2026' });
  expect(chosen.textContent).toBe('21');
  await userEvent.click(screen.getByRole('button', { name: 'Monday 22 June 2026' }));
  expect(field().value).toBe('06/22/2026 07:30 PM');
});
