import { useEffect } from 'react';
import { session } from '#web/session.ts';
import { notify } from '#web/copy.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { receive, reload } from './useInbox.ts';

/** Codes with which a connection ends. */
const normal = 1000;
const sessionOver = 4401;

const pause = 5_000;
const maxReconnectDelay = 60_000;

/** Milliseconds before the next try: exactly five seconds at first, then longer and longer and not all at once. */
export function pauseBefore(retry: number): number {
  if (retry === 0) return pause;
  return Math.min(pause * 2 ** (retry - 1) + Math.random() * pause, maxReconnectDelay);
}

function parse(data: unknown): Notification | undefined {
  try {
    const value = JSON.parse(String(data)) as Partial<Notification> | null;
    if (typeof value?.id === 'string' && typeof value.message === 'string')
      return { ...value, metadata: value.metadata ?? {} } as Notification;
  } catch {
    // Said below.
  }
  console.warn('A live notification could not be read.');
  return undefined;
}

function takeIn(data: unknown): void {
  const one = parse(data);
  if (one && receive(one)) notify({ title: 'New Notification', text: one.message });
}

function open(token: string): WebSocket {
  const address = new URL('/api/v1/ws/notifications', location.origin.replace(/^http/, 'ws'));
  address.searchParams.set('token', token);
  return new WebSocket(address);
}

/** Keeps a connection on which new notifications come, and takes them in, until what it returns is called. */
export function keepLive(): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retries = 0;
  const over = new AbortController();
  const { signal } = over;

  function connect(): void {
    const token = session.read()?.AccessToken.Token;
    if (!token) return void (timer = setTimeout(connect, pause));
    let opened = false;
    socket = open(token);
    const opening = () => {
      opened = true;
      retries = 0;
      // Whatever was missed without a connection.
      void reload();
    };
    const closing = ({ code }: CloseEvent) => {
      if (code === normal) return;
      // It may have been refused because the token is too old: the next call renews that.
      if (!opened || code === sessionOver) void reload();
      timer = setTimeout(connect, pauseBefore(retries++));
    };
    socket.addEventListener('open', opening, { signal });
    socket.addEventListener('message', ({ data }) => takeIn(data), { signal });
    socket.addEventListener('error', () => console.warn('The live connection broke.'), { signal });
    socket.addEventListener('close', closing, { signal });
  }

  connect();
  return () => {
    over.abort();
    clearTimeout(timer);
    socket?.close(normal);
  };
}

/** Live notifications, as long as the component is there. */
export const useLive = (): void => useEffect(keepLive, []);
