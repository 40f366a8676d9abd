import { Avatar, type AvatarProps } from './Avatar.tsx';
import { cn } from './class-names.ts';

export type AvatarStackProps = {
  people: readonly (Pick<AvatarProps, 'name' | 'src'> & { seed: string })[];
  className?: string;
};

/** A few overlapping pictures. Decorative: show the number of people as text beside it. */
export function AvatarStack({ people, className }: AvatarStackProps) {
  return (
    <span aria-hidden className={cn('inline-flex items-center -space-x-1', className)}>
      {people.map((person) => (
        <Avatar key={person.seed} {...person} size="xs" className="ring-2 ring-surface" />
      ))}
    </span>
  );
}
