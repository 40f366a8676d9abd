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

const outlined = (element: Element | null | undefined) => element?.className.includes('inset-ring');

test('avatars: of two neighbours with the same colour, the second has an outline [UX-36 LOOKUX-02]', () => {
  const people = [first, same, other, first].map((seed) => ({ name: 'Ada', seed }));
  const { container } = render(<AvatarStack people={people.slice(0, 3)} />);
  expect([...container.querySelectorAll('[data-hue]')].map(outlined)).toEqual([false, true, false]);
});

test('avatar: a person without a name has a silhouette [LOOKUX-02]', () => {
  const { container } = render(<Avatar name="" seed={first} />);
  expect(container.querySelector('svg.lucide-user-round')).not.toBeNull();
  expect(container.querySelector('[data-initials]')).toBeNull();
});
