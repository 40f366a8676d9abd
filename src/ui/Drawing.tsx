import { cn } from './class-names.ts';
import drawings from './drawings.svg';

export type DrawingName = 'signpost' | 'tent' | 'lighthouse' | 'boat';

/** A line drawing of the same hills as on generated covers, in the colour of the text. Decorative. */
export const Drawing = ({ name, className }: { name: DrawingName; className?: string }) => (
  <svg aria-hidden viewBox="0 0 160 100" className={cn('h-25 w-40', className)}>
    <use href={`${drawings}#${name}`} />
  </svg>
);
