import { Avatar, type AvatarProps } from './Avatar.tsx';
import { cn } from './class-names.ts';

export type AvatarStackProps = {
  people: readonly { name: string; src?: string | null | undefined; seed?: string }[];
  /** The total number, if `people` contains only the first few. */
  total?: number;
  max?: number;
  size?: AvatarProps['size'];
  className?: string;
};

/** A few overlapping pictures and the number of further people. Decorative: show the number as text beside it. */
export function AvatarStack({
  people,
  total = people.length,
  max = 4,
  size = 'sm',
  className,
}: AvatarStackProps) {
  const shown = people.slice(0, max);
  const more = total - shown.length;
  return (
    <span aria-hidden className={cn('inline-flex items-center -space-x-2', className)}>
      {shown.map((person) => (
        <Avatar key={person.seed ?? person.name} {...person} size={size} className="ring-2 ring-surface" />
      ))}
      {more > 0 && shown.length > 0 && (
        <span className="z-1 rounded-full bg-sunken px-2 py-1 text-xs font-semibold text-muted ring-2 ring-surface tabular-nums">
          +{more}
        </span>
      )}
    </span>
  );
}
