import { Children, cloneElement, type HTMLAttributes, type ReactElement, type Ref, useMemo } from 'react';
import { cn } from './class-names.ts';

type Handler = (event: unknown) => void;
type Props = Record<string, unknown> & { ref?: Ref<HTMLElement> | undefined };

/** The child must be a single element. */
export type SlotProps = HTMLAttributes<HTMLElement> & Pick<Props, 'ref'>;

/** Renders its child with further props. Joins class names, runs the handlers of both and sets the refs of both. */
export function Slot({ children, ref, ...given }: SlotProps) {
  const child = Children.only(children) as ReactElement<Props>;
  const own = child.props;
  const merged: Props = { ...given, ...own, ref: useBothRefs(ref, own.ref) };
  for (const [name, outer] of Object.entries(given)) {
    const inner = own[name];
    if (name === 'className') merged[name] = cn(outer as string, inner as string);
    if (typeof outer === 'function' && typeof inner === 'function')
      merged[name] = (event: unknown) => {
        (inner as Handler)(event);
        (outer as Handler)(event);
      };
  }
  return cloneElement(child, merged);
}

/** A stable callback, so that React does not detach the refs with each render. */
const useBothRefs = (one: Props['ref'], other: Props['ref']) =>
  useMemo(() => {
    if (!one || !other) return one ?? other;
    return (element: HTMLElement | null) => {
      for (const ref of [one, other]) {
        if (typeof ref === 'function') ref(element);
        else ref.current = element;
      }
    };
  }, [one, other]);
