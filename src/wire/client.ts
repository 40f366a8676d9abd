import type { z } from 'zod';
import type {
  Contract,
  DocumentEndpoint,
  Endpoint,
  Envelope,
  UploadEndpoint,
  WithFile,
} from '#wire/endpoint.ts';

/** The session of a browser, as it stands in local storage under `authData`. */
export interface AuthData {
  AccessToken: { Token: string };
  RefreshToken: { Token: string };
}

/** Where the session is kept, and what happens when it can't go on. */
export interface SessionStore {
  read(): AuthData | undefined;
  write(auth: AuthData): void;
  /** The session is dead: forget it and lead the user to the login. */
  lost(): void;
  /** Runs `work` while no other tab of this browser runs one. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** An answer that is no success: `error` is the server's code, or the sentence of the specification when there was none. */
export class Failure extends Error {
  readonly status: number;
  readonly error: string;
  /** In seconds: when the server wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    status = 500,
    error = 'An unexpected error occurred',
    message = error,
    retryAfter: number | undefined = undefined,
  ) {
    super(message);
    this.status = status;
    this.error = error;
    this.retryAfter = retryAfter;
  }
}

/** Hears how much of a file has been sent, from 0 to 1. */
export type OnProgress = (share: number) => void;

type Call<E> =
  E extends UploadEndpoint<infer Input, infer Output>
    ? (
        input: WithFile<z.input<Input>, Blob | Uint8Array>,
        onProgress?: OnProgress,
      ) => Promise<z.output<Output>>
    : E extends Endpoint<infer Input, infer Output>
      ? (input: z.input<Input>) => Promise<z.output<Output>>
      : E extends DocumentEndpoint<infer Input>
        ? (input: z.input<Input>) => Promise<string>
        : never;

export type Client<Contracts extends Record<string, Contract>> = {
  [Noun in keyof Contracts]: { [Name in keyof Contracts[Noun]]: Call<Contracts[Noun][Name]> };
};

/** What calling needs to know of an endpoint. */
type Called = Pick<Endpoint, 'method' | 'path' | 'who' | 'only' | 'needsData'>;

/**
 * Waits before a call is sent again. Resolves with false when the user stops it, and the call fails. `total` is how long
 * the call will have waited by then; both are seconds.
 */
export type Wait = (seconds: number, total: number) => Promise<boolean>;

const maxRetries = 3;
/** In seconds. A timer that is to run for more than 24 days fires at once. */
const maxWait = 2_000_000;

const pause: Wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000, true));

/**
 * Calls the endpoints of `contracts` by name: `api.clubs.create({ club_name })`.
 * Sends the access token when there is one; renews it once for however many calls were refused with 401, which wait
 * and are sent again; waits as long as a 429 asks, three times at most. A call that creates something is sent once more
 * when no answer comes. Sets no time limit of its own.
 */
export function createClient<Contracts extends Record<string, Contract>>(
  contracts: Contracts,
  options: {
    origin: string;
    session: SessionStore;
    fetch?: typeof fetch;
    /** Sends a file; where it is not given, `fetch` does, which tells nothing of the progress. */
    upload?: (url: string, init: RequestInit, onProgress: OnProgress) => Promise<Response>;
    wait?: Wait;
  },
): Client<Contracts> {
  const send = createSender(options);
  const nouns = Object.entries(contracts).map(([noun, contract]) => [
    noun,
    Object.fromEntries(
      Object.entries(contract).map(([name, endpoint]) => [
        name,
        (input: Record<string, unknown>, onProgress?: OnProgress) => send(endpoint, input, onProgress),
      ]),
    ),
  ]);
  return Object.fromEntries(nouns) as Client<Contracts>;
}

/** As `createClient`, for calls that have no name. */
export function createSender({
  origin,
  session,
  fetch = globalThis.fetch,
  upload = fetch,
  wait = pause,
}: Parameters<typeof createClient>[1]) {
  const renewal = createRenewal({ origin, session, fetch, wait });

  return async function send(
    endpoint: Called,
    input: Record<string, unknown>,
    onProgress?: OnProgress,
  ): Promise<unknown> {
    const { address, body, type } = aim(endpoint, input);
    const key = 'creates' in endpoint && endpoint.creates ? freshKey() : undefined;
    let token: string | undefined;
    const once = () => {
      token = session.read()?.AccessToken.Token;
      const headers: Record<string, string> = {};
      if (token) headers['authorization'] = `Bearer ${token}`;
      if (type) headers['content-type'] = type;
      if (key) headers['idempotency-key'] = key;
      const url = `${origin}/api${address}`;
      const init = { method: endpoint.method, headers, body: body ?? null };
      return onProgress ? upload(url, init, onProgress) : fetch(url, init);
    };
    const attempt = async () => {
      // Without the new session this call would be refused too.
      if (endpoint.who === 'user' && renewal.running()) await renewal.running();
      // The answer may have got lost after the deed was done. With a key, asking again does it no second time.
      return retried(() => successOf(key ? () => once().catch(once) : once), asksToWait, wait);
    };

    const { status, text } = await attempt()
      .catch(async (failure: Failure) => {
        const isRejected = failure.status === 401 && endpoint.who === 'user';
        if (isRejected && (await renewal.of(token))) return attempt();
        throw failure;
      })
      .catch((failure: Failure) => {
        if (failure.status === 404) console.debug(`${endpoint.method} ${endpoint.path}: nothing there`);
        throw failure;
      });
    if ('document' in endpoint) return text;
    const { only = status, needsData } = endpoint;
    const data = envelopeIn(text)?.data;
    // Without an envelope there is not even a null.
    if (status !== only || data === undefined || (needsData && data === null)) throw new Failure(status);
    return data;
  };
}

