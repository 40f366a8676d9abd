import type { z } from 'zod';
import type {
  Contract,
  DocumentEndpoint,
  Endpoint,
  Envelope,
  UploadEndpoint,
  WithFile,
} from '#wire/endpoint.ts';

/** The session of a browser, stored in local storage as `authData`. */
export interface AuthData {
  AccessToken: { Token: string };
  RefreshToken: { Token: string };
}

/** Storage of the session. */
export interface SessionStore {
  read(): AuthData | undefined;
  write(auth: AuthData): void;
  /** Called when the session has ended: delete it and show the login. */
  lost(): void;
  /** Runs `work` under a lock shared by all tabs of this browser. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** A failed call. `error` is the error code of the server, or the sentence of the specification if there is none. */
export class Failure extends Error {
  readonly status: number;
  readonly error: string;
  /** Seconds until a retry, from `Retry-After`. */
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

/** No response arrived. The specification counts it as a 500. */
export class NetworkFailure extends Failure {}

/** Called with the uploaded share of a file, from 0 to 1. */
export type OnProgress = (share: number) => void;

/** The further argument of calls that save a form: the version for `If-Match`. */
type VersionOf<E> = E extends { versioned?: true } ? [version?: number] : [];

type Call<E> =
  E extends UploadEndpoint<infer Input, infer Output>
    ? (
        input: WithFile<z.input<Input>, Blob | Uint8Array>,
        onProgress?: OnProgress,
      ) => Promise<z.output<Output>>
    : E extends Endpoint<infer Input, infer Output>
      ? (input: z.input<Input>, ...version: VersionOf<E>) => Promise<z.output<Output>>
      : E extends DocumentEndpoint<infer Input>
        ? (input: z.input<Input>) => Promise<string>
        : never;

export type Client<Contracts extends Record<string, Contract>> = {
  [Noun in keyof Contracts]: { [Name in keyof Contracts[Noun]]: Call<Contracts[Noun][Name]> };
};

/** A client whose calls to versioned endpoints must name the version that was read. */
export type VersionedClient<Contracts extends Record<string, Contract>> = {
  [Noun in keyof Contracts]: {
    [Name in keyof Contracts[Noun]]: Contracts[Noun][Name] extends { versioned?: true }
      ? (
          ...input: Required<Parameters<Call<Contracts[Noun][Name]>>>
        ) => ReturnType<Call<Contracts[Noun][Name]>>
      : Call<Contracts[Noun][Name]>;
  };
};

/** The fields of an endpoint that the client uses. */
type Target = Pick<Endpoint, 'method' | 'path' | 'who' | 'only' | 'needsData' | 'maxWait'>;

/**
 * Waits before a retry. Resolves with false when the user cancels, and the call fails. `total` is the sum of all waits
 * of the call, this one included. Both are seconds.
 */
export type Wait = (seconds: number, total: number) => Promise<boolean>;

const maxRetries = 3;
/** Seconds. A timer of more than 24 days would fire immediately. */
const maxWait = 2_000_000;

const pause: Wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000, true));

/**
 * Calls the endpoints of `contracts` by name: `api.clubs.create({ club_name })`.
 * Sends the access token if there is one. After a 401, refreshes the token once for all failed calls and repeats these.
 * After a 429, retries up to three times as `Retry-After` says. If a call that creates something gets no response,
 * repeats it once. Sets no timeout.
 */
export function createClient<Contracts extends Record<string, Contract>>(
  contracts: Contracts,
  options: {
    origin: string;
    session: SessionStore;
    fetch?: typeof fetch;
    /** Sends a file and reports progress. Defaults to `fetch`, which reports none. */
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
        'versioned' in endpoint && endpoint.versioned
          ? (input: Record<string, unknown>, version?: number) => send(endpoint, input, undefined, version)
          : (input: Record<string, unknown>, onProgress?: OnProgress) => send(endpoint, input, onProgress),
      ]),
    ),
  ]);
  return Object.fromEntries(nouns) as Client<Contracts>;
}

