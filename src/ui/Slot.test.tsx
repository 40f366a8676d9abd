import { fireEvent, render, screen } from '@testing-library/react';
import { createRef } from 'react';
import { expect, test, vi } from 'vitest';
import { Slot } from './Slot.tsx';

test('slot: joins class names, runs both handlers, the inner one first, and sets both refs', () => {
  const outer = createRef<HTMLElement>();
  const inner = createRef<HTMLAnchorElement>();
  const order: string[] = [];
  render(
    <Slot ref={outer} className="button" onClick={() => order.push('outer')} title="given" lang="en">
      <a ref={inner} href="#x" className="wide" onClick={() => order.push('inner')} title="own">
        Link
      </a>
    </Slot>,
  );
  const link = screen.getByRole('link');
  fireEvent.click(link);
  expect(order).toEqual(['inner', 'outer']);
  expect([link.className, link.title, link.lang]).toEqual(['button wide', 'own', 'en']);
  expect([outer.current, inner.current]).toEqual([link, link]);
});

test('slot: keeps its refs attached while it renders again', () => {
  const outer = vi.fn();
  const inner = createRef<HTMLButtonElement>();
  const slot = (title: string) => (
    <Slot ref={outer} title={title}>
      <button ref={inner} type="button" />
    </Slot>
  );
  const { rerender, unmount } = render(slot('one'));
  rerender(slot('two'));
  expect(outer.mock.calls).toEqual([[screen.getByTitle('two')]]);
  unmount();
  expect([outer.mock.lastCall, inner.current]).toEqual([[null], null]);
});
