import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { hueOf } from '#wire/hue.ts';
import { Avatar } from './Avatar.tsx';
import { AvatarStack } from './AvatarStack.tsx';

/** The ids of three people, of whom the first two have the same colour. */
const ids = Array.from({ length: 100 }, (_, nth) => `id-${nth}`);
const first = 'id-0';
const same = ids.find((id) => id !== first && hueOf(id) === hueOf(first)) as string;
const other = ids.find((id) => hueOf(id) !== hueOf(first)) as string;

const stack = (seeds: string[]) => <AvatarStack people={seeds.map((seed) => ({ name: 'Ada', seed }))} />;

const outlined = (element: Element | null | undefined) => element?.className.includes('inset-ring');

test('avatars: of two neighbours with the same colour, the second has an outline [UX-36 LOOKUX-02]', () => {
  const { container } = render(stack([first, same, other]));
  expect([...container.querySelectorAll('[data-hue]')].map(outlined)).toEqual([false, true, false]);
});

test('faces: one that joins a row moves in, and those that were there before do not [UX-36]', () => {
  const { container, rerender } = render(stack([first]));
  const moving = () =>
    [...container.querySelectorAll('[data-hue]')].map((face) => face.className.includes('animate-join'));
  expect(moving()).toEqual([false]);
  rerender(stack([first, other]));
  expect(moving()).toEqual([false, true]);
});

test('avatar: a person without a name has a silhouette [LOOKUX-02]', () => {
  const { container } = render(<Avatar name="" seed={first} />);
  expect(container.querySelector('svg.lucide-user-round')).not.toBeNull();
  expect(container.querySelector('[data-initials]')).toBeNull();
});