/** Like `createClient`, for endpoints without a name. */
export function createSender({
  origin,
  session,
  fetch = globalThis.fetch,
  upload = fetch,
  wait = pause,
}: Parameters<typeof createClient>[1]) {
  const renewal = createRenewal({ origin, session, fetch, wait });

  return async function send(
    endpoint: Target,
    input: Record<string, unknown>,
    onProgress?: OnProgress,
    version?: number,
  ): Promise<unknown> {
    const { path, body, type } = requestOf(endpoint, input);
    const { maxWait = Infinity } = endpoint;
    const waitOrFail: Wait = async (seconds, total) => total <= maxWait && wait(seconds, total);
    const key = 'creates' in endpoint && endpoint.creates ? freshKey() : undefined;
    let token: string | undefined;
    const once = () => {
      token = session.read()?.AccessToken.Token;
      const headers: Record<string, string> = {};
      if (token) headers['authorization'] = `Bearer ${token}`;
      if (type) headers['content-type'] = type;
      if (key) headers['idempotency-key'] = key;
      if (version !== undefined) headers['if-match'] = `"${version}"`;
      const url = `${origin}/api${path}`;
      const init = { method: endpoint.method, headers, body: body ?? null };
      return onProgress ? upload(url, init, onProgress) : fetch(url, init);
    };
    const attempt = async () => {
      // During a refresh, the server would reject the current token too: wait for the new one.
      if (endpoint.who !== 'anyone' && renewal.running()) await renewal.running();
      // The response may have been lost after the commit. The key makes a repeat safe.
      return withRetries(() => successOf(key ? () => once().catch(once) : once), wantsRetry, waitOrFail);
    };

    const { status, text } = await attempt()
      .catch(async (failure: Failure) => {
        const isRejected = failure.status === 401 && endpoint.who !== 'anyone';
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
    // `data` is undefined when the body is not an envelope.
    if (status !== only || data === undefined || (needsData && data === null)) throw new Failure(status);
    return data;
  };
}

/** Refreshes the session once for all calls that need it. */
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

  /** Reads the session inside the lock, because another tab may have refreshed it. */
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
      // The session may still be valid: keep it.
      if (isNoResponse(failure)) throw failure;
      return undefined;
    }
  }

  return {
    running: () => running,
    /** Releases the lock between attempts, so that another tab can refresh in the meantime. */
    of(rejectedToken: string | undefined): Promise<boolean> {
      running ??= withRetries(() => session.alone(() => attempt(rejectedToken)), isNoResponse, wait).finally(
        () => (running = undefined),
      );
      return running;
    },
  };
}

/** Retries up to three times, after a wait, if the failure is retryable. */
async function withRetries<T>(
  attempt: () => Promise<T>,
  isRetryable: (failure: unknown) => failure is Failure,
  wait: Wait,
): Promise<T> {
  for (let retries = 0, total = 0; ; retries++) {
    try {
      return await attempt();
    } catch (failure) {
      if (!isRetryable(failure) || retries === maxRetries) throw failure;
      const { retryAfter = 1 } = failure;
      total += retryAfter;
      if (!(await wait(retryAfter, total))) throw failure;
    }
  }
}

/** `randomUUID` is not available on plain HTTP. */
const freshKey = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');

/** The status and body of a successful response. Throws a `Failure` for an error or an incomplete response. */
async function successOf(send: () => Promise<Response>): Promise<{ status: number; text: string }> {
  const [response, text] = await send()
    .then(async (received) => [received, await received.text()] as const)
    .catch((error: unknown) => {
      throw new NetworkFailure(undefined, undefined, String(error));
    });
  const { ok, status, headers } = response;
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

/** A 409 with `Retry-After` means that the first attempt is still running. */
const wantsRetry = (failure: unknown): failure is Failure =>
  failure instanceof Failure &&
  (failure.status === 429 || (failure.status === 409 && failure.retryAfter !== undefined));

/** Whether the server did not process the request. A network error counts as 500. */
const isNoResponse = (failure: unknown): failure is Failure =>
  failure instanceof Failure && (failure.status === 429 || failure.status >= 500);

/** Distributes the input over path, query and body. */
function requestOf(
  endpoint: Target,
  input: Record<string, unknown>,
): { path: string; body?: string | Blob; type?: string } {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  let path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const file = 'upload' in endpoint ? (rest.get('file') as Blob) : undefined;
  if (file) rest.delete('file');
  if (file || endpoint.method === 'GET') {
    const query = new URLSearchParams(
      [...rest].map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    if (query) path += `?${query}`;
    // The server checks the content itself; the type only has to be an accepted one.
    return file ? { path, body: file, type: file.type || 'image/webp' } : { path };
  }
  if (endpoint.method === 'DELETE' && rest.size === 0) return { path };
  return { path, body: JSON.stringify(Object.fromEntries(rest)), type: 'application/json' };
}

/** The path and query of a call without a body. */
export const urlOf = (endpoint: Target, input: Record<string, unknown>): string =>
  `/api${requestOf(endpoint, input).path}`;

export function isAuthData(value: unknown): value is AuthData {
  const auth = value as Partial<AuthData> | null | undefined;
  return typeof auth?.AccessToken?.Token === 'string' && typeof auth.RefreshToken?.Token === 'string';
}
