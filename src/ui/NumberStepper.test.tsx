import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { Field } from './Field.tsx';
import { NumberStepper } from './NumberStepper.tsx';

function Duration({ from }: { from: number }) {
  const [value, setValue] = useState(from);
  return (
    <Field label="Duration">
      <NumberStepper value={value} onChange={setValue} />
    </Field>
  );
}

const field = () => screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Duration' });

test('stepper: the decrement button stops at 0 [EVENTNEW-12]', async () => {
  render(<Duration from={1} />);
  const less = screen.getByRole<HTMLButtonElement>('button', { name: 'Less' });
  await userEvent.click(less);
  expect(field().value).toBe('0');
  expect(less.disabled).toBe(true);
  await userEvent.click(less);
  expect(field().value).toBe('0');
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  expect(field().value).toBe('1');
});

test('stepper: arrow keys and typing do not go below 0 [EVENTNEW-12]', async () => {
  render(<Duration from={1} />);
  await userEvent.type(field(), '{ArrowDown}{ArrowDown}{ArrowDown}');
  expect(field().value).toBe('0');
  await userEvent.clear(field());
  await userEvent.paste('-5');
  expect(field().value).toBe('0');
});

test.each(['abc', '12abc', '', 'NaN', 'Infinity', '1e999'])(
  'stepper: %j counts as 0 [EVENTNEW-13]',
  async (typed) => {
    render(<Duration from={3} />);
    await userEvent.tripleClick(field());
    await (typed ? userEvent.paste(typed) : userEvent.keyboard('{Delete}'));
    expect(field().value).toBe('0');
  },
);

test('stepper: typing replaces the selected number', async () => {
  render(<Duration from={1} />);
  await userEvent.tripleClick(field());
  await userEvent.keyboard('45');
  expect(field().value).toBe('45');
});
