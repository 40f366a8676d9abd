import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

export interface Size {
  width: number;
  height: number;
}

/** The visible part of a picture: its centre as fractions (0 to 1) of the picture, and the zoom. */
export interface View {
  x: number;
  y: number;
  zoom: number;
}

export const maxZoom = 5;
const initialView: View = { x: 0.5, y: 0.5, zoom: 1 };
const step = 0.05;

/** The size of the largest part with the aspect ratio of the frame, divided by the zoom. */
function partOf({ width, height }: Size, ratio: number, zoom: number): Size {
  const widest = Math.min(width, height * ratio) / zoom;
  return { width: widest, height: widest / ratio };
}

const clamp = (min: number, value: number, max: number) => Math.min(Math.max(value, min), max);

/** Clamps a view, so that the picture fills the frame. */
export function fitted(view: View, picture: Size, ratio: number): View {
  const zoom = clamp(1, view.zoom, maxZoom);
  const part = partOf(picture, ratio, zoom);
  const [left, top] = [part.width / picture.width / 2, part.height / picture.height / 2];
  return { x: clamp(left, view.x, 1 - left), y: clamp(top, view.y, 1 - top), zoom };
}

/** The rectangle of a view, in pixels of the picture. */
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

/** Pans and zooms a picture within its frame by pointer, pinch and keyboard. */
export function useCrop(picture: Size, ratio: number) {
  const [view, setView] = useState(initialView);
  const pointers = useRef(new Map<number, { x: number; y: number }>());

  const change = (next: (view: View) => View) => setView((now) => fitted(next(now), picture, ratio));

  /** `x` and `y` are fractions of the frame. */
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
      const delta = steps[event.key === '=' ? '+' : event.key];
      if (!delta || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      move(delta.x ?? 0, delta.y ?? 0, 1 + (delta.zoom ?? 0));
    },
    onPointerDown(event: PointerEvent) {
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove(event: PointerEvent) {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      const frame = event.currentTarget.getBoundingClientRect();
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      const distance = (pointer: typeof now) =>
        other ? Math.hypot(pointer.x - other.x, pointer.y - other.y) : 1;
      // Two pointers: moving one of them moves the centre between them by half the distance.
      const share = other ? 2 : 1;
      move(
        (before.x - now.x) / frame.width / share,
        (before.y - now.y) / frame.height / share,
        distance(now) / (distance(before) || 1),
      );
      pointers.current.set(event.pointerId, now);
    },
    onPointerUp: (event: PointerEvent) => void pointers.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => void pointers.current.delete(event.pointerId),
  };
  return { view, zoomTo: (zoom: number) => change((now) => ({ ...now, zoom })), handlers };
}
