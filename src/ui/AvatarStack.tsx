import { Avatar, type AvatarProps } from './Avatar.tsx';
import { cn } from './class-names.ts';
import { useJoined } from './useJoined.ts';

export type AvatarStackProps = {
  people: readonly (Pick<AvatarProps, 'name' | 'src'> & { seed: string })[];
  size?: 'xs' | 'sm';
  className?: string;
};

/** A few overlapping pictures. Decorative: show the number of people as text beside it. */
export function AvatarStack({ people, size = 'xs', className }: AvatarStackProps) {
  const hasJoined = useJoined(people.map(({ seed }) => seed));
  return (
    <span aria-hidden className={cn('inline-flex items-center -space-x-1', className)}>
      {people.map((person, at) => (
        <Avatar
          key={person.seed}
          {...person}
          previous={people[at - 1]?.seed}
          size={size}
          className={cn('ring-2 ring-surface', hasJoined(person.seed) && 'animate-join')}
        />
      ))}
    </span>
  );
}
