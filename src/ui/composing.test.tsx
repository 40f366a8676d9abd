import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ignoreComposingKeys } from './composing.ts';
import { Dialog } from './Dialog.tsx';
import { Menu, MenuItem } from './Menu.tsx';
import { NumberStepper } from './NumberStepper.tsx';

ignoreComposingKeys();

// jsdom lacks it.
beforeEach(
  () =>
    void vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        disconnect() {}
      },
    ),
);

function Everything() {
  const [open, setOpen] = useState(true);
  const [value, setValue] = useState(5);
  return (
    <Dialog open={open} onOpenChange={setOpen} title="Search">
      <NumberStepper aria-label="Guests" min={0} max={9} value={value} onChange={setValue} />
      <Menu trigger={<button type="button">Menu</button>} open>
        <MenuItem>One</MenuItem>
        <MenuItem>Two</MenuItem>
      </Menu>
    </Dialog>
  );
}

const guests = () => screen.getByRole<HTMLInputElement>('spinbutton', { hidden: true });
const state = () => [document.activeElement?.textContent, guests().value];
const item = (name: string) => screen.getByRole('menuitem', { name, hidden: true });

test.each([{ isComposing: true }, { keyCode: 229 }])(
  'keys with %j neither close a dialog or menu, nor move a selection or a number [ROBUST-09]',
  (composing) => {
    render(<Everything />);
    item('One').focus();
    for (const key of ['Escape', 'ArrowDown', 'ArrowUp', 'Enter', 'End', 't'])
      for (const element of [guests(), item('One')]) fireEvent.keyDown(element, { key, ...composing });
    expect(state()).toEqual(['One', '5']);
    fireEvent.keyDown(item('One'), { key: 'ArrowDown' });
    fireEvent.keyDown(guests(), { key: 'ArrowUp' });
    expect(state()).toEqual(['Two', '6']);
  },
);
