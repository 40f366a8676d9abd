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
export interface SessionKeeper {
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

  constructor(status = 500, error = 'An unexpected error occurred', message = error) {
    super(message);
    this.status = status;
    this.error = error;
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
type Called = Pick<Endpoint, 'method' | 'path' | 'who'>;

const mostWaits = 3;
/** In seconds. Nobody looks at a busy button for longer; the failure says when to come back. */
const longestWait = 60;
const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * Calls the endpoints of `contracts` by name: `api.clubs.create({ club_name })`.
 * Sends the access token when there is one; renews it once for however many calls were refused with 401, which wait
 * and are sent again; waits as long as a 429 asks, three times and a minute each at most. What creates something is sent
 * once more when no answer comes. Sets no time limit of its own.
 */
export function createClient<Contracts extends Record<string, Contract>>(
  contracts: Contracts,
  options: {
    origin: string;
    session: SessionKeeper;
    fetch?: typeof fetch;
    /** Sends a file; where it is not given, `fetch` does, which tells nothing of the progress. */
    upload?: (url: string, init: RequestInit, onProgress: OnProgress) => Promise<Response>;
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
}: Parameters<typeof createClient>[1]) {
  let renewal: Promise<boolean> | undefined;

  /** One shared renewal. Another tab may have renewed meanwhile, so the stored session is read again inside the lock. */
  function renew(refusedToken: string | undefined): Promise<boolean> {
    renewal ??= session
      .alone(async () => {
        const stored = session.read();
        if (stored && stored.AccessToken.Token !== refusedToken) return true;
        const renewed = stored && (await askForRenewal(stored));
        if (renewed) session.write(renewed);
        else session.lost();
        return Boolean(renewed);
      })
      .finally(() => (renewal = undefined));
    return renewal;
  }

  async function askForRenewal(auth: AuthData): Promise<AuthData | undefined> {
    const token = encodeURIComponent(auth.RefreshToken.Token);
    const answer = await patient(() => fetch(`${origin}/api/v1/auth/refresh?token=${token}`));
    // A server that is down for a moment says nothing about the session: keep it.
    if (answer.status === 503 || answer.status === 429) throw await failureOf(answer);
    const body = (await answer.json().catch(() => undefined)) as { data?: AuthData } | undefined;
    return answer.ok && isAuthData(body?.data) ? body.data : undefined;
  }

  return async function send(
    endpoint: Called,
    input: Record<string, unknown>,
    onProgress?: OnProgress,
  ): Promise<unknown> {
    const { address, body, type } = aim(endpoint, input);
    const key = 'creates' in endpoint && endpoint.creates ? freshKey() : undefined;
    const attempt = async () => {
      if (renewal) await renewal.catch(() => false);
      const token = session.read()?.AccessToken.Token;
      const headers: Record<string, string> = {};
      if (token) headers['authorization'] = `Bearer ${token}`;
      if (type) headers['content-type'] = type;
      if (key) headers['idempotency-key'] = key;
      const url = `${origin}/api${address}`;
      const init = { method: endpoint.method, headers, body: body ?? null };
      const once = () => (onProgress ? upload(url, init, onProgress) : fetch(url, init));
      // The answer may have got lost after the deed was done. With a key, asking again does it no second time.
      const answer = await patient(key ? () => once().catch(once) : once);
      return { answer, token };
    };

    let { answer, token } = await attempt();
    if (answer.status === 401 && endpoint.who === 'user' && (await renew(token)))
      ({ answer } = await attempt());
    if (answer.status === 404) console.debug(`${endpoint.method} ${endpoint.path}: nothing there`);
    if (!answer.ok) throw await failureOf(answer);
    return 'document' in endpoint ? answer.text() : ((await answer.json()) as Envelope).data;
  };
}

/** `randomUUID` is missing where a page came over plain HTTP. */
const freshKey = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');

async function patient(send: () => Promise<Response>): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const answer = await send().catch((cause: unknown) => {
      throw new Failure(undefined, undefined, String(cause));
    });
    const wait = Number(answer.headers.get('retry-after') ?? 1) || 1;
    // A 409 that says when to come back: the same call is still being worked on.
    const isAskedToWait =
      answer.status === 429 || (answer.status === 409 && answer.headers.has('retry-after'));
    if (!isAskedToWait || waits === mostWaits || wait > longestWait) return answer;
    await pause(wait);
  }
}

async function failureOf(answer: Response): Promise<Failure> {
  const body = (await answer.json().catch(() => undefined)) as Partial<Envelope> | undefined;
  return new Failure(answer.status, body?.error ?? undefined, body?.message);
}

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
