import { type RefObject, useLayoutEffect } from 'react';

export type Placement = { side: 'top' | 'bottom'; align: 'start' | 'center' | 'end' };

const GAP = 6;
const MARGIN = 8;

const clamp = (value: number, min: number, max: number) => Math.max(min, Math.min(value, max));

/** Positions a panel beside its anchor, flipped if the other side has more room, and always inside the window. */
function place(panel: HTMLElement, anchor: Element, { side, align }: Placement): void {
  const anchorBox = anchor.getBoundingClientRect();
  const windowWidth = document.documentElement.clientWidth;
  const { offsetWidth: width, offsetHeight: height } = panel;

  const above = anchorBox.top - GAP - height;
  const below = window.innerHeight - anchorBox.bottom - GAP - height;
  const onTop = side === 'top' ? above >= MARGIN || above > below : below < MARGIN && above > below;
  const top = onTop ? above : anchorBox.bottom + GAP;

  const middle = (anchorBox.left + anchorBox.right - width) / 2;
  const left = { start: anchorBox.left, center: middle, end: anchorBox.right - width }[align];

  panel.style.top = `${clamp(top, MARGIN, Math.max(MARGIN, window.innerHeight - MARGIN - height))}px`;
  panel.style.left = `${clamp(left, MARGIN, Math.max(MARGIN, windowWidth - MARGIN - width))}px`;
}

/** Shows a panel in the top layer and keeps it beside its anchor while mounted. */
export function usePlaced(
  panel: RefObject<HTMLElement | null>,
  anchor: RefObject<Element | null>,
  { side, align }: Placement,
): void {
  useLayoutEffect(() => {
    const shown = panel.current;
    if (!shown || !anchor.current) return;
    const update = () => anchor.current && place(shown, anchor.current, { side, align });
    // Browsers without the popover API show the panel where it is in the document, raised by its z-index.
    // oxlint-disable-next-line no-restricted-properties -- asks whether there is one
    if (shown.showPopover) {
      shown.setAttribute('popover', 'manual');
      // oxlint-disable-next-line no-restricted-properties
      shown.showPopover();
    }
    update();
    const size = new ResizeObserver(update);
    size.observe(shown);
    window.addEventListener('resize', update);
    window.addEventListener('scroll', update, true);
    return () => {
      size.disconnect();
      window.removeEventListener('resize', update);
      window.removeEventListener('scroll', update, true);
    };
  }, [panel, anchor, side, align]);
}
