import { type RefObject, useLayoutEffect } from 'react';

export type Placement = { side: 'top' | 'bottom'; align: 'start' | 'center' | 'end' };

const GAP = 6;
const MARGIN = 8;

const clamp = (value: number, least: number, max: number) => Math.max(least, Math.min(value, max));

/** Puts a panel beside its anchor, on the other side where that has more room, and always inside the window. */
function place(panel: HTMLElement, anchor: Element, { side, align }: Placement): void {
  const around = anchor.getBoundingClientRect();
  const windowWidth = document.documentElement.clientWidth;
  const { offsetWidth: width, offsetHeight: height } = panel;

  const above = around.top - GAP - height;
  const below = window.innerHeight - around.bottom - GAP - height;
  const onTop = side === 'top' ? above >= MARGIN || above > below : below < MARGIN && above > below;
  const top = onTop ? above : around.bottom + GAP;

  const middle = (around.left + around.right - width) / 2;
  const left = { start: around.left, center: middle, end: around.right - width }[align];

  panel.style.top = `${clamp(top, MARGIN, Math.max(MARGIN, window.innerHeight - MARGIN - height))}px`;
  panel.style.left = `${clamp(left, MARGIN, Math.max(MARGIN, windowWidth - MARGIN - width))}px`;
}

/** Lifts a panel above everything and keeps it beside its anchor while it is mounted. */
export function usePlaced(
  panel: RefObject<HTMLElement | null>,
  anchor: RefObject<Element | null>,
  { side, align }: Placement,
): void {
  useLayoutEffect(() => {
    const shown = panel.current;
    if (!shown || !anchor.current) return;
    const again = () => anchor.current && place(shown, anchor.current, { side, align });
    // A browser without the top layer still shows it, in its place and by its z-index.
    if (shown.showPopover) {
      shown.setAttribute('popover', 'manual');
      shown.showPopover();
    }
    again();
    const size = new ResizeObserver(again);
    size.observe(shown);
    window.addEventListener('resize', again);
    window.addEventListener('scroll', again, true);
    return () => {
      size.disconnect();
      window.removeEventListener('resize', again);
      window.removeEventListener('scroll', again, true);
    };
  }, [panel, anchor, side, align]);
}