/** Renews the session, once for all calls that need it. */
function createRenewal({
  origin,
  session,
  fetch,
  wait,
}: {
  origin: string;
  session: SessionStore;
  fetch: typeof globalThis.fetch;
  wait: Wait;
}) {
  let running: Promise<boolean> | undefined;

  /** Another tab may have renewed meanwhile, so the stored session is read again inside the lock. */
  async function attempt(rejectedToken: string | undefined): Promise<boolean> {
    const stored = session.read();
    if (stored && stored.AccessToken.Token !== rejectedToken) return true;
    const renewed = stored && (await ask(stored));
    if (renewed) session.write(renewed);
    else session.lost();
    return Boolean(renewed);
  }

  async function ask(auth: AuthData): Promise<AuthData | undefined> {
    const token = encodeURIComponent(auth.RefreshToken.Token);
    try {
      const { text } = await successOf(() => fetch(`${origin}/api/v1/auth/refresh?token=${token}`));
      const data = envelopeIn(text)?.data;
      return isAuthData(data) ? data : undefined;
    } catch (failure) {
      // It says nothing about the session, which stays.
      if (isNoResponse(failure)) throw failure;
      return undefined;
    }
  }

  return {
    running: () => running,
    /** The lock is free between the attempts: another tab may renew while this one waits. */
    of(rejectedToken: string | undefined): Promise<boolean> {
      running ??= retried(() => session.alone(() => attempt(rejectedToken)), isNoResponse, wait).finally(
        () => (running = undefined),
      );
      return running;
    },
  };
}

/** Tries again after a wait, three times at most, where a failure `asksFor` it. */
async function retried<T>(
  attempt: () => Promise<T>,
  asksFor: (failure: unknown) => failure is Failure,
  wait: Wait,
): Promise<T> {
  for (let retries = 0, total = 0; ; retries++) {
    try {
      return await attempt();
    } catch (failure) {
      if (!asksFor(failure) || retries === maxRetries) throw failure;
      const { retryAfter = 1 } = failure;
      total += retryAfter;
      if (!(await wait(retryAfter, total))) throw failure;
    }
  }
}

/** `randomUUID` is missing where a page came over plain HTTP. */
const freshKey = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');

/** The status and the text of a success; throws a `Failure` for any other answer, and where none came whole. */
async function successOf(send: () => Promise<Response>): Promise<{ status: number; text: string }> {
  const [answer, text] = await send()
    .then(async (response) => [response, await response.text()] as const)
    .catch((cause: unknown) => {
      throw new Failure(undefined, undefined, String(cause));
    });
  const { ok, status, headers } = answer;
  if (ok) return { status, text };
  const { error, message } = envelopeIn(text) ?? {};
  const retryAfter = Math.min(Number(headers.get('retry-after')), maxWait) || undefined;
  throw new Failure(status, error ?? undefined, message, retryAfter);
}

function envelopeIn(text: string): Partial<Envelope> | undefined {
  try {
    return (JSON.parse(text) as Partial<Envelope> | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A 409 that says when to come back: the same call is still being worked on. */
const asksToWait = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.status === 429 || (failure.status === 409 && failure.retryAfter !== undefined));

/** Nothing was said about what was asked; a missing network counts as 500. */
const isNoResponse = (failure: unknown): failure is Failure =>
  failure instanceof Failure && (failure.status === 429 || failure.status >= 500);

/** Splits an input into the path it fills, the query and the body. */
function aim(
  endpoint: Called,
  input: Record<string, unknown>,
): { address: string; body?: string | Blob; type?: string } {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  let address = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const file = 'upload' in endpoint ? (rest.get('file') as Blob) : undefined;
  if (file) rest.delete('file');
  if (file || endpoint.method === 'GET') {
    const query = new URLSearchParams(
      [...rest].map(([key, value]): [string, string] => [key, String(value)]),
    );
    if (query.size > 0) address += `?${query}`;
    // The server goes by the content; the type only has to be one that it takes.
    return file ? { address, body: file, type: file.type || 'image/webp' } : { address };
  }
  if (endpoint.method === 'DELETE' && rest.size === 0) return { address };
  return { address, body: JSON.stringify(Object.fromEntries(rest)), type: 'application/json' };
}

export function isAuthData(value: unknown): value is AuthData {
  const auth = value as Partial<AuthData> | null | undefined;
  return typeof auth?.AccessToken?.Token === 'string' && typeof auth.RefreshToken?.Token === 'string';
}
