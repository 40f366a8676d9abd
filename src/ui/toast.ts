import type { ReactNode } from 'react';

export type ToastTone = 'neutral' | 'danger';
export type ToastMessage = {
  title: ReactNode;
  text?: ReactNode;
  tone?: ToastTone;
  /** Milliseconds until the toast closes. */
  duration?: number;
};
export type ToastEntry = ToastMessage & { id: number; open: boolean };

export const MAX_TOASTS = 1;
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

const updateToast = (id: number, changes: Partial<ToastEntry>) =>
  publish(entries.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)));

export const toasts = () => entries;

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Closes a toast. It stays in the list for the specified removal delay. */
export function dismissToast(id: number): void {
  if (!entries.some((entry) => entry.id === id) || removals.has(id)) return;
  updateToast(id, { open: false });
  removals.set(
    id,
    setTimeout(() => publish(entries.filter((entry) => entry.id !== id)), TOAST_REMOVAL_DELAY),
  );
}

/** Shows a message in place of the previous one. */
export function toast(message: ToastMessage) {
  const id = ++lastId;
  publish([{ ...message, id, open: true }, ...entries].slice(0, MAX_TOASTS));
  return {
    update: (changes: Partial<ToastMessage>) => updateToast(id, changes),
    dismiss: () => dismissToast(id),
  };
}
