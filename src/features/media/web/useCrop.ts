import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

export interface Size {
  width: number;
  height: number;
}

/** Which part of a picture is shown: the place of its middle, from 0 to 1 each way, and how much it is enlarged. */
export interface View {
  x: number;
  y: number;
  zoom: number;
}

export const closest = 5;
const whole: View = { x: 0.5, y: 0.5, zoom: 1 };
const step = 0.05;

/** The part as wide and high as the frame's ratio allows, divided by the zoom. */
function partOf({ width, height }: Size, ratio: number, zoom: number): Size {
  const widest = Math.min(width, height * ratio) / zoom;
  return { width: widest, height: widest / ratio };
}

const between = (least: number, value: number, max: number) => Math.min(Math.max(value, least), max);

/** The same view, moved so far and zoomed so much that the frame is filled. */
export function fitted(view: View, picture: Size, ratio: number): View {
  const zoom = between(1, view.zoom, closest);
  const part = partOf(picture, ratio, zoom);
  const [left, top] = [part.width / picture.width / 2, part.height / picture.height / 2];
  return { x: between(left, view.x, 1 - left), y: between(top, view.y, 1 - top), zoom };
}

/** The part of the picture that a view shows, in pixels of the picture. */
export function shownPart(view: View, picture: Size, ratio: number): Size & { left: number; top: number } {
  const part = partOf(picture, ratio, view.zoom);
  return {
    ...part,
    left: view.x * picture.width - part.width / 2,
    top: view.y * picture.height - part.height / 2,
  };
}

const steps: Record<string, Partial<View>> = {
  ArrowLeft: { x: -step },
  ArrowRight: { x: step },
  ArrowUp: { y: -step },
  ArrowDown: { y: step },
  '+': { zoom: 0.2 },
  '-': { zoom: -0.2 },
};

/** Moving and enlarging a picture behind its frame, by pointer, by two fingers and by keyboard. */
export function useCrop(picture: Size, ratio: number) {
  const [view, setView] = useState(whole);
  const fingers = useRef(new Map<number, { x: number; y: number }>());

  const change = (next: (view: View) => View) => setView((now) => fitted(next(now), picture, ratio));

  /** `x` and `y` are shares of the frame. */
  const move = (x: number, y: number, factor = 1) =>
    change((now) => {
      const part = partOf(picture, ratio, now.zoom);
      return {
        x: now.x + (x * part.width) / picture.width,
        y: now.y + (y * part.height) / picture.height,
        zoom: now.zoom * factor,
      };
    });

  const handlers = {
    onKeyDown(event: KeyboardEvent) {
      const wanted = steps[event.key === '=' ? '+' : event.key];
      if (!wanted || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      move(wanted.x ?? 0, wanted.y ?? 0, 1 + (wanted.zoom ?? 0));
    },
    onPointerDown(event: PointerEvent) {
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove(event: PointerEvent) {
      const before = fingers.current.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      const frame = event.currentTarget.getBoundingClientRect();
      const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
      const apart = (finger: typeof now) => (other ? Math.hypot(finger.x - other.x, finger.y - other.y) : 1);
      // Of two fingers each moves the middle between them by half as much.
      const share = other ? 2 : 1;
      move(
        (before.x - now.x) / frame.width / share,
        (before.y - now.y) / frame.height / share,
        apart(now) / (apart(before) || 1),
      );
      fingers.current.set(event.pointerId, now);
    },
    onPointerUp: (event: PointerEvent) => void fingers.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => void fingers.current.delete(event.pointerId),
  };
  return { view, zoomTo: (zoom: number) => change((now) => ({ ...now, zoom })), handlers };
}
