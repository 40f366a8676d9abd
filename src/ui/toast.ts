import type { ReactNode } from 'react';

export type ToastTone = 'neutral' | 'danger';
export type ToastMessage = { title: ReactNode; text?: ReactNode; tone?: ToastTone };
export type ToastEntry = ToastMessage & { id: number; open: boolean };

export const TOASTS_AT_ONCE = 1;
export const TOAST_DURATION = 5000;
export const TOAST_SWIPE_THRESHOLD = 50;
export const TOAST_REMOVAL_DELAY = 1_000_000;

let entries: readonly ToastEntry[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const removals = new Map<number, ReturnType<typeof setTimeout>>();

function publish(next: readonly ToastEntry[]): void {
  for (const { id } of entries) {
    if (next.some((entry) => entry.id === id)) continue;
    clearTimeout(removals.get(id));
    removals.delete(id);
  }
  entries = next;
  for (const listener of listeners) listener();
}

const change = (id: number, part: Partial<ToastEntry>) =>
  publish(entries.map((entry) => (entry.id === id ? { ...entry, ...part } : entry)));

export const toasts = () => entries;

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Closes a toast. It stays in the list for the removal delay, so that it can be seen leaving. */
export function dismissToast(id: number): void {
  if (!entries.some((entry) => entry.id === id) || removals.has(id)) return;
  change(id, { open: false });
  removals.set(
    id,
    setTimeout(() => publish(entries.filter((entry) => entry.id !== id)), TOAST_REMOVAL_DELAY),
  );
}

/** Shows a message, from anywhere; a newer one takes the place of the older. */
export function toast(message: ToastMessage) {
  const id = ++lastId;
  publish([{ ...message, id, open: true }, ...entries].slice(0, TOASTS_AT_ONCE));
  return {
    update: (part: Partial<ToastMessage>) => change(id, part),
    dismiss: () => dismissToast(id),
  };
}
