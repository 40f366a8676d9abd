import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Menu, MenuItem } from './Menu.tsx';

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

function Page() {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Menu trigger={<Button>Account</Button>}>
        <MenuItem asChild>
          <a href="#profile">Profile</a>
        </MenuItem>
        <MenuItem disabled onSelect={() => setAsking(true)}>
          Settings
        </MenuItem>
        <MenuItem onSelect={() => setAsking(true)}>Log Out</MenuItem>
      </Menu>
      <Button>Elsewhere</Button>
      <Dialog open={isAsking} onOpenChange={setAsking} title="Log out?">
        <Menu trigger={<Button>More</Button>}>
          <MenuItem>Help</MenuItem>
        </Menu>
      </Dialog>
    </>
  );
}

const trigger = () => screen.getByRole('button', { name: 'Account' });
const focused = () => document.activeElement?.textContent;

test('menu: arrow keys, Home and End move through the items, and a letter moves to the next item that starts with it', async () => {
  render(<Page />);
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  expect(trigger().getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByRole('menu', { name: 'Account' })).toBeTruthy();
  expect(focused()).toBe('Profile');
  await userEvent.keyboard('{ArrowUp}');
  expect(focused()).toBe('Log Out');
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(focused()).toBe('Settings');
  await userEvent.keyboard('l');
  expect(focused()).toBe('Log Out');
  await userEvent.keyboard('{Home}');
  expect(focused()).toBe('Profile');
});

test('menu: closes on Escape, which returns the focus, on a press outside and on Tab', async () => {
  render(<Page />);
  await userEvent.click(trigger());
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(document.activeElement).toBe(trigger());

  await userEvent.click(trigger());
  await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }));
  expect(screen.queryByRole('menu')).toBeNull();

  await userEvent.click(trigger());
  await userEvent.keyboard('{End}');
  await userEvent.tab();
  expect(screen.queryByRole('menu')).toBeNull();
});

test('menu: a disabled item does nothing', async () => {
  render(<Page />);
  await userEvent.click(trigger());
  await userEvent.click(screen.getByRole('menuitem', { name: 'Settings' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByRole('menu')).toBeTruthy();
});

test('menu: closing a dialog that was opened from an item returns the focus to the trigger; Escape closes one layer at a time', async () => {
  render(<Page />);
  await userEvent.click(trigger());
  await userEvent.click(screen.getByRole('menuitem', { name: 'Log Out' }));
  expect(screen.getByRole('dialog', { name: 'Log out?' })).toBeTruthy();
  expect(screen.queryByRole('menuitem')).toBeNull();

  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(screen.getByRole('dialog')).toBeTruthy();
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(trigger());
});

test('menu: injects no style element', async () => {
  render(<Page />);
  await userEvent.click(trigger());
  await userEvent.click(screen.getByRole('menuitem', { name: 'Log Out' }));
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  expect(document.querySelectorAll('style')).toHaveLength(0);
});

test('menu: skips items that are hidden', async () => {
  render(
    <Menu trigger={<Button>More</Button>}>
      <MenuItem disabled className="first">
        Edit
      </MenuItem>
      <MenuItem>Log</MenuItem>
      <MenuItem className="last">Leave</MenuItem>
      <MenuItem>Help</MenuItem>
    </Menu>,
  );
  // jsdom has no layout, and focuses hidden elements: here, two items refuse the focus as browsers do when they hide them.
  const { focus } = HTMLElement.prototype;
  vi.spyOn(HTMLElement.prototype, 'focus').mockImplementation(function (this: HTMLElement, options) {
    if (!/first|last/.test(this.className)) focus.call(this, options);
  });
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  expect(focused()).toBe('Log');
  await userEvent.keyboard('{ArrowDown}');
  expect(focused()).toBe('Help');
  await userEvent.keyboard('{ArrowUp}');
  expect(focused()).toBe('Log');
  await userEvent.keyboard('{ArrowUp}');
  expect(focused()).toBe('Help');
  await userEvent.keyboard('{Home}');
  expect(focused()).toBe('Log');
});
