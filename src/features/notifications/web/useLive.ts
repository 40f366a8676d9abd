import { useEffect } from 'react';
import { session } from '#web/first/session.ts';
import { showToast } from '#web/copy.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { receive, reload } from './useInbox.ts';
import { t } from '#features/notifications/home-messages.ts';

/** WebSocket close codes. */
const normalClosure = 1000;
const sessionEnded = 4401;

const reconnectPause = 5_000;
const maxReconnectDelay = 60_000;

/** Milliseconds before a retry: exactly five seconds at first, then exponential backoff with jitter. */
export function reconnectDelay(retry: number): number {
  if (retry === 0) return reconnectPause;
  return Math.min(reconnectPause * 2 ** (retry - 1) + Math.random() * reconnectPause, maxReconnectDelay);
}

function parse(data: unknown): Notification | undefined {
  try {
    const value = JSON.parse(String(data)) as Partial<Notification> | null;
    if (typeof value?.id === 'string' && typeof value.message === 'string')
      return { ...value, metadata: value.metadata ?? {} } as Notification;
  } catch {
    // Logged below.
  }
  console.warn('A live notification could not be read.');
  return undefined;
}

function handleMessage(data: unknown): void {
  const notification = parse(data);
  if (notification && receive(notification))
    showToast({ title: t('newNotification'), text: notification.message });
}

function open(token: string): WebSocket {
  const address = new URL('/api/v1/ws/notifications', location.origin.replace(/^http/, 'ws'));
  address.searchParams.set('token', token);
  return new WebSocket(address);
}

/** Opens a WebSocket for new notifications and reconnects when it closes. Returns a function that stops both. */
export function connectLive(): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retries = 0;
  const teardown = new AbortController();
  const { signal } = teardown;

  function connect(): void {
    const token = session.read()?.AccessToken.Token;
    if (!token) return void (timer = setTimeout(connect, reconnectPause));
    let opened = false;
    socket = open(token);
    const onOpen = () => {
      opened = true;
      retries = 0;
      // Fetches notifications that were missed while disconnected.
      void reload();
    };
    const onClose = ({ code }: CloseEvent) => {
      if (code === normalClosure) return;
      // The access token may have expired: an API request refreshes it.
      if (!opened || code === sessionEnded) void reload();
      timer = setTimeout(connect, reconnectDelay(retries++));
    };
    socket.addEventListener('open', onOpen, { signal });
    socket.addEventListener('message', ({ data }) => handleMessage(data), { signal });
    socket.addEventListener('error', () => console.warn('The live connection broke.'), { signal });
    socket.addEventListener('close', onClose, { signal });
  }

  connect();
  return () => {
    teardown.abort();
    clearTimeout(timer);
    socket?.close(normalClosure);
  };
}

/** Receives live notifications while the component is mounted. */
export const useLive = (): void => useEffect(connectLive, []);
